package interop

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/mcpcheck/mcpcheck/suite/sdk"
)

// TestRulings holds the form of the files, also of those whose servers are not
// installed.
func TestRulings(t *testing.T) { servers(t) }

// TestSDKs holds what is said of SDKs to the rulings: one of their servers at least has the verdict on each
// transport.
func TestSDKs(t *testing.T) {
	ruled := map[string]map[string]bool{}
	for _, s := range servers(t) {
		ruled[s.Name] = map[string]bool{}
		for i := range s.Rulings {
			for _, k := range s.Rulings[i].Keys(s) {
				ruled[s.Name][k.ID+" "+string(k.Transport)] = true
			}
		}
	}
	for _, k := range sdk.All() {
		for _, name := range k.Servers {
			if ruled[name] == nil {
				t.Errorf("%s: there are no rulings on %s", k.Name, name)
			}
		}
		for _, d := range k.Known {
			for _, transport := range d.Transports {
				if !slices.ContainsFunc(k.Servers, func(name string) bool {
					return ruled[name][d.ID+" "+transport]
				}) {
					t.Errorf("%s: no ruling on %s over %s for any of %v", k.Name, d.ID, transport, k.Servers)
				}
			}
		}
	}
}

// sdkOf is the SDK that a server consists of; empty if it is none that is known.
func sdkOf(s *Server) string {
	for _, k := range sdk.All() {
		if slices.Contains(k.Servers, s.Name) {
			return k.Name
		}
	}
	return ""
}

const sound = `go: example.com/one
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

func load(t *testing.T, content string) (*Server, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "one.yaml")
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
		{"a name", sound, "name: one\n" + sound, "name"},
		{"both", "rulings:", "unjudged: It needs a cluster.\nrulings:", "neither endpoints nor rulings"},
		{"not judged", sound, "npm: one\nversion: 1.0.0\nunjudged: cluster\n", "the reason is a sentence"},
		{"unknown field", "seen: There is silence.", "saw: There is silence.", "saw"},
		{"unknown requirement", "id: RPC-15", "id: RPC-999", `no requirement "RPC-999"`},
		{"unknown revision", "[2025-11-25]", "[2025-11-26]", "no revision"},
		{"no revisions", "[2025-11-25]", "[]", "revisions are missing"},
		{"unknown transport", "transports: [stdio]", "transports: [pipe]", "no endpoint"},
		{"transport not served", "transports: [stdio]", "transports: [sse]", "no endpoint"},
		{"instances", "url:", "instances: -1\n    url:", "no limit"},
		{"a pass", "verdict: warn", "verdict: pass", "fail, warn or blocked"},
		{"no reason", "ruling: This is no request.", "ruling: ''", "the ruling is a sentence"},
		{"nothing seen", "seen: There is silence.", "seen: silence", "what is seen is a sentence"},
		{"a matter of luck", "seen: There is silence.", "seen: There is silence.\n    chance: luck",
			"why it is not seen each time is a sentence"},
		{"no section", "section: schema#SubscribeRequest", "section: ''", "does not rest on"},
		{"another section", "section: schema#SubscribeRequest", "section: schema#ReadResourceRequest",
			"does not rest on"},
		{"twice", "id: RPC-15", "id: SUB-11", "two rulings on SUB-11"},
		{"two origins", "go: example.com/one", "go: example.com/one\nnpm: one", "exactly one of go, npm"},
		{"no version", "version: v1.0.0", "version:", "version is missing"},
		{"no command", `command: ["{program}"]`, "command: []", "command is missing"},
		{"no url", "url: http://127.0.0.1:{port}/mcp", "url:", "need a url"},
		{"headers on stdio", `command: ["{program}"]`, "command: [\"{program}\"]\n    headers: {A: b}",
			"no headers"},
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
	one, err := load(t, sound)
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
			[]string{"no ruling on: warn SUB-11 (2025-11-25, http)",
				"not seen any more: fail SUB-11 (2025-11-25, http)"}},
		{"new", append(http[:2:2], result("URI-01", "2025-11-25", "http", reports.Fail)),
			[]string{"no ruling on: fail URI-01 (2025-11-25, http)"}},
		{"blocked", append(http[:2:2], result("URI-01", "2025-11-25", "http", reports.Blocked)),
			[]string{"no ruling on: blocked URI-01 (2025-11-25, http)"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := one.Judge(&reports.Report{Results: stdio}, &reports.Report{Results: c.results})
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

// A verdict that depends on chance may be missing, but none takes its place.
func TestJudgeByChance(t *testing.T) {
	one, err := load(t, strings.Replace(sound, "seen: There is a result.",
		"seen: There is a result.\n    chance: The server answers in any order.", 1))
	if err != nil {
		t.Fatal(err)
	}
	result := func(id, rev, transport string, v reports.Verdict) reports.Result {
		return reports.Result{ID: id, Revision: rev, Transport: transport, Verdict: v}
	}
	always := result("RPC-15", "2025-11-25", "stdio", reports.Warn)
	for name, c := range map[string]struct {
		results []reports.Result
		want    string
	}{
		"missing": {[]reports.Result{always}, ""},
		"seen": {[]reports.Result{always, result("SUB-11", "2025-11-25", "stdio", reports.Fail)},
			""},
		"another": {[]reports.Result{always, result("SUB-11", "2025-11-25", "stdio", reports.Blocked)},
			"no ruling on: blocked SUB-11"},
		"not by chance": {nil, "not seen any more: warn RPC-15"},
		"on another row": {[]reports.Result{always, result("SUB-11", "2024-11-05", "stdio", reports.Fail)},
			"no ruling on: fail SUB-11 (2024-11-05, stdio)"},
	} {
		err := one.Judge(&reports.Report{Results: c.results})
		if c.want == "" && err != nil || c.want != "" &&
			(err == nil || !strings.HasPrefix(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}
