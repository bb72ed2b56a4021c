package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/mcpcheck/mcpcheck/reference"
	"github.com/mcpcheck/mcpcheck/reference/admin"
	"github.com/mcpcheck/mcpcheck/reference/guard"
	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/mcpcheck/mcpcheck/suite/client"
)

// steering are the flags of the admin interface and of the protected mode.
type steering struct {
	admin      string
	adminToken string // the name of a variable
	tokens     string // likewise
	scopes     []string
	issuer     string
	oauth      authorization
}

func (s *steering) declare(cmd *cobra.Command) {
	f := cmd.PersistentFlags()
	f.StringVar(&s.admin, "admin", "", "serve the admin interface on this `ADDRESS`, say 127.0.0.1:0, of loopback unless --admin-token-env is given; it is described at /openapi.json")
	f.StringVar(&s.adminToken, "admin-token-env", "", "the environment variable `VAR` that holds the bearer token of the admin interface")
	f.StringVar(&s.tokens, "token-env", "", "demand bearer tokens over HTTP; the environment variable `VAR` holds them: TOKEN[@NAME] [SCOPE ...], with commas between several; without scopes a token is good for everything")
	f.StringArrayVar(&s.scopes, "require-scope", nil, "a scope that requests need, `SCOPE=METHOD[:URI]` with patterns; without any, resources:read to list, read and complete and resources:subscribe to subscribe")
	f.StringVar(&s.issuer, "authorization-server", "", "the `URL` that the protected-resource metadata names")
	s.oauth.declare(f)
}

// variable reads an environment variable that a flag names.
func variable(flag, name string) (string, error) {
	value := os.Getenv(name)
	if value == "" {
		return "", usagef("%s: the environment variable %s is not set", flag, name)
	}
	return value, nil
}

// protect has a server be protected as the flags ask for. The address is that on which it is going to listen;
// empty if it is not over HTTP.
func (s *steering) protect(to *reference.Options, address string) error {
	g, err := s.guard(to, address)
	to.Guard = g
	return err
}

// guard makes the guard; nil for none.
func (s *steering) guard(to *reference.Options, address string) (*guard.Guard, error) {
	if err := s.checkAuthorization(address == ""); err != nil {
		return nil, err
	}
	o := guard.Options{AuthorizationServer: s.issuer}
	if s.tokens == "" && !s.oauth.on && (len(s.scopes) > 0 || s.issuer != "") {
		return nil, usagef("--require-scope and --authorization-server need --token-env")
	}
	if s.tokens != "" {
		if address == "" {
			return nil, usagef("--token-env needs --http: over stdio there are no bearer tokens")
		}
		text, err := variable("--token-env", s.tokens)
		if err != nil {
			return nil, err
		}
		if o.Tokens, err = guard.Parse(text); err != nil {
			return nil, usagef("--token-env %s: %w", s.tokens, err)
		}
	}
	for _, text := range s.scopes {
		d, err := guard.ParseDemand(text)
		if err != nil {
			return nil, usageError{err}
		}
		o.Demands = append(o.Demands, d)
	}
	as, err := s.secure(to, o.Demands, address)
	if err != nil || s.tokens == "" && as == nil {
		return nil, err
	}
	if as != nil {
		o.Issuer = as
	}
	g, err := guard.New(o)
	if err != nil {
		return nil, usageError{err}
	}
	return g, nil
}

// serveAdmin serves the admin interface, if it is asked for, until the function that it
// returns is called. Hosts are the names by which it may be called. The address goes to stderr, and is returned; it is empty without one.
func (s *steering) serveAdmin(ctx context.Context, server *reference.Server, hosts []string, stderr io.Writer) (address string, end func() error, err error) {
	if s.admin == "" {
		if s.adminToken != "" {
			return "", nil, usagef("--admin-token-env needs --admin")
		}
		return "", func() error { return nil }, nil
	}
	o := admin.Options{Judge: judged, AllowedHosts: hosts}
	if s.adminToken != "" {
		if o.Token, err = variable("--admin-token-env", s.adminToken); err != nil {
			return "", nil, err
		}
	}
	l, err := admin.Listen(ctx, s.admin, o)
	if err != nil {
		return "", nil, usageError{unlistened("--admin", s.admin, err)}
	}
	address = "http://" + callable(l.Addr())
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan error, 1)
	go func() { done <- admin.New(server, o).Serve(ctx, l) }()
	if _, err := fmt.Fprintf(stderr, "mockserver: admin interface on %s\n", address); err != nil {
		cancel()
		return "", nil, errors.Join(err, <-done)
	}
	return address, func() error {
		cancel()
		return <-done
	}, nil
}

// judged is the report that the admin interface gives of a journal.
func judged(journal io.Reader, how admin.Verify) (*reports.Report, error) {
	for _, id := range how.Only {
		if _, ok := client.Catalogue().Find(id); !ok {
			return nil, &admin.Problem{Code: admin.CodeInvalid, Field: "only", Message: fmt.Sprintf("there is no requirement %q of clients", id)}
		}
	}
	j, err := client.Read(journal)
	if err != nil {
		return nil, err
	}
	return client.Judge(j, client.Options{
		Tool: tool(), Name: how.Name, Strict: how.Strict, Only: how.Only, Ended: how.Ended, SingleClient: how.SingleClient,
	}), nil
}
