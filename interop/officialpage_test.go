package interop

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/mcpcheck/mcpcheck/reference/fault"
	"github.com/mcpcheck/mcpcheck/suite/area"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
)

// comparison is what two suites say of a subject, in all revisions.
type comparison struct {
	red               []string // checks of the official suite
	both, ours, blind []string // ids; blind are those of ours that the official suite looked at
	theirs            []string // numbers of rulings
}

// promptless fails with every fault: the mock has no prompt to complete.
const promptless = "completion-complete:completion-complete"

// counterparts lists the requirements that correspond to a failure of the official suite. What its schemas
// refuse fails wherever it is sent.
func counterparts(entry string) []string {
	c := requirement.Official()
	scenario, check, _ := strings.Cut(entry, ":")
	if check != "wire-schema-valid" {
		return c.Scenarios[scenario][check]
	}
	var ids []string
	for _, checks := range c.Scenarios {
		ids = append(ids, checks[check]...)
	}
	return ids
}

// compare sorts what the suites say. A failure of the official suite alone needs a ruling.
func (o *officialSubjects) compare(t *testing.T, name string, seen map[requirement.Revision]verdicts,
	used map[string]bool) comparison {
	t.Helper()
	if len(seen) == 0 {
		t.Errorf("%s has nothing on %s", officialSeen, name)
	}
	var c comparison
	for _, rev := range slices.Sorted(maps.Keys(seen)) {
		v := seen[rev]
		agreed := map[string]bool{}
		for _, entry := range slices.Concat(v.Failed, v.Warned) {
			if entry == promptless && o.Servers[name] == nil {
				continue
			}
			_, check, _ := strings.Cut(entry, ":")
			if check = "`" + check + "`"; slices.Contains(v.Warned, entry) {
				check += " warns"
			}
			c.red = append(c.red, check)
			same := slices.DeleteFunc(slices.Clone(v.Mcpcheck), func(id string) bool {
				return !slices.Contains(counterparts(entry), id)
			})
			for _, id := range same {
				agreed[id] = true
			}
			if len(same) == 0 {
				c.theirs = append(c.theirs, o.ruled(t, name, entry, used))
			}
		}
		for _, id := range v.Mcpcheck {
			switch {
			case agreed[id]:
				c.both = append(c.both, id)
			case rev.Since(requirement.R20251125) && looked(id, rev):
				c.blind = append(c.blind, id)
			default:
				c.ours = append(c.ours, id)
			}
		}
	}
	for _, list := range []*[]string{&c.red, &c.both, &c.ours, &c.blind, &c.theirs} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
	c.ours = slices.DeleteFunc(c.ours, func(id string) bool { return slices.Contains(c.both, id) })
	return c
}

// looked reports whether the official suite has a check for a requirement in a revision.
func looked(id string, rev requirement.Revision) bool {
	modern := []string{"caching", "http-header-validation", "sep-2164-resource-not-found", "server-stateless"}
	legacy := []string{"ping", "resources-subscribe", "resources-unsubscribe", "server-initialize",
		"server-session-lifecycle"}
	return slices.ContainsFunc(requirement.Official().Checks(id), func(c requirement.OfficialCheck) bool {
		if rev.Modern() {
			return !slices.Contains(legacy, c.Scenario)
		}
		return !slices.Contains(modern, c.Scenario)
	})
}

// ruled finds the ruling on a failure, and returns its number.
func (o *officialSubjects) ruled(t *testing.T, name, entry string, used map[string]bool) string {
	t.Helper()
	_, check, _ := strings.Cut(entry, ":")
	for i, r := range o.Rulings {
		if slices.Contains(r.Checks, check) && (len(r.Servers) == 0 || slices.Contains(r.Servers, name)) {
			used[fmt.Sprint(i, check)] = true
			return fmt.Sprint(i + 1)
		}
	}
	t.Errorf("%s: there is no ruling on %s, which mcpcheck does not find", name, entry)
	return "?"
}

