package nearest

import (
	"slices"
	"strings"
	"testing"
)

func TestNames(t *testing.T) {
	t.Parallel()
	known := []string{"PAGE", "READ", "SUB", "page-02-last-page-cycles", "page-02-cursor-cycles",
		"list-changes", "rpc-09-hangs-up"}
	for _, c := range []struct {
		word string
		want []string
	}{
		{"PAGEE", []string{"PAGE"}},
		{"raed", []string{"READ"}}, {"rxxd", nil},
		{"page-02-last-page-cycle", []string{"page-02-last-page-cycles"}},
		{"cursor", []string{"page-02-cursor-cycles"}},
		{"hang", []string{"rpc-09-hangs-up"}}, {"hangs-up", []string{"rpc-09-hangs-up"}},
		{"page-2", []string{"page-02-last-page-cycles", "page-02-cursor-cycles", "PAGE"}},
		{"rpc-9", []string{"rpc-09-hangs-up"}},
		{"pge-02", []string{"page-02-last-page-cycles", "page-02-cursor-cycles"}},
		{"page-3", []string{"PAGE"}}, {"lst", []string{"list-changes"}}, {"lisst", []string{"list-changes"}},
		{"page-2-made-up", []string{"page-02-last-page-cycles", "page-02-cursor-cycles"}}, {"--made-up", nil},
		{"last", []string{"page-02-last-page-cycles"}},
		{"page", []string{"PAGE", "page-02-last-page-cycles", "page-02-cursor-cycles"}},
		{"", nil}, {"zzz", nil}, {strings.Repeat("PAGE", 100), nil},
	} {
		if got := Names(c.word, known); !slices.Equal(got, c.want) {
			t.Errorf("Names(%q) = %q, want %q", c.word, got, c.want)
		}
	}
	if got := Question("PAGEE", known); got != ": did you mean PAGE?" {
		t.Errorf("got %q", got)
	}
	if got := Question("zzz", known); got != "" {
		t.Errorf("got %q", got)
	}
}

func TestEdits(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"a", "", 1}, {"", "ab", 2}, {"kitten", "sitting", 3}, {"raed", "read", 1},
		{"PAGE", "PAGE", 0}} {
		if got := Edits(c.a, c.b); got != c.want {
			t.Errorf("Edits(%q, %q) = %d, want %d", c.a, c.b, got, c.want)
		}
	}
}
