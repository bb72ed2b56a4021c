package interop

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/mcpcheck/mcpcheck/internal/yamlfile"
	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/mcpcheck/mcpcheck/suite"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/target"
)

// everyOfficial names the variable that, set to all, has both suites judge all servers and faults of
// testdata/official.yaml. Else they judge a sample: the servers that Go builds, and every fifth fault.
const everyOfficial = "MCPCHECK_OFFICIAL"

const officialSeen = "testdata/official.json"

// officialRuling says why the official suite is not followed.
type officialRuling struct {
	Name string `yaml:"name"`
	// Checks are those concerned, and Servers the subjects; without any it is about all.
	Checks  []string `yaml:"checks"`
	Servers []string `yaml:"servers"`
	Section string   `yaml:"section"`
	Ruling  string   `yaml:"ruling"`
}

// officialSubjects is testdata/official.yaml.
type officialSubjects struct {
	Servers map[string][]requirement.Revision `yaml:"servers"`
	Faults  []string                          `yaml:"faults"`
	Rulings []officialRuling                  `yaml:"rulings"`
	Blind   map[string]string                 `yaml:"blind"`
}

// verdicts is what both suites say of a subject in a revision.
type verdicts struct {
	// Failed and Warned are the checks of the official suite that are red, SCENARIO:CHECK each; Untestable
	// counts those that could not be made.
	Failed     []string `json:"failed"`
	Warned     []string `json:"warned,omitempty"`
	Untestable int      `json:"untestable,omitempty"`
	// Mcpcheck are the red verdicts of mcpcheck.
	Mcpcheck []string `json:"mcpcheck"`
}

func loadOfficial(t *testing.T) (o officialSubjects, seen map[string]map[requirement.Revision]verdicts) {
	t.Helper()
	data, err := os.ReadFile("testdata/official.yaml")
	if err == nil {
		_, err = yamlfile.Decode("testdata/official.yaml", data, &o)
	}
	if err != nil {
		t.Fatal(err)
	}
	if data, err = os.ReadFile(officialSeen); err == nil {
		err = json.Unmarshal(data, &seen)
	}
	if err != nil && !*update {
		t.Fatal(err)
	}
	return o, seen
}

// TestOfficial: the official suite says of released servers, and of the mock with faults, what is written
// down. What mcpcheck says of the servers stands in their rulings, which other tests hold; the faults it
// judges here.
func TestOfficial(t *testing.T) {
	node, dir := installNode(t)
	program := filepath.Join(dir, "node_modules", "@modelcontextprotocol", "conformance", "dist", "index.js")
	subjects, want := loadOfficial(t)
	all := os.Getenv(everyOfficial) == "all"
	got := map[string]map[requirement.Revision]verdicts{}
	var writing sync.Mutex
	judged := func(t *testing.T, name string, v map[requirement.Revision]verdicts) {
		writing.Lock()
		defer writing.Unlock()
		got[name] = v
		for rev := range v {
			is, should := mustJSON(t, v[rev]), mustJSON(t, want[name][rev])
			if !bytes.Equal(is, should) && !*update {
				t.Errorf("in %s: %s, not as written down %s", rev, is, should)
			}
		}
	}
	mock := buildMock(t)
	t.Run("subjects", func(t *testing.T) {
		for _, s := range servers(t) {
			revisions, ok := subjects.Servers[s.Name]
			if !ok || s.Go == "" && !all {
				continue
			}
			t.Run(s.Name, func(t *testing.T) {
				t.Parallel()
				url := officialServer(t, s)
				found := map[requirement.Revision]verdicts{}
				for _, rev := range revisions {
					v := officialVerdicts(t, node, program, url, rev)
					v.Mcpcheck = ruledRed(s, rev)
					found[rev] = v
				}
				judged(t, s.Name, found)
			})
		}
		for i, name := range subjects.Faults {
			if i%5 != 0 && !all {
				continue
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				url := serveProgram(t, mock, "--world", "public-suites", "--page-size", "4", "--fault", name)
				found := map[requirement.Revision]verdicts{}
				for rev, ours := range redOf(t, url) {
					v := officialVerdicts(t, node, program, url, rev)
					v.Mcpcheck = ours
					found[rev] = v
				}
				judged(t, name, found)
			})
		}
	})
	switch {
	case !*update || !all || t.Failed():
	case len(got) < len(subjects.Servers)+len(subjects.Faults):
		t.Errorf("only %d subjects were judged: are all servers installed, as %s says?", len(got), installed)
	default:
		writeJSON(t, officialSeen, got)
	}
}

// officialServer starts a server over HTTP, and returns its address.
func officialServer(t *testing.T, s *Server) string {
	t.Helper()
	values := map[string]string{"{targets}": os.Getenv(installed)}
	if s.Go != "" {
		values["{program}"] = build(t, s.Go)
	}
	for i := range s.Endpoints {
		if s.Endpoints[i].Transport != requirement.HTTP {
			continue
		}
		if s.Go == "" {
			present(t, s, s.Endpoints[i].Command, os.Getenv(installed))
		}
		e := s.Endpoints[i].with(t, values)
		listen(t, e.Command, e.Env, e.URL)
		return e.URL
	}
	t.Fatalf("%s has no endpoint for HTTP", s.Name)
	return ""
}

