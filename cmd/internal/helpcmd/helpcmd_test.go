package helpcmd

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mcpcheck/mcpcheck/internal/terminal"
)

// TestFlagErrorOfSwitch: a switch with a value that is none is refused in words of ours.
func TestFlagErrorOfSwitch(t *testing.T) {
	flags := pflag.NewFlagSet("run", pflag.ContinueOnError)
	flags.Bool("strict", false, "")
	err := FlagError(flags.Parse([]string{"--strict=yes"}))
	if want := `--strict "yes" is neither true nor false: the flag alone means true`; err == nil ||
		err.Error() != want {
		t.Errorf("%v, not %s", err, want)
	}
}

// errBad marks what a tree of commands refuses.
var errBad = errors.New("bad")

// executed is what a small tree of commands says to arguments, at a width.
func executed(width int, args ...string) (string, error) {
	var out bytes.Buffer
	root := &cobra.Command{Use: "tool", SilenceErrors: true, SilenceUsage: true}
	run := &cobra.Command{
		Use: "run", Short: "Run " + strings.Repeat("a word ", 20),
		RunE: func(*cobra.Command, []string) error { return nil },
		Long: "Lines of a paragraph\nare joined.\n\n  a table    that stays\n  as it is",
	}
	run.Flags().String("file", "", "write to this `PATH`, "+strings.Repeat("and so on ", 20))
	root.AddCommand(run)
	Finish(root, args, width, func(format string, args ...any) error {
		return fmt.Errorf("%w: %s", errBad, fmt.Sprintf(format, args...))
	})
	root.SetArgs(args)
	root.SetOut(&out)
	root.SetErr(&out)
	err := root.Execute()
	return out.String(), err
}

func TestHelpIsWrapped(t *testing.T) {
	for _, width := range []int{0, 60} {
		bound := max(width, 60)
		if width == 0 {
			bound = plainWidth
		}
		for _, args := range [][]string{{"--help"}, {"run", "--help"}, {"help", "run"}} {
			out, err := executed(width, args...)
			longest := 0
			for line := range strings.SplitSeq(out, "\n") {
				if !strings.HasPrefix(line, "Use ") { // of cobra, and short enough for most
					longest = max(longest, terminal.Cells(line))
				}
			}
			if err != nil || longest > bound || longest < bound-20 {
				t.Errorf("%v at %d: %v, a line of %d\n%s", args, width, err, longest, out)
			}
		}
	}
	out, _ := executed(60, "run", "--help")
	if !strings.HasPrefix(out, "Lines of a paragraph are joined.\n\n  a table    that stays\n  as it is\n") {
		t.Error(out)
	}
}

// TestCompletionIsPlain: descriptions are those of help, without its marks and on one line.
func TestCompletionIsPlain(t *testing.T) {
	for args, want := range map[string]string{"run --f": "--file\twrite to this PATH, and",
		"ru": "run\tRun a word "} {
		out, err := executed(60, append([]string{"__complete"}, strings.Fields(args)...)...)
		if line, _, _ := strings.Cut(out, "\n"); err != nil || !strings.HasPrefix(line, want) ||
			len(line) < 100 || strings.Contains(out, "`") {
			t.Errorf("%s: %v, %q", args, err, out)
		}
	}
}

func TestWhatIsNoCommandIsRefused(t *testing.T) {
	for args, want := range map[string]string{
		"help rum":   `there is no command "rum": did you mean run?`,
		"help xyzzy": `there is no command "xyzzy"; "tool --help" shows what there is`,
		"completion csh": `there is no completion for "csh": the shells are bash, fish, powershell ` +
			`and zsh`,
		"completion bash x": `tool completion bash takes no argument such as "x"`,
	} {
		out, err := executed(0, strings.Fields(args)...)
		if !errors.Is(err, errBad) || err.Error() != "bad: "+want || out != "" {
			t.Errorf("%s: %v, %q", args, err, out)
		}
	}
	if out, err := executed(0, "completion"); err != nil || !strings.Contains(out, "powershell") {
		t.Errorf("%v, %q", err, out)
	}
}
