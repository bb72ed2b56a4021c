package requirement

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// The catalogue's size is pinned, so that no row is lost or renumbered unseen.
const (
	totalRows = 341
	maxTitle  = 70
)

func TestCatalogueSize(t *testing.T) {
	t.Parallel()
	if n := len(Catalogue()); n != totalRows {
		t.Errorf("%d rows, want %d", n, totalRows)
	}
}

func TestGradeCounts(t *testing.T) {
	t.Parallel()
	got := map[Grade]int{}
	for _, r := range Catalogue() {
		got[r.Grade]++
	}
	want := map[Grade]int{Fail: 221, Warn: 90, Info: 5, Control: 25}
	if !maps.Equal(got, want) {
		t.Errorf("rows per grade %v, want %v", got, want)
	}
}

func TestIDs(t *testing.T) {
	t.Parallel()
	form := regexp.MustCompile(`^[A-Z]{2,5}-[0-9]{2}$`)
	seen := map[string]bool{}
	for _, r := range Catalogue() {
		if !form.MatchString(r.ID) {
			t.Errorf("%s: not an area, a hyphen and two digits", r.ID)
		}
		if seen[r.ID] {
			t.Errorf("%s: occurs twice", r.ID)
		}
		seen[r.ID] = true
		if Profile(r.Area()) == "" {
			t.Errorf("%s: area without a profile", r.ID)
		}
	}
}

func TestCatalogueOrder(t *testing.T) {
	t.Parallel()
	place := map[string]int{}
	for i, a := range Areas() {
		place[a.Name] = i
	}
	inOrder := slices.IsSortedFunc(Catalogue(), func(a, b Requirement) int {
		if d := place[a.Area()] - place[b.Area()]; d != 0 {
			return d
		}
		return strings.Compare(a.ID, b.ID)
	})
	if !inOrder {
		t.Error("rows are not sorted by area and id")
	}
}

func TestRowsStandInTheirArea(t *testing.T) {
	t.Parallel()
	for _, a := range areas {
		if len(a.rows) == 0 {
			t.Errorf("area %s is empty", a.name)
		}
		for _, r := range a.rows {
			if r.Area() != a.name {
				t.Errorf("%s stands in area %s", r.ID, a.name)
			}
		}
	}
}

func TestWords(t *testing.T) {
	t.Parallel()
	titles := map[string]string{}
	for _, r := range Catalogue() {
		if n := utf8.RuneCountInString(r.Title); n == 0 || n > maxTitle {
			t.Errorf("%s: title of %d characters, want 1 to %d", r.ID, n, maxTitle)
		}
		if strings.HasSuffix(r.Title, ".") {
			t.Errorf("%s: title ends in a full stop", r.ID)
		}
		if other, dup := titles[r.Title]; dup {
			t.Errorf("%s: same title as %s", r.ID, other)
		}
		titles[r.Title] = r.ID
		if !strings.HasSuffix(r.Text, ".") {
			t.Errorf("%s: text is not a sentence: %q", r.ID, r.Text)
		}
		if r.Tolerated != "" && !strings.HasSuffix(r.Tolerated, ".") {
			t.Errorf("%s: tolerance is not a sentence: %q", r.ID, r.Tolerated)
		}
		if r.Since == "" {
			t.Errorf("%s: no release", r.ID)
		}
	}
}

func TestKeywords(t *testing.T) {
	t.Parallel()
	levels := []Level{Must, Should, May}
	grades := []Grade{Fail, Warn, Info, Control}
	bases := []Basis{Normative, Schema, SchemaDoc, External, Implied}
	for _, r := range Catalogue() {
		if !slices.Contains(levels, r.Level) || !slices.Contains(grades, r.Grade) || !slices.Contains(bases, r.Basis) {
			t.Errorf("%s: level %q, grade %q, basis %q", r.ID, r.Level, r.Grade, r.Basis)
		}
		for rev := range r.In {
			if !slices.Contains(r.Revisions, rev) {
				t.Errorf("%s: an exception for %s, where it does not apply", r.ID, rev)
			}
		}
	}
}

func TestGradeFitsLevel(t *testing.T) {
	t.Parallel()
	for _, r := range Catalogue() {
		for _, rev := range r.Revisions {
			level, grade := r.LevelIn(rev), r.GradeIn(rev)
			if (level == May) != (grade == Control) {
				t.Errorf("%s in %s: %s with grade %s", r.ID, rev, level, grade)
			}
			if level == Should && grade == Fail {
				t.Errorf("%s in %s: a recommendation fails", r.ID, rev)
			}
		}
	}
}

// contradictions lists the rows that may fail without a keyword or a rule of
// the schema, because a violation contradicts the server's own declaration,
// acknowledgment or data.
var contradictions = []string{
	"CAP-08", "CAP-09", "DISC-03", "HTTP-28", "HTTP-32", "LCH-06", "LIFE-10",
	"LIST-15", "PAGE-02", "PAGE-03", "PAGE-04", "PAGE-08", "PAGE-09", "PAGE-12",
	"READ-13", "SESS-09", "STDIO-03", "STDIO-05", "SUB-01", "SUB-03", "SUB-24",
	"SUB-25", "SUB-27", "SUB-28", "SUB-31", "SUB-37", "SUB-60", "TMPL-11",
}

