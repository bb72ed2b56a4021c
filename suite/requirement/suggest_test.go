package requirement_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/mcpcheck/mcpcheck/suite/area"
)

func TestSuggest(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ id, want string }{
		{"PAGE-2", "PAGE-02"},
		{"page-02", "PAGE-02"},
		{" PAGE-02 ", "PAGE-02"},
		{"PAGE02", "PAGE-02"},
		{"PGAE-02", "PAGE-02"},
		{"PAGES-02", "PAGE-02"},
		{"SUBS-01", "SUB-01"},
		{"err", "ERR-01"},
		{"subs", "SUB"},
	} {
		got := area.Catalogue().Suggest(c.id)
		if len(got) == 0 || got[0] != c.want {
			t.Errorf("Suggest(%q) = %v, want %s first", c.id, got, c.want)
		}
		if len(got) > 3 {
			t.Errorf("Suggest(%q): %d ids", c.id, len(got))
		}
	}
	for _, id := range []string{"", "   ", "nonsense", "\x00\xff", strings.Repeat("PAGE-02", 1000)} {
		if got := area.Catalogue().Suggest(id); len(got) != 0 {
			t.Errorf("Suggest(%q) = %v, want none", id, got)
		}
	}
}

func TestSuggestNamesTheAreaOfAnUnknownNumber(t *testing.T) {
	t.Parallel()
	got := area.Catalogue().Suggest("CACHE-99")
	if len(got) == 0 || slices.ContainsFunc(got, func(id string) bool {
		return !strings.HasPrefix(id, "CACHE-")
	}) {
		t.Errorf("Suggest = %v, want rows of CACHE", got)
	}
}

func TestExpand(t *testing.T) {
	t.Parallel()
	got := area.Catalogue().Expand([]string{" page-02", "Uri", "nonsense", ""})
	if len(got) < 10 || got[0] != "PAGE-02" || got[1] != "URI-01" ||
		!slices.Equal(got[len(got)-2:], []string{"nonsense", ""}) ||
		slices.ContainsFunc(got[1:len(got)-2], func(id string) bool {
			return !strings.HasPrefix(id, "URI-")
		}) {
		t.Errorf("got %q", got)
	}
}
