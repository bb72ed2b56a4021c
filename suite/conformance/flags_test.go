package conformance

import (
	"flag"
	"strings"
	"testing"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/target"
)

// arguments are flags as a test binary parses them.
func arguments(t *testing.T, given ...string) *Arguments {
	t.Helper()
	f := flag.NewFlagSet("test", flag.ContinueOnError)
	f.Bool("test.v", false, "of package testing")
	a := Flags(f)
	if err := f.Parse(given); err != nil {
		t.Fatal(err)
	}
	return a
}

// TestArguments: the flags are those of "mcpcheck run", its bounds among them, and those that
// were given are written again without what may be secret.
func TestArguments(t *testing.T) {
	a := arguments(t, "-test.v", "--pages", "3", "--message-bytes=512KiB", "--connection-bytes", "4096",
		"--run-bytes=1MiB", "--allow-risky", "--strict",
		"--jobs=2", "--timeout=3s", "--revision", "2025-06-18,2025-11-25", "--env", "A=secret", "--json",
		"r.json", "--", "server", "--stdio")
	c, err := a.Config()
	if err != nil {
		t.Fatal(err)
	}
	if c.Pages != 3 || c.MessageBytes != 512<<10 || c.ConnectionBytes != 4096 || c.RunBytes != 1<<20 ||
		!c.Strict || c.Jobs != 2 || c.Timeout != 3*time.Second ||
		len(c.Revisions) != 2 || c.Revisions[1] != requirement.R20251125 || c.Files.JSON != "r.json" {
		t.Errorf("got %+v", c)
	}
	if e := c.Target.Endpoints; len(e) != 1 || strings.Join(e[0].Command, " ") != "server --stdio" ||
		len(c.Target.Allow) != 1 || c.Target.Allow[0] != target.AllowRisky {
		t.Errorf("got %+v", c.Target)
	}
	const want = "--allow-risky=true --connection-bytes=4KiB --env='***' --jobs=2 --message-bytes=512KiB " +
		"--pages=3 --revision=2025-06-18 --revision=2025-11-25 --run-bytes=1MiB --strict=true " +
		"--timeout=3s -- server --stdio"
	if got := a.String(); strings.ReplaceAll(got, "'--env=***'", "--env='***'") != want {
		t.Errorf("got %s", got)
	}
	var usage strings.Builder
	a.flags.SetOutput(&usage)
	a.flags.PrintDefaults()
	if text := usage.String(); strings.Contains(text, "panic") || !strings.Contains(text, "  -strict\n") ||
		!strings.Contains(text, "  -revision revisions\n") || strings.Contains(text, "(default [])") {
		t.Errorf("the usage is\n%s", text)
	}
	for _, bad := range []string{"--pages=0", "--pages=-1", "--run-bytes=0"} {
		name, _, _ := strings.Cut(bad, "=")
		if _, err := arguments(t, bad).Config(); err == nil || err.Error() != name+" must be 1 or more" {
			t.Errorf("%s: %v", bad, err)
		}
	}
}