func TestOnlyFirmGroundFails(t *testing.T) {
	t.Parallel()
	for _, r := range Catalogue() {
		for _, rev := range r.Revisions {
			basis := r.BasisIn(rev)
			firm := basis == Normative || basis == Schema || slices.Contains(contradictions, r.ID)
			if r.GradeIn(rev) == Fail && !firm {
				t.Errorf("%s in %s: fails although its basis is %s", r.ID, rev, basis)
			}
		}
	}
	for _, id := range contradictions {
		if r, ok := Find(id); !ok || r.Grade != Fail {
			t.Errorf("%s: listed as a contradiction, but does not fail", id)
		}
	}
}

func TestScope(t *testing.T) {
	t.Parallel()
	for _, r := range Catalogue() {
		if len(r.Revisions) == 0 || !slices.IsSorted(r.Revisions) || len(slices.Compact(slices.Clone(r.Revisions))) != len(r.Revisions) {
			t.Errorf("%s: revisions %v", r.ID, r.Revisions)
		}
		if len(r.Transports) == 0 {
			t.Errorf("%s: no transports", r.ID)
		}
		offered := map[Transport]bool{}
		for _, rev := range r.Revisions {
			if !rev.Known() {
				t.Errorf("%s: unknown revision %s", r.ID, rev)
			}
			named := false
			for _, tr := range rev.Transports() {
				offered[tr] = true
				named = named || r.Names(Combination{Revision: rev, Transport: tr})
			}
			if !named {
				t.Errorf("%s: applies to no combination of %s", r.ID, rev)
			}
		}
		for _, tr := range r.Transports {
			if !offered[tr] {
				t.Errorf("%s: none of its revisions defines %s", r.ID, tr)
			}
		}
	}
}

func TestSections(t *testing.T) {
	t.Parallel()
	anchor := regexp.MustCompile(`^[A-Za-z0-9_.-]*$`)
	for _, r := range Catalogue() {
		if len(r.Sections) == 0 {
			t.Errorf("%s: no sections", r.ID)
		}
		for _, s := range r.Sections {
			if s.Page == "" || !anchor.MatchString(s.Anchor) {
				t.Errorf("%s: section %q", r.ID, s.Ref())
			}
			if s.From == "" && s.To == "" {
				continue
			}
			if !s.From.Known() || !s.To.Known() || s.From > s.To {
				t.Errorf("%s: %s stands in %q to %q", r.ID, s.Ref(), s.From, s.To)
			}
			if s.Page == "schema" && s.Anchor == "" {
				t.Errorf("%s: the schema without a definition", r.ID)
			}
		}
		for _, rev := range r.Revisions {
			if _, ok := r.SectionIn(rev); !ok {
				t.Errorf("%s: no source in %s", r.ID, rev)
			}
		}
	}
}

// Rows that need a change, another caller or a known subject cannot be judged
// from what a server lists; they say what the target file must add.
func TestNeeds(t *testing.T) {
	t.Parallel()
	for _, r := range Catalogue() {
		if strings.TrimSpace(r.Needs) != r.Needs || strings.HasSuffix(r.Needs, ".") {
			t.Errorf("%s: needs are not a phrase: %q", r.ID, r.Needs)
		}
		if r.Needs != "" && r.Untestable != "" {
			t.Errorf("%s: has needs although no check can exist", r.ID)
		}
	}
	for _, id := range []string{"SUB-03", "LCH-01", "CACHE-12", "MRTR-11", "CANC-05", "SEC-12", "SEC-61"} {
		if r, ok := Find(id); !ok || r.Needs == "" {
			t.Errorf("%s: does not say what it needs", id)
		}
	}
}

func TestFind(t *testing.T) {
	t.Parallel()
	for _, want := range Catalogue() {
		got, ok := Find(want.ID)
		if !ok || got.ID != want.ID || got.Title != want.Title {
			t.Errorf("Find(%q) = %v, %t", want.ID, got, ok)
		}
	}
	for _, id := range []string{"", "PAGE", "PAGE-0", "page-02", "NONE-01"} {
		if got, ok := Find(id); ok {
			t.Errorf("Find(%q) = %s", id, got.ID)
		}
	}
}

func TestCopies(t *testing.T) {
	t.Parallel()
	rows := Catalogue()
	id := rows[0].ID
	rows[0].ID = "changed"
	found, ok := Find(id)
	if !ok || Catalogue()[0].ID != id {
		t.Fatal("a change of the returned slice reached the catalogue")
	}
	found.Title = "changed"
	if again, _ := Find(id); again.Title == "changed" {
		t.Error("a change of the returned row reached the catalogue")
	}
}

func TestAreasAndProfiles(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	used := map[string]bool{}
	for _, a := range Areas() {
		if seen[a.Name] || a.Title == "" {
			t.Errorf("area %+v", a)
		}
		seen[a.Name] = true
		used[Profile(a.Name)] = true
	}
	if len(seen) != 26 {
		t.Errorf("%d areas, want 26", len(seen))
	}
	for _, p := range Profiles() {
		if !used[p] {
			t.Errorf("profile %s has no area", p)
		}
		delete(used, p)
	}
	if len(used) != 0 {
		t.Errorf("areas with unknown profiles: %v", used)
	}
	if p := Profile("NONE"); p != "" {
		t.Errorf("Profile of an unknown area is %q", p)
	}
}
