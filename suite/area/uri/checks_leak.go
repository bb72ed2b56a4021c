package uri

import (
	"net/url"
	"regexp"
	"strings"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
)

// What an error message should not tell a stranger: the places of files on the
// server's machine, and where in the program something went wrong.
var (
	serverPath = regexp.MustCompile(`(?:^|[\s"'(=:\[])((?:/(?:home|root|usr|var|srv|opt|etc|tmp|app|mnt|private|Users|workspace|nix)/|[A-Za-z]:\\)[^\s"'()]{2,200})`)
	stackTrace = regexp.MustCompile(`Traceback \(most recent call last\)|goroutine \d+ \[|\n\s+at .{1,200}:\d+|File "[^"]{1,200}", line \d+|\bat [\w.$<>]+ ?\([^()]{1,200}:\d+(?::\d+)?\)`)
)

// leakedPaths remarks on errors that show paths or stack traces of the server, once
// for all of them. What the request itself named is no secret.
func leakedPaths(v *verdict.Verdict, exchanges []*recording.Exchange) {
	var seen verdict.Sightings
	for _, x := range exchanges {
		if what := leak(x); what != "" {
			seen.Add(what, x.Evidence()...)
		}
	}
	seen.Observe(v, "leaked-path", "%d errors tell about the inside of the server: %s")
}

// leak is what an error shows of the inside of the server; empty if nothing.
func leak(x *recording.Exchange) string {
	if !x.Failed() {
		return ""
	}
	message, data := x.Error().Get("message"), x.Error().Get("data")
	text := message.String() + "\n" + data.String()
	found := stackTrace.FindString(text)
	asked := ""
	for _, m := range serverPath.FindAllStringSubmatch(text, 8) {
		if asked == "" {
			asked = plainly(string(x.Params)) + " " + plainly(x.Param("uri").String())
		}
		if !strings.Contains(asked, plainly(strings.TrimRight(m[1], ".,;:"))) {
			found = m[1]
		}
	}
	found = strings.Join(strings.Fields(found), " ")
	if found == "" {
		return ""
	}
	return "\"" + strings.Trim(found, "\"") + "\" in the answer to " + verdict.What(x)
}

// plainly is a text without what quoting and encoding add to it, so that it can be
// found again in another form.
func plainly(s string) string {
	for range 2 { // some servers decode twice
		if d, err := url.PathUnescape(s); err == nil {
			s = d
		}
	}
	return strings.ToLower(strings.NewReplacer(`\`, "/", `//`, "/", `"`, "").Replace(s))
}
