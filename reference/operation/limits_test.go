package operation

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/mcpcheck/mcpcheck/reference/hook"
)

func TestMatchURI(t *testing.T) {
	for _, test := range []struct {
		pattern, uri string
		want         bool
	}{
		{"", "", true},
		{"", "a:b", true},
		{"a:b", "", false},
		{"file:///a", "file:///a", true},
		{"file:///a", "file:///a/b", false},
		{"file:///*", "file:///a", true},
		{"file:///*", "file:///a/b", false},
		{"file:///**", "file:///a/b", true},
		{"**.txt", "file:///a/b.txt", true},
		{"*a*", "bab", true},
		{"a?c", "abc", false},
		{"a?c", "a?c", true},
		{"note:{id}", "note:7", true},
		{"note:{id}", "note:7/8", false},
		{"file:///{+path}", "file:///a/b", true},
		{"note:{id}", "memo:7", false},
	} {
		m, err := Limits{URI: test.pattern}.Matcher()
		if err != nil {
			t.Fatal(err)
		}
		if got := m.Match(&hook.Trace{URI: test.uri}); got != test.want {
			t.Errorf("%q on %q: %t", test.pattern, test.uri, got)
		}
	}
	// What looks like a trap for backtracking takes no time.
	begin := time.Now()
	if glob(strings.Repeat("**a", 200)+"b").MatchString(strings.Repeat("a", 2000)) ||
		time.Since(begin) > 5*time.Second {
		t.Errorf("matched, or took %s", time.Since(begin))
	}
}

// TestGlob: a pattern made from a text by putting stars into it matches the text.
func TestGlob(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.StringMatching(`[a-c/]{0,12}`).Draw(t, "text")
		from := rapid.IntRange(0, len(s)).Draw(t, "from")
		to := rapid.IntRange(from, len(s)).Draw(t, "to")
		if !glob(s[:from] + "**" + s[to:]).MatchString(s) {
			t.Fatalf("** does not stand for %q", s[from:to])
		}
		if glob(s[:from]+"*"+s[to:]).MatchString(s) != !strings.Contains(s[from:to], "/") &&
			!strings.Contains(s[:from]+s[to:], "/") {
			t.Fatalf("* and %q", s[from:to])
		}
	})
}
