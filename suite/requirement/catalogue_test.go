package requirement_test

import (
	"strings"
	"testing"

	"github.com/mcpcheck/mcpcheck/suite/area"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
)

func TestFind(t *testing.T) {
	t.Parallel()
	c := area.Catalogue()
	for _, want := range c.Requirements() {
		got, ok := c.Find(want.ID)
		if !ok || got.ID != want.ID || got.Title != want.Title {
			t.Errorf("Find(%q) = %v, %t", want.ID, got, ok)
		}
	}
	for _, id := range []string{"", "PAGE", "PAGE-0", "page-02", "NONE-01"} {
		if got, ok := c.Find(id); ok {
			t.Errorf("Find(%q) = %s", id, got.ID)
		}
	}
	if p := c.Profile("NONE-01"); p != "" {
		t.Errorf("Profile of an unknown requirement is %q", p)
	}
}

func TestCopies(t *testing.T) {
	t.Parallel()
	c := area.Catalogue()
	rows := c.Requirements()
	id := rows[0].ID
	rows[0].ID = "changed"
	found, ok := c.Find(id)
	if !ok || c.Requirements()[0].ID != id {
		t.Fatal("a change of the returned slice reached the catalogue")
	}
	found.Title = "changed"
	if again, _ := c.Find(id); again.Title == "changed" {
		t.Error("a change of the returned row reached the catalogue")
	}
	c.Areas()[0].Name = "changed"
	if c.Areas()[0].Name == "changed" {
		t.Error("a change of the returned areas reached the catalogue")
	}
}

// TestPairs: rows are under others that there are, once each, and never under themselves.
func TestPairs(t *testing.T) {
	t.Parallel()
	row := func(id string, under ...string) requirement.Requirement {
		return requirement.Requirement{ID: id, Under: under}
	}
	for want, rows := range map[string][]requirement.Requirement{
		"": {row("A-01"), row("A-02", "A-03", "A-01"),
			row("A-03", "A-01")},
		"A-01 is under A-09, which is no":        {row("A-01", "A-09")},
		"A-01 is under itself: A-01, A-01":       {row("A-01", "A-01")},
		"A-01 is under itself: A-01, A-02, A-01": {row("A-01", "A-02"), row("A-02", "A-01")},
		"A-02 is under A-01 twice":               {row("A-01"), row("A-02", "A-01", "A-01")},
	} {
		_, err := requirement.NewCatalogue(requirement.Area{Name: "A", Rows: rows})
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%v, not %q", err, want)
		}
	}
}

func TestNewRefusesTheSameAreaTwice(t *testing.T) {
	t.Parallel()
	a := requirement.Area{Name: "DEMO", Rows: []requirement.Requirement{{ID: "DEMO-01"}}}
	if _, err := requirement.NewCatalogue(a, a); err == nil || !strings.Contains(err.Error(), "DEMO") {
		t.Errorf("got %v", err)
	}
}
