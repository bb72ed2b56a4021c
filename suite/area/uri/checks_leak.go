package uri

import (
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
)

// What an error message should not tell a stranger: the places of files on the
// server's machine, and where in the program something went wrong.
var (
	rootFolders = []string{"/home/", "/root/", "/usr/", "/var/", "/srv/", "/opt/", "/etc/", "/tmp/", "/app/", "/mnt/", "/private/", "/Users/", "/workspace/", "/nix/"}
	serverPath  = regexp.MustCompile(`(?:^|[\s"'(=:\[])((?:` + strings.Join(rootFolders, "|") + `|[A-Za-z]:\\)[^\s"'()]{2,200})`)
	traceParts  = []string{"Traceback ", "goroutine ", "at ", `File "`}
	stackTrace  = regexp.MustCompile(`Traceback \(most recent call last\)|goroutine \d+ \[|\n\s+at .{1,200}:\d+|File "[^"]{1,200}", line \d+|\bat [\w.$<>]+ ?\([^()]{1,200}:\d+(?::\d+)?\)`)
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
	found, asked := "", ""
	if containsAny(text, traceParts) {
		found = stackTrace.FindString(text)
	}
	if !strings.Contains(text, `:\`) && !containsAny(text, rootFolders) {
		text = ""
	}
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

// containsAny reports whether one of some parts is in a text. Without a part of each of
// its matches a pattern finds nothing, at a fraction of the cost.
func containsAny(text string, parts []string) bool {
	return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(text, part) })
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
