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

// budget bounds the judging of one endpoint.
const budget = 3 * time.Minute

func rulings(t *testing.T) *File {
	t.Helper()
	f, err := Load("rulings.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestBuilt judges the servers that Go alone can build, one after the other:
// they share two cores on the machines that run this.
func TestBuilt(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and judges real servers")
	}
	f := rulings(t)
	programs := make(map[string]string)
	for i := range f.Servers {
		s := &f.Servers[i]
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
	f := rulings(t)
	for i := range f.Servers {
		s := &f.Servers[i]
		if s.Go != "" {
			continue
		}
		t.Run(s.Name, func(t *testing.T) { judge(t, s, map[string]string{"{targets}": dir}) })
	}
}

// judge runs the suite against each endpoint of the server and compares the
// verdicts with the rulings.
func judge(t *testing.T, s *Server, values map[string]string) {
	var list []*reports.Report
	for i := range s.Endpoints {
		r := run(t, s, s.Endpoints[i].with(t, values))
		if dir := os.Getenv(saved); dir != "" {
			save(t, r, filepath.Join(dir, s.Name+"-"+string(s.Endpoints[i].Transport)+".json"))
		}
		list = append(list, r)
	}
	if err := s.Judge(list...); err != nil {
		t.Error(err)
	}
}

// run judges one endpoint.
func run(t *testing.T, s *Server, e Endpoint) *reports.Report {
	t.Helper()
	for _, arg := range e.Command {
		if !filepath.IsAbs(arg) {
			continue
		}
		if _, err := os.Stat(arg); err != nil {
			t.Skipf("not installed: %v", err)
		}
	}
	endpoint := target.Endpoint{Command: e.Command, Dir: t.TempDir(), Env: make(map[string]target.Value)}
	for name, value := range e.Env {
		endpoint.Env[name] = target.Plain(value)
	}
	if e.Transport != requirement.Stdio {
		listen(t, e.Command, e.Env, e.URL)
		endpoint = target.Endpoint{URL: e.URL, Forced: e.Transport}
	}
	report, err := suite.Run(t.Context(), suite.Config{
		Target: &target.Target{Name: s.Name, Endpoints: []target.Endpoint{endpoint}},
		Skip:   foreign, Budget: budget,
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range report.Target.Endpoints {
		if x.Unreachable != "" {
			t.Fatalf("%s cannot be reached: %s", x.Address, x.Unreachable)
		}
	}
	if n := report.Summary.Pass; n < 100 {
		t.Errorf("%s: only %d requirements are met: the run judged too little", e.Transport, n)
	}
	return report
}

// with replaces the words in braces.
func (e Endpoint) with(t *testing.T, values map[string]string) Endpoint {
	t.Helper()
	values = maps.Clone(values)
	values["{scratch}"] = t.TempDir()
	if e.Transport != requirement.Stdio {
		values["{port}"] = freePort(t)
	}
	var pairs []string
	for word, value := range values {
		pairs = append(pairs, word, value)
	}
	r := strings.NewReplacer(pairs...)
	out := Endpoint{Transport: e.Transport, URL: r.Replace(e.URL), Env: make(map[string]string)}
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
