package proof

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/mcpcheck/mcpcheck/reference/fault"
	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/mcpcheck/mcpcheck/suite/area"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
)

// effect is what a fault does to the verdicts on a server.
type effect struct {
	fault fault.Fault
	// killed are the combinations in which the fault's own requirement speaks
	// against the server.
	killed []requirement.Combination
	// changes are the combinations by kind of change and by the change itself:
	// "LIST-01 fail".
	changes map[kind]map[string][]requirement.Combination
	// notable are the results behind all this.
	notable []*reports.Result
}

// kind is a kind of change, in the order in which they are listed.
type kind int

const (
	primary kind = iota // the requirement that the fault is about
	red                 // another one that speaks against the server
	blocked             // one that could not be judged because something broke
	lost                // one that had an occasion without the fault
)

func (k kind) String() string { return [...]string{"", "red: ", "blocked: ", "lost: "}[k] }

// effectOf compares what a server with a fault gets with what it gets without.
func effectOf(f fault.Fault, before, after *reports.Report) *effect {
	e := &effect{fault: f, changes: map[kind]map[string][]requirement.Combination{}}
	was := rowsOf(before)
	noticed := observed(f.Requirement, before)
	for c, details := range observed(f.Requirement, after) {
		if details != noticed[c] {
			e.killed = append(e.killed, c)
			e.note(primary, f.Requirement+" observed", c)
		}
	}
	for i := range after.Results {
		x := &after.Results[i]
		c := requirement.Combination{Revision: requirement.Revision(x.Revision),
			Transport: requirement.Transport(x.Transport)}
		switch {
		case x.ID == f.Requirement && x.Verdict.Red():
			e.killed = append(e.killed, c)
			e.note(primary, x.ID+" "+string(x.Verdict), c)
		case x.ID == f.Requirement && slices.Contains(e.killed, c):
			continue
		case x.ID == f.Requirement && x.Verdict != reports.NotApplicable:
			e.note(primary, x.ID+" "+string(x.Verdict), c)
		case x.Verdict.Red():
			e.note(red, x.ID+" "+string(x.Verdict), c)
		case x.Verdict == reports.Blocked:
			e.note(blocked, x.ID+" "+x.ReasonCode, c)
		case x.Verdict == reports.NotApplicable && was[rowName(x)] != nil &&
			was[rowName(x)].Verdict == reports.Pass:
			e.note(lost, x.ID+" "+x.ReasonCode, c)
		default:
			continue
		}
		e.notable = append(e.notable, x)
	}
	return e
}

func (e *effect) note(k kind, change string, c requirement.Combination) {
	if e.changes[k] == nil {
		e.changes[k] = map[string][]requirement.Combination{}
	}
	e.changes[k][change] = append(e.changes[k][change], c)
}

// observed are the details, by combination, of the observations that came up with a
// requirement which is never worth more.
func observed(id string, report *reports.Report) map[requirement.Combination]string {
	found := map[requirement.Combination]string{}
	req, ok := area.Catalogue().Find(id)
	for _, o := range report.Observations {
		c := requirement.Combination{Revision: requirement.Revision(o.Revision),
			Transport: requirement.Transport(o.Transport)}
		if ok && o.Requirement == id && req.GradeIn(c.Revision) == requirement.Info {
			found[c] += o.Detail + "\n"
		}
	}
	return found
}

// lines are the lines of the golden file: name | where | what. Changes of a kind
// that occur in the same combinations share a line.
func (e *effect) lines() []string {
	var lines []string
	for _, k := range []kind{primary, red, blocked, lost} {
		together := map[string][]string{}
		for change, combinations := range e.changes[k] {
			place := where(combinations)
			together[place] = append(together[place], change)
		}
		var some []string
		for place, changes := range together {
			slices.Sort(changes)
			some = append(some, e.fault.Name+" | "+place+" | "+k.String()+strings.Join(changes, ", "))
		}
		slices.Sort(some)
		lines = append(lines, some...)
	}
	return lines
}