// officialVerdicts runs the official suite, and sums up the scenarios of the crosswalk.
func officialVerdicts(t *testing.T, node, program, url string, rev requirement.Revision) verdicts {
	t.Helper()
	into := t.TempDir()
	out, err := exec.CommandContext(t.Context(), node, program, "server", "--url", url, "--requirements",
		string(rev), "--timeout", "15000", "-o", into).CombinedOutput() // fails, if anything is red
	found := results(t, into)
	if len(found) == 0 {
		t.Fatalf("the suite judged nothing: %v\n%s", err, out)
	}
	v := verdicts{Failed: []string{}}
	for scenario, checks := range found {
		known := requirement.Official().Scenarios[scenario]
		for _, c := range checks {
			switch _, ok := known[c.ID]; {
			case known == nil || c.ID == "wire-schema-harness-error":
			case !ok:
				t.Errorf("the crosswalk lacks %s:%s", scenario, c.ID)
			case c.failed() && strings.HasPrefix(c.Error, "Not testable:"):
				v.Untestable++
			case c.Status == "WARNING":
				v.Warned = append(v.Warned, scenario+":"+c.ID)
			case c.failed():
				v.Failed = append(v.Failed, scenario+":"+c.ID)
			}
		}
	}
	for _, list := range []*[]string{&v.Failed, &v.Warned} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
	return v
}

// ruledRed lists the requirements that a server breaks over HTTP, by its rulings.
func ruledRed(s *Server, rev requirement.Revision) []string {
	ids := []string{}
	for i := range s.Rulings {
		for _, k := range s.Rulings[i].Keys(s) {
			if k.Transport == requirement.HTTP && k.Revision == rev && k.Verdict.Red() {
				ids = append(ids, k.ID)
			}
		}
	}
	slices.Sort(ids)
	return ids
}

// redOf has mcpcheck judge a server at an address.
func redOf(t *testing.T, url string) map[requirement.Revision][]string {
	t.Helper()
	revisions := []requirement.Revision{requirement.R20251125, requirement.R20260728}
	r, err := suite.Run(t.Context(), suite.Config{Revisions: revisions, Skip: foreign,
		Limits: suite.Limits{Budget: budget},
		Target: &target.Target{Name: "mock", Endpoints: []target.Endpoint{{URL: url}}}})
	if err != nil {
		t.Fatal(err)
	}
	ids := map[requirement.Revision][]string{revisions[0]: {}, revisions[1]: {}}
	for _, x := range r.Only(func(x *reports.Result) bool { return x.Verdict.Red() }) {
		rev := requirement.Revision(x.Revision)
		ids[rev] = append(ids[rev], x.ID)
	}
	return ids
}

func mustJSON(t *testing.T, v any) []byte {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func writeJSON(t *testing.T, path string, v any) {
	t.Helper()
	var b bytes.Buffer
	if err := json.Indent(&b, mustJSON(t, v), "", " "); err != nil {
		t.Fatal(err)
	}
	b.WriteByte('\n')
	if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestCrosswalkChecks: the official suite that is installed has all scenarios and checks of the crosswalk,
// and no scenario more.
func TestCrosswalkChecks(t *testing.T) {
	node, dir := installNode(t)
	home := filepath.Join(dir, "node_modules", "@modelcontextprotocol", "conformance")
	c := requirement.Official()
	var manifest struct{ Version string }
	data, err := os.ReadFile(filepath.Join(home, "package.json"))
	if err == nil {
		err = json.Unmarshal(data, &manifest)
	}
	if err != nil || manifest.Version != c.Release {
		t.Errorf("%s is installed, the crosswalk is of %s (%v)", manifest.Version, c.Release, err)
	}
	program := filepath.Join(home, "dist", "index.js")
	list, err := exec.CommandContext(t.Context(), node, program, "list", "--server").Output()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for line := range strings.Lines(string(list)) {
		if name, ok := strings.CutPrefix(line, "  - "); ok {
			name, _, _ = strings.Cut(name, " ")
			names = append(names, name)
		}
	}
	slices.Sort(names)
	known := slices.Sorted(maps.Keys(c.Scenarios))
	known = append(known, c.Elsewhere...)
	slices.Sort(known)
	if !slices.Equal(names, known) {
		t.Errorf("the suite has the scenarios %q, the crosswalk %q", names, known)
	}
	text, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	// These are made of a beginning and an end when the suite runs.
	begun := []string{"sep-2575-request-meta-invalid-", "sep-2575-http-server-method-not-found-404-"}
	for scenario, checks := range c.Scenarios {
		for check := range checks {
			made := slices.ContainsFunc(begun, func(s string) bool { return strings.HasPrefix(check, s) })
			if !made && !bytes.Contains(text, []byte(check)) {
				t.Errorf("the suite has no check %s (%s)", check, scenario)
			}
		}
	}
}
