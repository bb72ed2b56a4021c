package interop

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/mcpcheck/mcpcheck/suite"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/target"
)

// installed names the variable with the directory of the servers that the tests
// cannot build.
const installed = "MCPCHECK_TARGETS"

// saved names the variable with a directory into which the reports are written.
const saved = "MCPCHECK_REPORTS"

// foreign lists requirements whose verdict depends on the machine rather than on
// the server: SEC-06 on the network addresses that it has.
var foreign = []string{"SEC-06"}

// budget bounds the judging of one endpoint, and start the time that one process
// takes to start: servers that need several seconds of the processor for it are
// started side by side.
const (
	budget = 10 * time.Minute
	start  = 2 * time.Minute
)

// enough is how many requirements a server meets at least: those of the base
// protocol, in the oldest revision.
const enough = 40

func servers(t *testing.T) []*Server {
	t.Helper()
	list, err := LoadAll("rulings")
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// TestBuilt judges the servers that Go alone can build, one after the other:
// they share two cores on the machines that run this.
func TestBuilt(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and judges real servers")
	}
	programs := make(map[string]string)
	for _, s := range servers(t) {
		if s.Go == "" {
			continue
		}
		if programs[s.Go] == "" {
			programs[s.Go] = build(t, s.Go)
		}
		t.Run(s.Name, func(t *testing.T) {
			if v := version(t, s.Go); v != s.Version {
				t.Fatalf("go.mod requires %s, the rulings are about %s", v, s.Version)
			}
			judge(t, s, map[string]string{"{program}": programs[s.Go]})
		})
	}
}

// TestInstalled judges the servers that need more than Go.
func TestInstalled(t *testing.T) {
	dir := os.Getenv(installed)
	if dir == "" {
		t.Skipf("%s names no directory with further servers", installed)
	}
	for _, s := range servers(t) {
		if s.Go != "" {
			continue
		}
		t.Run(s.Name, func(t *testing.T) {
			if s.Unjudged != "" {
				t.Skip(s.Unjudged)
			}
			for i := range s.Endpoints {
				present(t, s, s.Endpoints[i].Command, dir)
			}
			judge(t, s, map[string]string{"{targets}": dir})
		})
	}
}

// judge runs the suite against each endpoint of the server and compares the
// verdicts with the rulings. Some released servers lose a message now and then when a client
// is quick, so that an endpoint cannot be reached: a server that differs is judged once more.
func judge(t *testing.T, s *Server, values map[string]string) {
	var err error
	for range 2 {
		var list []*reports.Report
		for i := range s.Endpoints {
			r := run(t, s, s.Endpoints[i].with(t, values))
			if dir := os.Getenv(saved); dir != "" {
				save(t, r, filepath.Join(dir, s.Name+"-"+string(s.Endpoints[i].Transport)+".json"))
			}
			if want := sdkOf(s); want != "" && r.Target.SDK != want {
				t.Errorf("%s over %s: the SDK was recognized as %q, not as the %s", s.Name,
					s.Endpoints[i].Transport, r.Target.SDK, want)
			}
			list = append(list, r)
		}
		if err = s.Judge(list...); err == nil {
			return
		}
		t.Logf("the first time: %v", err)
	}
	t.Error(err)
}

// run judges one endpoint.
func run(t *testing.T, s *Server, e Endpoint) *reports.Report {
	t.Helper()
	env := make(map[string]target.Value)
	endpoint := target.Endpoint{Command: e.Command, Dir: t.TempDir(), Env: env, EnvAll: true}
	for name, value := range e.Env {
		endpoint.Env[name] = target.Plain(value)
	}
	if e.Transport != requirement.Stdio {
		listen(t, e.Command, e.Env, e.URL)
		endpoint = target.Endpoint{URL: e.URL, Forced: e.Transport, Header: make(map[string]target.Value)}
		for name, value := range e.Header {
			endpoint.Header[name] = target.Plain(value)
		}
	}
	endpoint.Instances = e.Instances
	report, err := suite.Run(t.Context(), suite.Config{
		Target: &target.Target{Name: s.Name, Endpoints: []target.Endpoint{endpoint}},
		Skip:   foreign, Limits: suite.Limits{Budget: budget},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range report.Target.Endpoints {
		if x.Unreachable != "" {
			t.Fatalf("%s cannot be reached: %s", x.Address, x.Unreachable)
		}
	}
	if n := report.Summary.Pass; n < enough {
		t.Errorf("%s: only %d requirements are met: the run judged too little", e.Transport, n)
	}
	return report
}

// with replaces the words in braces.
func (e Endpoint) with(t *testing.T, values map[string]string) Endpoint {
	t.Helper()
	values = maps.Clone(values)
	values["{scratch}"] = t.TempDir()
	testdata, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	values["{testdata}"] = testdata
	if e.Transport != requirement.Stdio {
		values["{port}"] = freePort(t)
	}
	var pairs []string
	for word, value := range values {
		pairs = append(pairs, word, value)
	}
	r := strings.NewReplacer(pairs...)
	out := Endpoint{Transport: e.Transport, URL: r.Replace(e.URL), Env: make(map[string]string),
		Header: e.Header, Instances: e.Instances}
	for _, arg := range e.Command {
		out.Command = append(out.Command, r.Replace(arg))
	}
	for name, value := range e.Env {
		out.Env[name] = r.Replace(value)
	}
	return out
}

// save writes a report, for whoever has to rule on a new verdict.
func save(t *testing.T, r *reports.Report, path string) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := reports.WriteJSON(f, r); err != nil {
		t.Error(err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
}
