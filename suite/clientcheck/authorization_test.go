package clientcheck_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/mcpcheck/mcpcheck/reference"
	"github.com/mcpcheck/mcpcheck/reference/guard"
	"github.com/mcpcheck/mcpcheck/reference/journal"
	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/mcpcheck/mcpcheck/suite/clientcheck"
)

const (
	discovered  = "/.well-known/oauth-protected-resource/mcp"
	ofTheServer = "/.well-known/oauth-authorization-server"
)

// TestDiscovery: a client without a token meets a server that demands one.
func TestDiscovery(t *testing.T) {
	for name, test := range map[string]struct {
		revision string
		looks    []string // for metadata, after the first refusal
		goesOn   int      // further requests without a token
		token    bool     // it has one in the end
		want     reports.Verdict
	}{
		"follows the challenge": {revision: "2025-11-25", looks: []string{discovered},
			token: true, want: reports.Pass},
		"follows it without handshake": {revision: "2026-07-28", looks: []string{discovered},
			token: true, want: reports.Pass},
		"follows it and stops": {revision: "2025-11-25", looks: []string{discovered},
			want: reports.Pass},
		"follows it, then the server's": {revision: "2025-06-18",
			looks: []string{discovered, ofTheServer}, token: true, want: reports.Pass},
		"looks at the root first": {revision: "2025-11-25",
			looks: []string{"/.well-known/oauth-protected-resource", discovered}, token: true,
			want: reports.Pass},
		"looks at the root only": {revision: "2025-11-25",
			looks: []string{"/.well-known/oauth-protected-resource"}, token: true, want: reports.Warn},
		"at the root, before it was asked": {revision: "2025-06-18",
			looks: []string{"/.well-known/oauth-protected-resource"}, token: true, want: reports.Pass},
		"guesses the authorization server": {revision: "2025-06-18", looks: []string{ofTheServer},
			token: true, want: reports.Fail},
		"guesses it without handshake": {revision: "2026-07-28",
			looks: []string{"/.well-known/openid-configuration"}, token: true, want: reports.Fail},
		"guesses it where that is the rule": {revision: "2025-03-26", looks: []string{ofTheServer},
			token: true, want: reports.Pass},
		"takes no notice":                   {revision: "2025-11-25", goesOn: 3, want: reports.Warn},
		"takes no notice without handshake": {revision: "2026-07-28", goesOn: 3, want: reports.Warn},
		"gives up":                          {revision: "2025-11-25", want: reports.NotApplicable},
		"has a token when it is asked":      {revision: "2025-11-25", token: true, want: reports.Pass},
	} {
		t.Run(name, func(t *testing.T) {
			r := authorize(t, test.revision, test.looks, test.goesOn, test.token)
			for _, x := range r.Results {
				switch {
				case x.ID == "CL-35" && x.Verdict != test.want:
					t.Errorf("CL-35 in %s: %s; %s %s", x.Revision, x.Verdict, x.Actual, x.Reason)
				case x.ID != "CL-35" && x.Verdict.Red() && test.goesOn == 0:
					t.Errorf("%s in %s: %s; %s", x.ID, x.Revision, x.Verdict, x.Actual)
				}
			}
			if !slices.ContainsFunc(r.Results, func(x reports.Result) bool { return x.ID == "CL-35" }) {
				t.Error("CL-35 was not judged")
			}
		})
	}
}

// authorize has a client begin without a token, look for metadata, and go on.
func authorize(t *testing.T, revision string, looks []string, goesOn int, token bool) *reports.Report {
	t.Helper()
	g, err := guard.New(guard.Options{Tokens: []guard.Token{{Secret: "sesame-open"}}})
	if err != nil {
		t.Fatal(err)
	}
	server := reference.Start(t, reference.DefaultWorld(), reference.WithPageSize(7),
		reference.WithOptions(func(o *reference.Options) { o.Guard = g }))
	c := newClient(t, server, "http", revision, "")
	begin := func() {
		if c.modern() {
			c.ask("server/discover", nil)
		} else {
			c.initialize()
		}
	}
	begin()
	if c.status != http.StatusUnauthorized {
		t.Errorf("the first request was answered with %d", c.status)
	}
	for _, path := range looks {
		resp, err := http.Get(strings.TrimSuffix(server.URL(), "/mcp") + path)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
	}
	for range goesOn {
		begin()
	}
	if token {
		c.token = "sesame-open"
		if !c.modern() {
			c.handshake()
		}
		c.walk("resources/list", "resources", "uri")
	}
	c.close()
	return judged(t, server.Journal().Query(journal.Query{}),
		clientcheck.Options{Ended: true, SingleClient: true, Secrets: []string{"sesame-open"}})
}

// TestSentAgain: what was refused for its token is sent again with another, as it was.
func TestSentAgain(t *testing.T) {
	g, err := guard.New(guard.Options{Tokens: []guard.Token{{Secret: "sesame-open"}}})
	if err != nil {
		t.Fatal(err)
	}
	const read = `{"jsonrpc":"2.0","id":"once","method":"resources/read","params":{"uri":"note:shopping",` +
		`"_meta":{"progressToken":"p"}}}`
	for name, want := range map[string]reports.Verdict{"refused": reports.Pass, "answered": reports.Fail} {
		server := reference.Start(t, reference.DefaultWorld(),
			reference.WithOptions(func(o *reference.Options) { o.Guard = g }))
		c := newClient(t, server, "http", "2025-11-25", "")
		c.token = "sesame-open"
		c.handshake()
		if name == "refused" {
			c.token = "sesame-none"
		}
		c.send(read)
		c.token = "sesame-open"
		c.send(read)
		c.close()
		due(t, "CL-21", name, want, server.Journal().Query(journal.Query{}))
	}
}
