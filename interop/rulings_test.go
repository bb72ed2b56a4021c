package interop

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcpcheck/mcpcheck/reports"
)

// TestRulings holds the form of the file, for all servers in it.
func TestRulings(t *testing.T) {
	f := rulings(t)
	for i := range f.Servers {
		if len(f.Servers[i].Rulings) == 0 {
			t.Errorf("%s has no rulings", f.Servers[i].Name)
		}
	}
}

const sound = `servers:
  - name: one
    go: example.com/one
    version: v1.0.0
    endpoints:
      - transport: stdio
        command: ["{program}"]
      - transport: http
        command: ["{program}", "{port}"]
        url: http://127.0.0.1:{port}/mcp
    rulings:
      - id: SUB-11
        revisions: [2025-06-18, 2025-11-25]
        verdict: fail
        section: schema#SubscribeRequest
        ruling: The schema requires the uri.
        seen: There is a result.
      - id: RPC-15
        revisions: [2025-11-25]
        transports: [stdio]
        verdict: warn
        section: JSON-RPC 2.0#error_object
        ruling: This is no request.
        seen: There is silence.
`

func load(t *testing.T, content string) (*File, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "rulings.yaml")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return Load(path)
}

func TestLoadIsStrict(t *testing.T) {
	if _, err := load(t, sound); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, old, new, want string }{
		{"no servers", sound, "servers: []\n", "no servers"},
		{"unknown field", "seen: There is silence.", "saw: There is silence.", "saw"},
		{"unknown requirement", "id: RPC-15", "id: RPC-999", `no requirement "RPC-999"`},
		{"unknown revision", "[2025-11-25]", "[2025-11-26]", "no revision"},
		{"no revisions", "[2025-11-25]", "[]", "revisions are missing"},
		{"unknown transport", "transports: [stdio]", "transports: [pipe]", "no endpoint"},
		{"transport not served", "transports: [stdio]", "transports: [sse]", "no endpoint"},
		{"a pass", "verdict: warn", "verdict: pass", "fail, warn or blocked"},
		{"no reason", "ruling: This is no request.", "ruling: ''", "the ruling is a sentence"},
		{"nothing seen", "seen: There is silence.", "seen: silence", "what is seen is a sentence"},
		{"no section", "section: schema#SubscribeRequest", "section: ''", "does not rest on"},
		{"another section", "section: schema#SubscribeRequest", "section: schema#ReadResourceRequest", "does not rest on"},
		{"twice", "id: RPC-15", "id: SUB-11", "two rulings on SUB-11"},
		{"two origins", "go: example.com/one", "go: example.com/one\n    npm: one", "exactly one of go, npm"},
		{"no version", "version: v1.0.0", "version:", "version is missing"},
		{"no name", "name: one", "name:", "name of its own"},
		{"no command", `command: ["{program}"]`, "command: []", "command is missing"},
		{"no url", "url: http://127.0.0.1:{port}/mcp", "url:", "need a url"},
		{"transport twice", "transport: http", "transport: stdio", "transport of its own"},
	} {
		t.Run(c.name, func(t *testing.T) {
			content := strings.Replace(sound, c.old, c.new, 1)
			if content == sound {
				t.Fatal("nothing was replaced")
			}
			_, err := load(t, content)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v; want an error with %q", err, c.want)
			}
		})
	}
}

func TestJudge(t *testing.T) {
	f, err := load(t, sound)
	if err != nil {
		t.Fatal(err)
	}
	result := func(id, rev, transport string, v reports.Verdict) reports.Result {
		return reports.Result{ID: id, Revision: rev, Transport: transport, Verdict: v}
	}
	stdio := []reports.Result{
		result("RPC-15", "2025-11-25", "stdio", reports.Warn),
		result("SUB-11", "2025-06-18", "stdio", reports.Fail),
		result("SUB-11", "2025-11-25", "stdio", reports.Fail),
		result("SUB-12", "2025-11-25", "stdio", reports.Pass),
		result("SUB-13", "2025-11-25", "stdio", reports.NotApplicable),
	}
	http := []reports.Result{
		result("SUB-11", "2025-06-18", "http", reports.Fail),
		result("SUB-11", "2025-11-25", "http", reports.Fail),
	}
	for _, c := range []struct {
		name    string
		results []reports.Result
		want    []string // lines of the error
	}{
		{"as ruled", http, nil},
		{"gone", http[:1], []string{"not seen any more: fail SUB-11 (2025-11-25, http)"}},
		{"milder", append(http[:1:1], result("SUB-11", "2025-11-25", "http", reports.Warn)),
			[]string{"no ruling on: warn SUB-11 (2025-11-25, http)", "not seen any more: fail SUB-11 (2025-11-25, http)"}},
		{"new", append(http[:2:2], result("URI-01", "2025-11-25", "http", reports.Fail)), []string{"no ruling on: fail URI-01 (2025-11-25, http)"}},
		{"blocked", append(http[:2:2], result("URI-01", "2025-11-25", "http", reports.Blocked)), []string{"no ruling on: blocked URI-01 (2025-11-25, http)"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := f.Servers[0].Judge(&reports.Report{Results: stdio}, &reports.Report{Results: c.results})
			var lines []string
			if err != nil {
				lines = strings.Split(err.Error(), "\n")
			}
			if len(lines) != len(c.want) {
				t.Fatalf("%q, want %q", lines, c.want)
			}
			for i, line := range lines {
				if !strings.HasPrefix(line, c.want[i]) {
					t.Errorf("%q, want %q", line, c.want[i])
				}
			}
		})
	}
}
