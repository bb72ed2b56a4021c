package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mcpcheck/mcpcheck/cmd/internal/helpcmd"
	"github.com/mcpcheck/mcpcheck/reference"
	"github.com/mcpcheck/mcpcheck/reference/admin"
	"github.com/mcpcheck/mcpcheck/reference/cert"
	"github.com/mcpcheck/mcpcheck/reference/guard"
	"github.com/mcpcheck/mcpcheck/reference/oauth"
	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/mcpcheck/mcpcheck/suite/clientcheck"
)

// steering are the flags of the admin interface and of the protected mode.
type steering struct {
	admin      string
	adminToken string // the name of a variable
	tokens     string // likewise
	scopes     []string
	issuer     string
	oauth      authorization
	demanded   []guard.Token // those of the variable, or one that was made
}

func (s *steering) declare(cmd *cobra.Command) {
	helpcmd.Flags{
		{&s.admin, "admin",
			"serve the admin interface on this `ADDRESS`, say 127.0.0.1:0, of loopback unless " +
				"--admin-token-env is given; it is described at /openapi.json"},
		{&s.adminToken, "admin-token-env",
			"the environment variable `VAR` that holds the bearer token of the admin interface"},
		{&s.tokens, "token-env",
			"demand bearer tokens over HTTP; the environment variable `VAR` holds them: TOKEN[@NAME] " +
				"[SCOPE ...], with commas between several; without scopes a token is good for everything"},
		{&s.scopes, "require-scope",
			"a scope that requests need, `SCOPE=METHOD[:URI]` with patterns; without any, resources:read " +
				"to list, read and complete and resources:subscribe to subscribe"},
		{&s.issuer, "authorization-server", "the `URL` that the protected-resource metadata names"},
	}.Add(cmd.PersistentFlags())
	s.oauth.declare(cmd.PersistentFlags())
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
	if err := s.checkAuthorization(address == ""); err != nil {
		return err
	}
	o := guard.Options{AuthorizationServer: s.issuer}
	if s.tokens == "" && s.demanded == nil && !s.oauth.on && (len(s.scopes) > 0 || s.issuer != "") {
		return usagef("--require-scope and --authorization-server need --token-env")
	}
	if s.tokens != "" {
		if address == "" {
			return usagef("--token-env needs --http: over stdio there are no bearer tokens")
		}
		text, err := variable("--token-env", s.tokens)
		if err != nil {
			return err
		}
		if s.demanded, err = guard.Parse(text); err != nil {
			return usagef("--token-env %s: %w", s.tokens, err)
		}
	}
	for _, text := range s.scopes {
		d, err := guard.ParseDemand(text)
		if err != nil {
			return usageError{err}
		}
		o.Demands = append(o.Demands, d)
	}
	if err := s.secure(to, o.Demands, address); err != nil || s.demanded == nil && to.OAuth == nil {
		return err
	}
	o.Tokens = s.demanded
	if to.OAuth != nil {
		o.Issuer = to.OAuth
	}
	g, err := guard.New(o)
	if err != nil {
		return usageError{err}
	}
	to.Guard = g
	return nil
}

// serveAdmin serves the admin interface, if it is asked for, until the function that it
// returns is called. The address goes to stderr, and is returned; it is empty without one.
func (s *settings) serveAdmin(ctx context.Context, server *reference.Server) (address string,
	end func() error, err error) {
	if s.steer.admin == "" {
		if s.steer.adminToken != "" {
			return "", nil, usagef("--admin-token-env needs --admin")
		}
		return "", func() error { return nil }, nil
	}
	o := admin.Options{Judge: judged, AllowedHosts: s.options.AllowedHosts}
	if s.steer.adminToken != "" {
		if o.Token, err = variable("--admin-token-env", s.steer.adminToken); err != nil {
			return "", nil, err
		}
	}
	l, err := admin.Listen(ctx, s.steer.admin, o)
	if err != nil {
		return "", nil, usageError{unlistened("--admin", s.steer.admin, err)}
	}
	address = "http://" + callable(l.Addr())
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan error, 1)
	go func() { done <- admin.New(server, o).Serve(ctx, l) }()
	s.note("admin interface on %s", address)
	return address, func() error {
		cancel()
		return <-done
	}, nil
}

// judged is the report that the admin interface gives of a journal.
func judged(journal io.Reader, how admin.Verify) (*reports.Report, error) {
	for _, id := range how.Only {
		if _, ok := clientcheck.Catalogue().Find(id); !ok {
			return nil, &admin.Problem{Code: admin.CodeInvalid, Field: "only",
				Message: fmt.Sprintf("there is no requirement %q of clients", id)}
		}
	}
	j, err := clientcheck.Read(journal)
	if err != nil {
		return nil, err
	}
	return clientcheck.Judge(j, clientcheck.Options{
		Tool: tool(), Name: how.Name, Strict: how.Strict, Only: how.Only, Ended: how.Ended,
		SingleClient: how.SingleClient,
	}), nil
}

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
	a.expires = time.Hour
	helpcmd.Flags{
		{&a.on, "oauth", "serve an authorization server as well, and demand its tokens over HTTP"},
		{&a.user, "oauth-user", "the `NAME` of its user, who approves at once; \"user\" if none is given"},
		{&a.expires, "oauth-expires", "how long its access tokens are good"},
		{&a.consent, "oauth-consent", "have its user approve on a page"},
		{&a.ca, "tls-ca",
			"serve HTTPS, and write the certificate of the authority that clients have to trust " +
				"to this `FILE`"},
	}.Add(f)
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
		return usagef("give either --oauth, which is the authorization server, or --authorization-server," +
			" which names another")
	}
	return nil
}

// secure makes the authorization server and the certificates that the flags ask for.
func (s *steering) secure(o *reference.Options, demands []guard.Demand, address string) error {
	if s.oauth.ca != "" {
		if err := s.certify(o, address); err != nil {
			return err
		}
	}
	if !s.oauth.on {
		return nil
	}
	as, err := oauth.New(oauth.Options{
		User: s.oauth.user, Scopes: guard.Scopes(demands), Expires: s.oauth.expires, Consent: s.oauth.consent,
		AllowedOrigins: o.AllowedOrigins, AllowedHosts: o.AllowedHosts,
	})
	if err != nil {
		return usageError{err}
	}
	o.OAuth = as
	return nil
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
	//nolint:gosec // clients read it, and there is no secret in it
	if err := os.WriteFile(s.oauth.ca, ca, 0o644); err != nil {
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
