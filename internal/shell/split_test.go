package shell_test

import (
	"slices"
	"testing"

	"github.com/mcpcheck/mcpcheck/internal/shell"
	"pgregory.net/rapid"
)

func TestSplit(t *testing.T) {
	for line, want := range map[string][]string{
		"":                         nil,
		" \t ":                     nil,
		"node server.js":           {"node", "server.js"},
		`a 'b c'"d e"\ f`:          {"a", "b cd e f"},
		`x "" ''`:                  {"x", "", ""},
		`"a\"b\\c\d$e" '\n' C:\\x`: {`a"b\c\d$e`, `\n`, `C:\x`},
	} {
		got, err := shell.Split(line)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q, %v", line, got, err)
		}
	}
	for _, line := range []string{`a 'b`, `a "b`, `a \`, `"\"`} {
		if got, err := shell.Split(line); err == nil {
			t.Errorf("%s: %q", line, got)
		}
	}
}

// TestSplitReadsJoin: what is written for a shell is read back.
func TestSplitReadsJoin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		args := rapid.SliceOf(rapid.String()).Draw(t, "args")
		if got, err := shell.Split(shell.Join(args)); err != nil || !slices.Equal(got, args) {
			t.Fatalf("%q, %v", got, err)
		}
	})
}
