package check

import (
	"regexp"
	"strings"

	"github.com/mcpcheck/mcpcheck/suite/recording"
)

// What an error message should not tell a stranger: the places of files on the
// server's machine, and where in the program something went wrong.
var (
	serverPath = regexp.MustCompile(`(?:^|[\s"'(=:\[])((?:/(?:home|root|usr|var|srv|opt|etc|tmp|app|mnt|private|Users|workspace|nix)/|[A-Za-z]:\\)[^\s"'()]{2,200})`)
	stackTrace = regexp.MustCompile(`Traceback \(most recent call last\)|goroutine \d+ \[|\n\s+at .{1,200}:\d+|File "[^"]{1,200}", line \d+|\bat [\w.$<>]+ ?\([^()]{1,200}:\d+(?::\d+)?\)`)
)

// leakedPaths remarks on errors that show paths or stack traces of the server.
// What the request itself named is no secret.
func leakedPaths(v *Verdict, exchanges []*recording.Exchange) {
	for _, x := range exchanges {
		if !x.Failed() {
			continue
		}
		text := x.Error().Get("message").String() + "\n" + x.Error().Get("data").String()
		what := stackTrace.FindString(text)
		for _, m := range serverPath.FindAllStringSubmatch(text, 8) {
			if !strings.Contains(x.Param("uri").String(), strings.TrimRight(m[1], ".,;:")) {
				what = m[1]
			}
		}
		if what != "" {
			v.Observe("leaked-path", "an error tells about the inside of the server: "+strings.Join(strings.Fields(what), " "), x.Evidence()...)
			return
		}
	}
}
