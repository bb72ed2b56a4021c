package engine

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/target"
)

// TestNonsenseIsTold: who waits for a target that writes no JSON is told what it writes, long
// before it is given up, and once; nothing is told of one that is silent, that is given up before,
// or whose JSON comes over several lines.
func TestNonsenseIsTold(t *testing.T) {
	for name, test := range map[string]struct {
		writes string
		start  time.Duration
		want   []string
	}{
		"greeting": {"\n  \nWelcome to " + strings.Repeat("=", 64) + " s3cret-value!\r\nready\n",
			30 * time.Second,
			[]string{`written "Welcome to ` + strings.Repeat("=", 64) + ` ***!", which is no MCP message`}},
		"silence":       {"", 30 * time.Second, nil},
		"given up":      {"Welcome!\n", time.Second, nil},
		"several lines": {"{\n \"a\": 1\n}\n", 30 * time.Second, nil},
		"echo":          {"", 30 * time.Second, []string{"sent our own request back"}},
		"some JSON":     {"Welcome!\n\"ready\"\n", 30 * time.Second, nil},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				open := func(context.Context) (io.ReadWriteCloser, error) {
					in, ours := io.Pipe()
					answers, theirs := io.Pipe()
					go func() {
						_, _ = io.WriteString(theirs, test.writes)
						back := io.Discard
						if name == "echo" {
							back = theirs
						}
						_, _ = io.Copy(back, in)
						_ = theirs.Close()
					}()
					return bothWays{answers, ours}, nil
				}
				began := time.Now()
				var told []string
				r, err := Prepare(t.Context(), Config{
					Target: &target.Target{Endpoints: []target.Endpoint{{Pipe: open}},
						Secret:    []target.Value{target.Plain("s3cret-value")},
						Revisions: []requirement.Revision{requirement.R20251125}},
					Limits: target.Limits{StartTimeout: test.start},
					Progress: func(e Event) {
						if e.Nonsense == "" {
							return
						}
						told = append(told, e.Nonsense)
						if after := time.Since(began); e.Kind != Connecting || after != 2*time.Second {
							t.Errorf("%+v after %v", e, after)
						}
					},
				})
				if err != nil || r.Unreachable() == "" {
					t.Fatal(err)
				}
				if !slices.Equal(told, test.want) {
					t.Errorf("told %q, not %q", told, test.want)
				}
			})
		})
	}
}

// Whoever names a transport that a server does not speak is told that both are tried otherwise; what the
// server itself fails at, or refuses, is told apart.
func TestWhatToTryNext(t *testing.T) {
	for name, test := range map[string]struct {
		status int
		forced requirement.Transport
		want   string
	}{
		"the other transport": {http.StatusBadRequest, requirement.SSE,
			"; are the path and the transport right? many servers have /mcp or /sse, and without " +
				"--transport both are tried"},
		"the path": {http.StatusMethodNotAllowed, "",
			"; is the path right? many servers have /mcp or /sse"},
		"a page": {http.StatusOK, "", "; is the path right? many servers have /mcp or /sse"},
		"forbidden": {http.StatusForbidden, "",
			"; if it wants credentials, --header-env Authorization=VARIABLE gives them (headers in a " +
				"target file)"},
		"broken": {http.StatusInternalServerError, "",
			"; what the server itself has logged may say why"},
		"refused": {http.StatusBadRequest, "", `; the body begins with "no"`},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(test.status)
			_, _ = io.WriteString(w, "no")
		}))
		t.Cleanup(server.Close)
		r, err := Prepare(t.Context(), Config{
			Target: &target.Target{Endpoints: []target.Endpoint{{URL: server.URL + "/x",
				Forced: test.forced}}, Revisions: []requirement.Revision{requirement.R20241105}},
		})
		if err != nil {
			t.Fatal(err)
		}
		if why := r.Unreachable(); !strings.HasSuffix(why, test.want) {
			t.Errorf("%s: %s", name, why)
		}
		if got := r.Report(false).Target.Endpoints[0].Reached; !got {
			t.Errorf("%s: nothing is said to be there", name)
		}
	}
}

// Whoever leaves out the path of an address is told so, over each transport.
func TestAPathThatIsMissing(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(server.Close)
	for path, missing := range map[string]bool{"": true, "/": true, "/mcp": false} {
		for _, revision := range requirement.Revisions() {
			r, err := Prepare(t.Context(), Config{
				Target: &target.Target{Endpoints: []target.Endpoint{{URL: server.URL + path}},
					Revisions: []requirement.Revision{revision}},
			})
			if err != nil {
				t.Fatal(err)
			}
			if why := r.Unreachable(); !strings.Contains(why, "404") ||
				strings.HasSuffix(why, "is the path missing? try /mcp or /sse") != missing {
				t.Errorf("%q in %s: %s", path, revision, why)
			}
		}
	}
}
