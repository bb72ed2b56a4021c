package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"unicode/utf8"

	"github.com/mcpcheck/mcpcheck/internal/sample"
	"github.com/mcpcheck/mcpcheck/reference/fault"
	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/mcpcheck/mcpcheck/suite/area"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
)

// TestScenariosAreDescribed: it is said of every scenario what it sends.
func TestScenariosAreDescribed(t *testing.T) {
	for _, s := range area.BuiltIn().Scenarios() {
		if s.Title == "" || s.Sends == "" {
			t.Errorf("the scenario %s does not say what it sends", s.Name)
		}
	}
}

// rendered is an explanation as it is printed.
func rendered(t *testing.T, x *explanation, width int, color bool) string {
	t.Helper()
	var b bytes.Buffer
	if err := x.write(&b, reports.Options{Width: width, Color: color, Verbose: true}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestExplainEveryRow: the text of every row is whole, in every width, and its JSON
// has no null in it.
func TestExplainEveryRow(t *testing.T) {
	for _, r := range area.Catalogue().Requirements() {
		x := explained(&r)
		for _, width := range []int{40, 80, 120} {
			text := rendered(t, x, width, false)
			for _, part := range []string{r.ID + " ", "WHERE IT HOLDS", "HOW IT IS CHECKED"} {
				if !strings.Contains(text, part) {
					t.Errorf("%s: there is no %q", r.ID, part)
				}
			}
			for line := range strings.Lines(text) {
				if n := utf8.RuneCountInString(line) - 1; n > width && !strings.Contains(line, "https://") && !strings.HasPrefix(line, "  fault ") && !strings.HasPrefix(line, "  quirk ") {
					t.Errorf("%s: a line of %d characters, where there is room for %d: %q", r.ID, n, width, line)
				}
				if strings.ContainsAny(line, "\x1b\t\x00") || strings.Contains(line, "%!") {
					t.Errorf("%s: %q", r.ID, line)
				}
			}
			if strings.Contains(text, "..\n") || strings.Contains(text, ": .") {
				t.Errorf("%s: a sentence that ends twice, or is empty:\n%s", r.ID, text)
			}
		}
		if len(x.Revisions) == 0 || len(x.How) == 0 || x.Check && r.Untestable != "" {
			t.Errorf("%+v", x)
		}
		if r.Grade == requirement.Control && !strings.Contains(strings.Join(x.How, " "), "permission") && r.Untestable == "" {
			t.Errorf("%s is a permission, and does not say so: %q", r.ID, x.How)
		}
		for _, in := range x.Revisions {
			if len(in.Sections) == 0 || len(in.Transports) == 0 {
				t.Errorf("%s has no section or transport in %s", r.ID, in.Revision)
			}
		}
		raw, err := json.Marshal(x)
		if err != nil || bytes.Contains(raw, []byte(":null")) {
			t.Errorf("%s: %v %s", r.ID, err, raw)
		}
	}
}

// TestExamples: every check that has a fault which can be seen in this process is
// shown at work: red with the fault, and not red without it.
func TestExamples(t *testing.T) {
	n := 0
	for _, r := range area.Catalogue().Requirements() {
		x := explained(&r)
		if !x.Check || len(x.Faults) == 0 || !slices.ContainsFunc(x.Faults, func(b behaviour) bool { f, _ := fault.Find(b.Name); return showsHere(f) }) {
			continue
		}
		if n++; !sample.InAll() && n%8 != 0 { // all take a minute
			continue
		}
		t.Run(r.ID, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				if err := x.illustrate(t.Context()); err != nil {
					t.Fatal(err)
				}
			})
			shown(t, x)
		})
	}
}

