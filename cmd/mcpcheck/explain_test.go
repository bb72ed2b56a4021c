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
	"unicode/utf8"

	"github.com/mcpcheck/mcpcheck/internal/terminal"
	"github.com/mcpcheck/mcpcheck/reports/write"
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
func rendered(t *testing.T, x *explanation, width int) string {
	t.Helper()
	page, err := x.page(write.Options{Width: width, Verbose: true})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	printPage(terminal.New(&b, false, width), page)
	return b.String()
}

// TestExplainEveryRow: the text of every row is whole, in every width, and its JSON
// has no null in it.
func TestExplainEveryRow(t *testing.T) {
	for _, r := range area.Catalogue().Requirements() {
		x := explained(&r)
		for _, width := range []int{40, 80, 120} {
			text := rendered(t, x, width)
			for _, part := range []string{r.ID + " ", "WHERE IT HOLDS", "HOW IT IS CHECKED"} {
				if !strings.Contains(text, part) {
					t.Errorf("%s: there is no %q", r.ID, part)
				}
			}
			for line := range strings.Lines(text) {
				if n := utf8.RuneCountInString(line) - 1; n > width && !strings.Contains(line, "https://") {
					t.Errorf("%s: a line of %d characters, where there is room for %d: %q", r.ID, n, width,
						line)
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
		if r.Grade == requirement.Control && !strings.Contains(strings.Join(x.How, " "), "permission") &&
			r.Untestable == "" {
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

// TestPages compares the pages under docs with the catalogue and the recorded examples. A new requirement has
// none, and is not in the index, before make docs writes both; nor have they a new revision.
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
		x := explained(&all[i])
		want, err := "", x.illustrate()
		if err == nil {
			want, err = x.page(write.Options{Width: pageWidth})
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range unwritten {
			want = regexp.MustCompile(`(?m)^\| `+string(r)+` \|.*\n|, `+string(r)).ReplaceAllString(want, "")
		}
		if !listed || string(page) != want {
			t.Errorf("docs/requirements/%s.md is out of date: call make docs", all[i].ID)
		}
	}
	pages, err := os.ReadDir(dir)
	if err != nil || len(pages) != known+2 || known < len(all)*9/10 {
		t.Errorf("%d pages, of %d requirements among %d: remove those that are gone", len(pages)-2, known,
			len(all))
	}
	want, err := filled("observations", byArea(observations()), write.Options{})
	if page, _ := os.ReadFile(filepath.Join(dir, "observations.md")); err != nil || string(page) != want {
		t.Errorf("docs/requirements/observations.md is out of date: call make docs (%v)", err)
	}
}
