package helpcmd

import (
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Flags are flags of a command: for each the variable that its value goes to, which has the default, its
// name, and what it is for. A flag for several texts is given once for each. One that is for nothing is
// hidden.
type Flags [][3]any

// Run is what a command does.
type Run = func(c *cobra.Command, args []string) error

// Add adds the flags. It panics at a type of variable that no flag is for.
func (all Flags) Add(f *pflag.FlagSet) {
	for _, flag := range all {
		name, usage := flag[1].(string), flag[2].(string)
		switch to := flag[0].(type) {
		case *bool:
			f.BoolVar(to, name, *to, usage)
		case *int:
			f.IntVar(to, name, *to, usage)
		case *string:
			f.StringVar(to, name, *to, usage)
		case *[]string:
			f.StringArrayVar(to, name, *to, usage)
		case *time.Duration:
			f.DurationVar(to, name, *to, usage)
		default:
			f.Var(to.(pflag.Value), name, usage)
		}
		f.Lookup(name).Hidden = usage == ""
	}
}
