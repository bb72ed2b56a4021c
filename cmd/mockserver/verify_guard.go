package main

import (
	"crypto/rand"

	"github.com/mcpcheck/mcpcheck/reference/guard"
)

// guarded makes the guard that --protect or the flags for tokens ask for.
func (v *verifier) guarded() error {
	if v.protect {
		if len(v.steer.scopes) > 0 {
			return usagef("--require-scope needs --token-env, which gives tokens scopes: the token of --protect is good for everything")
		}
		v.token = rand.Text()
		g, err := guard.New(guard.Options{Tokens: []guard.Token{{Secret: v.token}}, AuthorizationServer: v.steer.issuer})
		if err != nil {
			return usageError{err}
		}
		v.options.Guard = g
		return nil
	}
	return v.steer.protect(&v.options, "127.0.0.1:0")
}

// secrets are what must not appear in a report.
func (v *verifier) secrets() []string {
	if v.token != "" {
		return []string{v.token}
	}
	if v.steer.tokens == "" {
		return nil
	}
	text, err := variable("--token-env", v.steer.tokens)
	if err != nil {
		return nil // guarded has said so
	}
	tokens, err := guard.Parse(text)
	if err != nil {
		return nil // likewise
	}
	var all []string
	for _, t := range tokens {
		all = append(all, t.Secret)
	}
	return all
}
