package field

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/mcpcheck/mcpcheck/reference"
	"github.com/mcpcheck/mcpcheck/reference/control"
	"github.com/mcpcheck/mcpcheck/reference/fault"
	"github.com/mcpcheck/mcpcheck/suite/area"
	"github.com/mcpcheck/mcpcheck/suite/clientcheck"
)

// bug is an entry of bugs.yaml, which says what the members mean.
type bug struct {
	Source []string `yaml:"source"`
	Side   string   `yaml:"side"`
	Wrong  string   `yaml:"wrong"`
	Check  []string `yaml:"check"`
	Fault  []string `yaml:"fault"`
	Mock   []string `yaml:"mock"`
	Rule   []string `yaml:"rule"`
	Reason string   `yaml:"reason"`
}

func (b bug) server() bool { return b.Side == "server" || b.Side == "both" }
func (b bug) client() bool { return b.Side == "client" || b.Side == "both" }

// checked and exposed say whether the halves of an entry are complete without a reason.
func (b bug) checked() bool { return len(b.Check) > 0 && len(b.Fault) > 0 }
func (b bug) exposed() bool { return len(b.Mock)+len(b.Rule) > 0 }

var source = regexp.MustCompile(`^([\w.-]+/[\w.-]+#\d+|CVE-\d{4}-\d+|GHSA(-[0-9a-z]{4}){3}|GO-\d{4}-\d+)$`)

func bugs(t *testing.T) []bug {
	data, err := os.ReadFile("bugs.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var all []bug
	if err := yaml.NewDecoder(bytes.NewReader(data), yaml.Strict()).Decode(&all); err != nil {
		t.Fatal(err)
	}
	return all
}

// TestBugs: every entry has what its side needs, and what it names exists.
func TestBugs(t *testing.T) {
	all := bugs(t)
	count := map[string]int{}
	seen := map[string]bool{}
	for _, b := range all {
		t.Run(b.Source[0], func(t *testing.T) {
			b.complete(t)
			b.known(t)
			if key := b.Source[0] + b.Side + b.Wrong; seen[key] {
				t.Error("it is listed twice")
			} else {
				seen[key] = true
			}
		})
		for what, is := range map[string]bool{
			"server": b.server(), "server, with check and fault": b.server() && b.checked(),
			"server, with a reason": b.server() && !b.checked(),
			"client":                b.client(), "client, with mock": b.client() && len(b.Mock) > 0,
			"client, with rule":          b.client() && len(b.Rule) > 0,
			"client, with mock and rule": b.client() && len(b.Mock) > 0 && len(b.Rule) > 0,
			"client, with a reason":      b.client() && !b.exposed(), "both": b.Side == "both",
		} {
			if is {
				count[what]++
			}
		}
	}
	t.Logf("%d bugs", len(all))
	for _, what := range slices.Sorted(maps.Keys(count)) {
		t.Logf("%4d %s", count[what], what)
	}
	page, err := os.ReadFile("../../docs/proof.md")
	if err != nil {
		t.Fatal(err)
	}
	told := fmt.Sprintf("lists %d bugs that released servers, clients and frameworks had. Of the %d on "+
		"the server side %d are re-enacted by faults and found. For the other %d it",
		len(all), count["server"], count["server, with check and fault"], count["server, with a reason"])
	if !strings.Contains(strings.Join(strings.Fields(string(page)), " "), told) {
		t.Errorf("docs/proof.md does not say that it %s says why not", told)
	}
}

// complete: the members fit the side.
func (b bug) complete(t *testing.T) {
	for _, s := range b.Source {
		if !source.MatchString(s) {
			t.Errorf("%q is no source", s)
		}
	}
	switch {
	case !b.server() && !b.client():
		t.Errorf("the side is %q", b.Side)
	case b.Wrong == "" || !strings.HasSuffix(b.Wrong, "."):
		t.Errorf("what went wrong is no sentence: %q", b.Wrong)
	case !b.server() && len(b.Check)+len(b.Fault) > 0, !b.client() && b.exposed():
		t.Errorf("it has members of the other side than %s", b.Side)
	case (len(b.Check) > 0) != (len(b.Fault) > 0):
		t.Error("a check needs a fault that shows it, and a fault a check")
	case (b.server() && !b.checked() || b.client() && !b.exposed()) != (b.Reason != ""):
		t.Error("a reason belongs where a half is missing, and nowhere else")
	}
}

// known: requirements, faults and rules exist, and mockserver takes the arguments.
func (b bug) known(t *testing.T) {
	for _, id := range b.Check {
		if _, ok := area.Catalogue().Find(id); !ok {
			t.Errorf("there is no requirement %s", id)
		}
	}
	for _, id := range b.Rule {
		if _, ok := clientcheck.Catalogue().Find(id); !ok {
			t.Errorf("there is no rule %s for clients", id)
		}
	}
	for _, m := range b.Mock {
		if err := takes(m); err != nil {
			t.Errorf("mock %s: %v", m, err)
		}
	}
	reds := map[string]bool{}
	for _, name := range b.Fault {
		f, ok := fault.Find(name)
		if !ok {
			t.Errorf("there is no fault %s", name)
			continue
		}
		own := effects(t, f)
		if !slices.ContainsFunc(b.Check, func(id string) bool { return own[id] }) {
			t.Errorf("%s turns none of %v red", name, b.Check)
		}
		maps.Copy(reds, own)
	}
	for _, id := range b.Check {
		if !reds[id] {
			t.Errorf("none of %v turns %s red", b.Fault, id)
		}
	}
}

// takes reports why mockserver would not take an argument of it. Behind the name of a
// world there may be a resource or a template of it.
func takes(argument string) error {
	flag, value, _ := strings.Cut(argument, " ")
	var err error
	switch flag {
	case "--fault":
		_, err = control.ParseFault(value)
	case "--quirk":
		_, err = control.ParseQuirk(value)
	case "--fail":
		_, err = control.ParseFailure(value)
	case "--latency":
		_, err = control.ParseLatency(value)
	case "--page-size":
		_, err = strconv.Atoi(value)
	case "--world":
		name, member, _ := strings.Cut(value, " ")
		return serves(name, member)
	default:
		err = fmt.Errorf("%q is no argument", flag)
	}
	return err
}

func serves(name, member string) error {
	w, err := reference.NamedWorld(name)
	if err != nil || member == "" {
		return err
	}
	for _, r := range w.Resources {
		if r.URI == member {
			return nil
		}
	}
	for _, t := range w.Templates {
		if t.URITemplate == member {
			return nil
		}
	}
	return fmt.Errorf("the world %s has no %s", name, member)
}

var verdict = regexp.MustCompile(`\b([A-Z]+-\d+) (?:fail|warn|observed)\b`)

// effects are the requirements that a fault turns red: its own, and those that its
// effect names, see the kill table.
func effects(t *testing.T, f fault.Fault) map[string]bool {
	reds := map[string]bool{f.Requirement: true}
	area, _, _ := strings.Cut(f.Requirement, "-")
	data, err := os.ReadFile(filepath.Join("..", "testdata", "kill", area+".golden"))
	if err != nil {
		t.Error(err)
		return reds
	}
	for line := range strings.Lines(string(data)) {
		if name, rest, _ := strings.Cut(line, " | "); name == f.Name {
			for _, m := range verdict.FindAllStringSubmatch(rest, -1) {
				reds[m[1]] = true
			}
		}
	}
	return reds
}
