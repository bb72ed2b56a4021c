package reports

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/mcpcheck/mcpcheck/internal/shell"
)

// line is a message as it can be pasted into a terminal: itself if it is one line of
// characters that can be seen, or else a command that prints it.
func line(data []byte) string {
	if s := string(data); Sanitize(s) == s {
		return s
	}
	return printf(data)
}

// printf is a command that prints bytes in any POSIX shell.
func printf(data []byte) string {
	var b strings.Builder
	b.WriteString("printf '")
	for i, c := range data {
		switch {
		case c == '%':
			b.WriteString("%%")
		case i == 0 && c == '-' || c < ' ' || c > '~' || c == '\'' || c == '\\':
			fmt.Fprintf(&b, `\%03o`, c)
		default:
			b.WriteByte(c)
		}
	}
	return b.String() + "'"
}

// ofCurl are the headers that curl writes itself.
var ofCurl = []string{"Accept-Encoding", "Connection", "Content-Length", "Host", "Transfer-Encoding", "User-Agent"}

// curl is a command line for a POSIX shell that sends an HTTP request again; empty if it cannot
// be written. The session of the run is over, so that its id is left to a variable unless the
// request is about ids.
func (f *Frame) curl(literal bool) string {
	u, err := url.Parse(f.URL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || strings.Trim(f.Method, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" {
		return ""
	}
	words := []string{"curl -sSiN"}
	if strings.ContainsAny(f.URL, "[]{}") {
		words = append(words, "-g")
	}
	if f.Method != http.MethodGet {
		words = append(words, "-X", f.Method)
	}
	words = append(words, shell.Quote(f.URL))
	canonical := map[string]bool{}
	var names []string
	for name := range f.Headers {
		canonical[http.CanonicalHeaderKey(name)] = true
		if !slices.Contains(ofCurl, http.CanonicalHeaderKey(name)) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		if strings.Trim(strings.ToLower(name), "abcdefghijklmnopqrstuvwxyz0123456789-_") != "" {
			return ""
		}
		for _, v := range f.Headers[name] {
			if !literal && http.CanonicalHeaderKey(name) == "Mcp-Session-Id" {
				words = append(words, `-H "`+name+`: ${SESSION:?the id of an open session}"`)
				continue
			}
			words = append(words, "-H", shell.Quote(headerOf(name, v)))
		}
	}
	for _, name := range []string{"Accept", "Content-Type"} {
		if !canonical[name] && (name == "Accept" || len(f.Data) > 0) {
			words = append(words, "-H", name+":") // else curl would send one of its own
		}
	}
	if len(f.Data) == 0 {
		return strings.Join(words, " ")
	}
	if s := string(f.Data); Sanitize(s) == s {
		return strings.Join(append(words, "--data-raw", shell.Quote(s)), " ")
	}
	return printf(f.Data) + " | " + strings.Join(append(words, "--data-binary", "@-"), " ")
}

// headerOf is a header as curl takes it: one without a value ends in a semicolon.
func headerOf(name, value string) string {
	if value == "" {
		return name + ";"
	}
	return name + ": " + value
}
