package shell

import (
	"slices"
	"testing"
)

// FuzzSplit: the words of a line, joined again, are the same words.
func FuzzSplit(f *testing.F) {
	for _, line := range []string{`a 'b c' "d \" $e" f\ g`, `''`, `"`, `\`, "a\tb\nc", `a'b'"c"`, "\x00 \xff",
		"a#b ~ *"} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		words, err := Split(line)
		if err != nil {
			return
		}
		if again, err := Split(Join(words)); err != nil || !slices.Equal(again, words) {
			t.Errorf("%q is %q, joined %q, and then %q, %v", line, words, Join(words), again, err)
		}
	})
}
