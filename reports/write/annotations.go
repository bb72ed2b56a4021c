package write

import (
	"fmt"
	"io"
	"strings"

	"github.com/mcpcheck/mcpcheck/internal/safe"
	"github.com/mcpcheck/mcpcheck/internal/terminal"
	"github.com/mcpcheck/mcpcheck/reports"
)

// Annotations writes the findings of a report as workflow commands of GitHub Actions,
// which shows them beside the change: a line for each requirement and cause, an error for what fails the run
// and a warning for the rest. What a baseline excuses is left out.
func Annotations(w io.Writer, r *reports.Report, o Options) error {
	for _, f := range (view{r, o}).byCause(unexcused) {
		x := f.Result
		command := "warning"
		if x.Breaks(o.Strict) {
			command = "error"
		}
		text := fmt.Sprintf("%s %s (%s)\nexpected: %s\nactual: %s", x.Level, x.Title, f.Places(), x.Expected,
			f.Seen()) +
			maybe("\nchange: %s", x.Hint)
		// The commands are read line by line, and anything that the target said may stand here.
		text = commandText.Replace(terminal.HarmlessText(safe.Lines(safe.Shorten(text, 2000))))
		id := commandProperty.Replace(safe.Line(x.ID))
		if _, err := fmt.Fprintf(w, "::%s title=mcpcheck %s::%s\n", command, id, text); err != nil {
			return err
		}
	}
	return nil
}

// commandText spells what ends a workflow command within its message, and commandProperty what
// ends one of its properties.
var (
	commandText     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	commandProperty = strings.NewReplacer("%", "%25", ":", "%3A", ",", "%2C")
)
