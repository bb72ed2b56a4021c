package main

import (
	"net"
	"os"
	"slices"
	"time"

	"github.com/spf13/pflag"

	"github.com/mcpcheck/mcpcheck/reference"
	"github.com/mcpcheck/mcpcheck/reference/cert"
	"github.com/mcpcheck/mcpcheck/reference/guard"
	"github.com/mcpcheck/mcpcheck/reference/oauth"
)

// authorization are the flags of the authorization server and of TLS.
type authorization struct {
	on      bool
	user    string
	expires time.Duration
	consent bool
	ca      string // the file of the authority
}

// authorizationFlags are their names.
var authorizationFlags = []string{"oauth", "oauth-user", "oauth-expires", "oauth-consent", "tls-ca"}

func (a *authorization) declare(f *pflag.FlagSet) {
	f.BoolVar(&a.on, "oauth", false, "serve an authorization server as well, and demand its tokens over HTTP")
	f.StringVar(&a.user, "oauth-user", "", "the `NAME` of its user, who approves at once; \"user\" if none is given")
	f.DurationVar(&a.expires, "oauth-expires", time.Hour, "how long its access tokens are good")
	f.BoolVar(&a.consent, "oauth-consent", false, "have its user approve on a page")
	f.StringVar(&a.ca, "tls-ca", "", "serve HTTPS, and write the certificate of the authority that clients have to trust to this `FILE`")
}

// checkAuthorization finds what does not go together.
func (s *steering) checkAuthorization(stdio bool) error {
	a := s.oauth
	switch {
	case stdio && (a.on || a.ca != ""):
		return usagef("--oauth and --tls-ca need --http")
	case !a.on && (a.user != "" || a.consent || a.expires != time.Hour):
		return usagef("--oauth-user, --oauth-expires and --oauth-consent need --oauth")
	case a.on && a.expires < time.Second:
		return usagef("--oauth-expires must be at least 1s: clients are told whole seconds")
	case a.on && s.issuer != "":
		return usagef("give either --oauth, which is the authorization server, or --authorization-server, which names another")
	}
	return nil
}

// secure makes the authorization server and the certificates that the flags ask for.
func (s *steering) secure(o *reference.Options, demands []guard.Demand, address string) (*oauth.Server, error) {
	if s.oauth.ca != "" {
		if err := s.certify(o, address); err != nil {
			return nil, err
		}
	}
	if !s.oauth.on {
		return nil, nil
	}
	as, err := oauth.New(oauth.Options{
		User: s.oauth.user, Scopes: guard.Scopes(demands), Expires: s.oauth.expires, Consent: s.oauth.consent,
		AllowedOrigins: o.AllowedOrigins, AllowedHosts: o.AllowedHosts,
	})
	if err != nil {
		return nil, usageError{err}
	}
	o.OAuth = as
	return as, nil
}

// certify makes certificates for the hosts by which the server is called.
func (s *steering) certify(o *reference.Options, address string) error {
	var hosts []string
	for _, name := range append(slices.Clone(o.AllowedHosts), address) {
		if host, _, err := net.SplitHostPort(name); err == nil {
			name = host
		}
		if ip := net.ParseIP(name); name != "" && name != "*" && (ip == nil || !ip.IsUnspecified()) {
			hosts = append(hosts, name)
		}
	}
	config, ca, err := cert.New(hosts)
	if err != nil {
		return err
	}
	if err := os.WriteFile(s.oauth.ca, ca, 0o644); err != nil { //nolint:gosec // clients read it, and there is no secret in it
		return usagef("--tls-ca: %w", err)
	}
	o.TLS = config
	return nil
}

// scheme is the beginning of the URLs of a server with these options.
func scheme(o reference.Options) string {
	if o.TLS != nil {
		return "https://"
	}
	return "http://"
}
