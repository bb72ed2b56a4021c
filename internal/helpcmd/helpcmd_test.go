package helpcmd

import (
	"testing"

	"github.com/spf13/pflag"
)

// TestFlagErrorOfSwitch: a switch with a value that is none is refused in words of ours.
func TestFlagErrorOfSwitch(t *testing.T) {
	flags := pflag.NewFlagSet("run", pflag.ContinueOnError)
	flags.Bool("strict", false, "")
	err := FlagError(flags.Parse([]string{"--strict=yes"}))
	if want := `--strict "yes" is neither true nor false: the flag alone means true`; err == nil || err.Error() != want {
		t.Errorf("%v, not %s", err, want)
	}
}