// TestOfficialPage: the page about the official suite has what testdata/official.json and the rulings say.
func TestOfficialPage(t *testing.T) {
	const page = "../docs/official-suite.md"
	o, seen := loadOfficial(t)
	used, blind := map[string]bool{}, map[string][]string{} // subjects, by what is not seen of them
	row := func(cells ...string) string { return "| " + strings.Join(cells, " | ") + " |\n" }
	links := func(ids []string) string {
		text := make([]string, len(ids))
		for i, id := range ids {
			text[i] = fmt.Sprintf("[%s](requirements/%s.md)", id, id)
		}
		return strings.Join(text, " ")
	}
	cells := func(name string) string {
		c := o.compare(t, name, seen[name], used)
		for _, id := range c.blind {
			blind[id] = append(blind[id], "`"+name+"`")
		}
		return row("`"+name+"`", strings.Join(c.red, ", "), links(c.both), strings.Join(c.theirs, ", "),
			links(c.blind), links(c.ours))
	}
	var b strings.Builder
	for _, head := range []string{"server", "fault"} {
		b.WriteString(row(head, "red there", "both", "ruling", "passes there", "no scenario there"))
		b.WriteString("|---|---|---|---|---|---|\n")
		if head == "server" {
			for _, name := range slices.Sorted(maps.Keys(o.Servers)) {
				b.WriteString(cells(name))
			}
			b.WriteString("\n")
		}
	}
	for _, name := range o.Faults {
		b.WriteString(cells(name))
		if i := slices.IndexFunc(fault.All(), func(f fault.Fault) bool { return f.Name == name }); i < 0 {
			t.Errorf("there is no fault %s", name)
		} else if id := fault.All()[i].Requirement; !slices.Contains(o.compare(t, name, seen[name],
			used).both, id) && !slices.Contains(blind[id], "`"+name+"`") {
			blind[id] = append(blind[id], "`"+name+"`")
		}
	}
	b.WriteString("\n## Where it alone is red\n\n")
	for i, r := range o.Rulings {
		fmt.Fprintf(&b, "%d. `%s`: %s (`%s`)\n", i+1, strings.Join(r.Checks, "`, `"), r.Ruling, r.Section)
		for _, check := range r.Checks {
			if !used[fmt.Sprint(i, check)] || !sentence(r.Ruling) || r.Section == "" {
				t.Errorf("the ruling %d on %s is not needed any more, or not complete", i+1, check)
			}
		}
	}
	b.WriteString("\n## What it does not see\n\n")
	for _, id := range slices.Sorted(maps.Keys(o.Blind)) {
		r, ok := area.Catalogue().Find(id)
		if !ok || len(blind[id]) == 0 || !sentence(o.Blind[id]) {
			t.Errorf("%s: there is no such requirement, or it is seen, or the reason is no sentence", id)
			continue
		}
		s, _ := r.SectionIn(r.Revisions[len(r.Revisions)-1])
		fmt.Fprintf(&b, "* %s (`%s`): %s Shown by %s.\n", links([]string{id}), s.Ref(), o.Blind[id],
			strings.Join(blind[id], ", "))
		delete(blind, id)
	}
	for id := range blind {
		t.Errorf("nothing says why the official suite does not see %s", id)
	}
	const begin, end = "<!-- begin: TestOfficialPage writes this -->\n", "<!-- end -->"
	is, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := bytes.Cut(is, []byte(begin))
	_, after, ended := bytes.Cut(rest, []byte(end))
	want := string(before) + begin + b.String() + end + string(after)
	switch {
	case !ok || !ended:
		t.Errorf("%s lacks the lines between which the tables stand", page)
	case string(is) != want && !*update:
		t.Errorf("%s is out of date: call make docs", page)
	case string(is) != want && !t.Failed():
		if err := os.WriteFile(page, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