// shown holds examples to what they promise.
func shown(t *testing.T, x *explanation) {
	e := x.Examples
	if e.Red == nil {
		if x.row.Grade == requirement.Info {
			return // observations only
		}
		t.Fatalf("no examples: %s", e.Missing)
	}
	if !e.Red.Verdict.Red() || e.Red.Actual == "" || e.Red.Cause == "" || len(e.Red.Frames) == 0 {
		t.Errorf("red: %+v", e.Red.Result)
	}
	// What is not done cannot be judged: that is no less green.
	if e.Green.Verdict != reports.Pass && e.Green.Verdict != reports.NotApplicable {
		t.Errorf("green: %+v", e.Green.Result)
	}
	if len(e.Green.Frames) == 0 {
		t.Logf("%s: nothing stands in the place of the evidence", x.ID)
	}
	text := rendered(t, x, 80, false)
	for _, secret := range []string{hook.TokenFull, hook.TokenWeak, hook.TokenForeign} {
		if strings.Contains(text, secret) {
			t.Errorf("a token is shown:\n%s", text)
		}
	}
	if n := strings.Count(text, "\n"); n > 300 {
		t.Errorf("%d lines", n)
	}
	if strings.ContainsAny(text, "\x1b\x00\r") {
		t.Error("control characters are shown")
	}
	if os.Getenv("EXPLAIN_SHOW") != "" {
		t.Log("\n" + text)
	}
}

// TestPages holds the pages under docs against the catalogue, up to their examples, which differ
// from run to run. A new requirement has none, and is not in the index, before make docs writes both;
// nor have they a new revision.
func TestPages(t *testing.T) {
	dir := filepath.Join(repository, "docs", "requirements")
	index, err := os.ReadFile(filepath.Join(dir, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	// The first requirement holds in every revision.
	first, err := os.ReadFile(filepath.Join(dir, "RPC-01.md"))
	if err != nil {
		t.Fatal(err)
	}
	unwritten := slices.DeleteFunc(requirement.Revisions(), func(r requirement.Revision) bool {
		return bytes.Contains(first, []byte("\n| "+string(r)+" |"))
	})
	all, known := area.Catalogue().Requirements(), 0
	for i := range all {
		listed := bytes.Contains(index, []byte("("+all[i].ID+".md)"))
		page, err := os.ReadFile(filepath.Join(dir, all[i].ID+".md"))
		if !listed && os.IsNotExist(err) {
			continue
		}
		known++
		want, err := explained(&all[i]).markdown()
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range unwritten {
			want = regexp.MustCompile(`(?m)^\| `+string(r)+` \|.*\n|, `+string(r)).ReplaceAllString(want, "")
		}
		if !listed || !strings.HasPrefix(string(page), strings.TrimSpace(want)) {
			t.Errorf("docs/requirements/%s.md is not what the catalogue says: call make docs", all[i].ID)
		}
	}
	pages, err := os.ReadDir(dir)
	if err != nil || len(pages) != known+1 || known < len(all)*9/10 {
		t.Errorf("%d pages, of %d requirements among %d: remove those that are gone", len(pages)-1, known, len(all))
	}
}

// TestPagesStay: a page is written anew where it says something else, and not because the example is of another run.
func TestPagesStay(t *testing.T) {
	t.Parallel()
	const first = "Answer with -32602.\n    #1 → {\"id\":1007}\n      Mcp-Session-Id: BW7NGG7PQL2NGMV6TU23SL2NZB\n    #2 ← {\"id\":1007,\"code\":-32602} cut…\n"
	for name, c := range map[string]struct {
		text  string
		stays bool
	}{
		"the same":    {first, true},
		"other ids":   {strings.NewReplacer("1007", "10021", "BW7NGG7PQL2NGMV6TU23SL2NZB", "JUVTZ6KAVZOWYBTUXLCYF7JCG6", "#2", "#3", "cut…", "cu…").Replace(first), true},
		"wrapped":     {strings.ReplaceAll(first, " ← ", " ←\n      "), true},
		"other code":  {strings.ReplaceAll(first, "-32602}", "-32600}"), false},
		"other words": {strings.ReplaceAll(first, "Answer", "Reply"), false},
	} {
		path := filepath.Join(t.TempDir(), "page.md")
		for _, text := range []string{first, c.text} {
			if err := writePage(path, text); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(path)
		if err != nil || string(got) != c.text && !c.stays || string(got) != first && c.stays {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}