// where names a set of combinations in few words.
func where(set []requirement.Combination) string {
	in := func(filter func(c requirement.Combination) bool) bool {
		for _, c := range requirement.Grid() {
			if filter(c) != slices.Contains(set, c) {
				return false
			}
		}
		return true
	}
	switch {
	case in(func(requirement.Combination) bool { return true }):
		return "everywhere"
	case in(func(c requirement.Combination) bool { return !c.Revision.Modern() }):
		return "legacy"
	case in(func(c requirement.Combination) bool { return c.Revision.Modern() }):
		return "modern"
	}
	var parts []string
	for _, t := range requirement.Transports() {
		if part := revisionsOn(t, set); part != "" {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, ", ")
}

// revisionsOn names the combinations of a transport: the transport alone stands for
// all that the specification defines.
func revisionsOn(t requirement.Transport, set []requirement.Combination) string {
	var all, legacy, modern, has []requirement.Revision
	for _, c := range requirement.Grid() {
		if c.Transport != t {
			continue
		}
		all = append(all, c.Revision)
		if c.Revision.Modern() {
			modern = append(modern, c.Revision)
		} else {
			legacy = append(legacy, c.Revision)
		}
		if slices.Contains(set, c) {
			has = append(has, c.Revision)
		}
	}
	switch {
	case len(has) == 0:
		return ""
	case slices.Equal(has, all):
		return string(t)
	case slices.Equal(has, legacy):
		return string(t) + " legacy"
	case slices.Equal(has, modern):
		return string(t) + " modern"
	}
	text := string(t)
	for i := 0; i < len(has); {
		at := slices.Index(all, has[i])
		n := 1
		for i+n < len(has) && has[i+n] == all[at+n] {
			n++
		}
		text += " " + string(has[i])
		switch {
		case at+n == len(all): // a later revision inherits it
			text += ".."
		case n > 1:
			text += ".." + string(has[i+n-1])
		}
		i += n
	}
	return text
}

// unsteady are faults whose effect on other requirements depends on the order in
// which requests happen to be served, with the reason. Of these the goldens show the
// requirement that they are about, and nothing else is compared.
var unsteady = map[string]string{
	"rpc-02-counts-its-responses": "which answer a request gets depends on how many were given before",
	"sec-63-dies-of-garbage":      "what was under way when the server died is lost",
	"rpc-16-null-id": "what waits for an answer without an id is told apart by what else is " +
		"under way",
	"http-37-cached-by-id":    "which of two requests with one id comes first is open",
	"uri-08-dies-of-nul":      "what was under way when the server died is lost",
	"uri-14-dies":             "what was under way when the server died is lost",
	"http-40-progress-on-get": "progress and the end of a read are under way on two streams",
}

// killTable is the golden file of an area. Subtests fill it.
type killTable struct {
	area    string
	mu      sync.Mutex
	effects map[string][]string // lines by fault
}

func (k *killTable) add(name string, lines []string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.effects[name] = lines
}

func (k *killTable) file() string { return filepath.Join("testdata", "kill", k.area+".golden") }

// compare compares the effects of the faults that ran with the golden file, or
// writes them into it. What it says of others stays, unless they are gone.
func (k *killTable) compare(t *testing.T) {
	if len(k.effects) == 0 {
		return // all were deselected
	}
	want, err := readEffects(k.file())
	if err != nil && !*update {
		t.Error(err)
		return
	}
	for name := range want {
		if _, ok := fault.Find(name); !ok {
			if !*update {
				t.Errorf("%s has an effect of %s, which does not exist", k.file(), name)
			}
			delete(want, name)
		}
	}
	if *update {
		for name, lines := range k.effects {
			if _, loose := unsteady[name]; loose {
				lines = slices.DeleteFunc(slices.Clone(lines), func(line string) bool {
					what := line[strings.LastIndex(line, " | ")+len(" | "):]
					return strings.Contains(what, ": ")
				})
			}
			want[name] = lines
		}
		if err := writeEffects(k.file(), want); err != nil {
			t.Error(err)
		}
		return
	}
	for name, lines := range k.effects {
		k.judge(t, name, lines, want[name])
	}
}

// judge holds the effect of a fault against the golden file. What the file does not
// have is an effect that nobody has read: it must not be. What the file has and this
// run had not is none: a fault may be seen in fewer combinations in one run than in
// another, as requests happen to be served in this or that order, and a run may have
// been of a sample. That the requirement turns red that the fault is about is not
// left to this.
func (k *killTable) judge(t *testing.T, name string, lines, want []string) {
	if _, loose := unsteady[name]; loose {
		return
	}
	if len(want) == 0 {
		t.Errorf("%s does not know %s; write it anew with -update and read the difference", k.file(), name)
		return
	}
	known := map[string]bool{}
	for _, line := range want {
		for _, one := range single(line) {
			known[one] = true
		}
	}
	for _, line := range lines {
		for _, one := range single(line) {
			if what := one[strings.LastIndex(one, " | ")+len(" | "):]; strings.HasPrefix(what,
				lost.String()) || strings.HasPrefix(what, blocked.String()) ||
				strings.HasSuffix(what, " pass") {
				continue // it accuses nobody; the file is for reading
			}
			if !known[one] {
				t.Errorf("%s does not have\n\t%s", k.file(), one)
			}
		}
	}
}

// single takes a line apart: a line for each combination and each change.
func single(line string) []string {
	parts := strings.SplitN(line, " | ", 3)
	if len(parts) != 3 {
		return []string{line}
	}
	head := ""
	if _, rest, ok := strings.Cut(parts[2], ": "); ok {
		head, parts[2] = strings.TrimSuffix(parts[2], rest), rest
	}
	var all []string
	for _, c := range places(parts[1]) {
		for what := range strings.SplitSeq(parts[2], ", ") {
			all = append(all, fmt.Sprintf("%s | %s %s | %s%s", parts[0], c.Transport, c.Revision, head, what))
		}
	}
	return all
}

// places is the set of combinations that [where] gave a name.
func places(name string) []requirement.Combination {
	var set []requirement.Combination
	for part := range strings.SplitSeq(name, ", ") {
		for _, c := range requirement.Grid() {
			if within(part, c) {
				set = append(set, c)
			}
		}
	}
	return set
}

// within reports whether a part of a name, such as "http legacy", stands for a
// combination.
func within(part string, c requirement.Combination) bool {
	words := strings.Fields(part)
	if len(words) == 0 {
		return false
	}
	if slices.Contains(requirement.Transports(), requirement.Transport(words[0])) {
		if words[0] != string(c.Transport) {
			return false
		}
		words = words[1:]
	}
	if len(words) == 0 {
		return true
	}
	return slices.ContainsFunc(words, func(w string) bool {
		from, to, span := strings.Cut(w, "..")
		switch {
		case w == "everywhere", w == "legacy" && !c.Revision.Modern(), w == "modern" && c.Revision.Modern():
			return true
		case span:
			return from <= string(c.Revision) && (to == "" || string(c.Revision) <= to)
		}
		return w == string(c.Revision)
	})
}

// TestPlaces: every set of combinations has a name that stands for it.
func TestPlaces(t *testing.T) {
	grid := requirement.Grid()
	for bits := range 1 << len(grid) {
		var set []requirement.Combination
		for i, c := range grid {
			if bits&(1<<i) != 0 {
				set = append(set, c)
			}
		}
		got := places(where(set))
		if len(got) != len(set) || slices.ContainsFunc(set, func(c requirement.Combination) bool {
			return !slices.Contains(got, c)
		}) {
			t.Fatalf("%q stands for %v instead of %v", where(set), got, set)
		}
	}
}

// readEffects reads a golden file: lines by fault.
func readEffects(file string) (map[string][]string, error) {
	all := map[string][]string{}
	data, err := os.ReadFile(file)
	if err != nil {
		return all, err
	}
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSuffix(line, "\n")
		if line == "" {
			continue
		}
		name, _, ok := strings.Cut(line, " | ")
		if !ok {
			return all, fmt.Errorf("%s has the line %q, which names no fault", file, line)
		}
		all[name] = append(all[name], line)
	}
	return all, nil
}

func writeEffects(file string, all map[string][]string) error {
	var names []string
	for name := range all {
		names = append(names, name)
	}
	slices.Sort(names)
	var b strings.Builder
	for i, name := range names {
		if i > 0 {
			b.WriteString("\n")
		}
		for _, line := range all[name] {
			b.WriteString(line + "\n")
		}
	}
	return os.WriteFile(file, []byte(b.String()), 0o644)
}
