package shell_test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/mcpcheck/mcpcheck/internal/shell"
)

// TestJoin has a shell read back what was written.
func TestJoin(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("there is no shell to read it back")
	}
	args := []string{"plain", "a=b", "", "two words", "it's", `"quoted"`, "$HOME", "`id`", "*", "~", "#",
		"!x", "a\nb", `back\slash`, "é", "<&|;>", "{a,b}", "{port}", "a={x}:{y}", "{x},{y}", "{{a}}",
		"{a{b},c}", "${port}", "{a..c}", "{}", "-x=/y:z@%"}
	out, err := exec.Command(sh, "-c", `printf '%s\0' `+shell.Join(args)).Output()
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00"); !slices.Equal(got, args) {
		t.Errorf("the shell reads\n%q\nof\n%q", got, args)
	}
	for _, plain := range []string{"--only=PAGE-02,ERR", "{port}", "http://127.0.0.1:{port}/mcp"} {
		if s := shell.Quote(plain); s != plain {
			t.Errorf("quoted without need: %s", s)
		}
	}
}

// TestPrintable has a shell that knows $' read back one line of visible characters.
func TestPrintable(t *testing.T) {
	args := []string{"plain", "", "two words", "it's", "a\nb", "it's\ta \\ tab", "\x1b[31m\r", "5\x017",
		"\u202eé\n", "\xff", "[a](b)", "[a](b)\n", `\n`, "$HOME\n`id`\"!x"}
	line := shell.JoinPrintable(args)
	for _, r := range line {
		if !unicode.IsPrint(r) {
			t.Errorf("%q is in %s", r, line)
		}
	}
	if strings.Contains(line, "](") {
		t.Errorf("there is a link in %s", line)
	}
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("there is no shell to read it back")
	}
	out, err := exec.Command(bash, "-c", `printf '%s\0' `+line).Output()
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00"); !slices.Equal(got, args) {
		t.Errorf("the shell reads\n%q\nof\n%q", got, args)
	}
}
