package write

import (
	"bytes"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mcpcheck/mcpcheck/internal/safe"
	"github.com/mcpcheck/mcpcheck/internal/shell"
	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/tidwall/gjson"
)

// repeated is the command that repeats a verdict, safe to print; empty if it is not known. A
// command that cannot be shown as it is would be another one, and is left out.
func repeated(x *reports.Result) string {
	if len(x.Rerun) > pageText || safe.Line(x.Rerun) != x.Rerun {
		return elsewhere
	}
	return x.Rerun
}

// elsewhere stands where there is no room for a command.
const elsewhere = "(see rerun in the JSON report)"

// steps are the messages among the evidence of a result that show it again, in order, if all of each is
// known:
// few of one connection. By the handshakes among others, which say what is declared, nothing is shown.
func steps(r *reports.Report, x *reports.Result) []*reports.Frame {
	const most = 4
	all := sent(r, x)
	for i := len(all) - 2; i >= 0; i-- {
		if m := methodOf(all[i]); m == "initialize" || m == "server/discover" {
			all = slices.Delete(all, i, i+1)
		}
	}
	if len(all) > most || slices.ContainsFunc(all, func(f *reports.Frame) bool {
		return f.Truncated || len(f.Data) > pageText || f.Session != all[0].Session
	}) {
		return nil
	}
	return all
}

// pasted is what somebody can paste to send the messages of a result by hand, and what it is: command lines
// for curl, a line for the standard input of a server, or a command that sends several to a process of its
// own. It is empty where they make sense on their connection only.
func pasted(r *reports.Report, x *reports.Result) (label, text string) {
	all := steps(r, x)
	switch {
	case len(all) == 0:
		return "", ""
	case x.Transport == "stdio" && all[0].Method == "":
		label, text = "send", typed(r, x, all)
	case !reachable(r, x.Transport):
		return "", ""
	default:
		label = "curl"
		var lines []string
		for _, f := range all {
			lines = append(lines, curl(f, x.Area() == "SESS"))
			if lines[len(lines)-1] == "" || x.Transport == "sse" && f.Method == http.MethodPost ||
				f.Headers.Get("Last-Event-Id") != "" {
				// The answer comes on the stream of a connection, or what is resumed is over.
				return "", ""
			}
		}
		text = strings.Join(lines, "; ")
	}
	if text == "" || len(text) > pageText || safe.Line(text) != text {
		return "", ""
	}
	return label, text
}

// typed is what sends messages over stdio. Several take a process that had no others, and can be sent to one
// where each request says for itself in which revision it is.
func typed(r *reports.Report, x *reports.Result, all []*reports.Frame) string {
	if len(all) == 1 {
		return line(all[0].Data)
	}
	const version = `params._meta.io\.modelcontextprotocol/protocolVersion`
	if !gjson.GetBytes(all[0].Data, version).Exists() {
		return ""
	}
	var text []byte
	for _, f := range all {
		text = append(append(text, bytes.TrimSuffix(f.Data, []byte("\n"))...), '\n')
	}
	for _, e := range r.Target.Endpoints {
		if e.Transport == "stdio" && strings.HasSuffix(x.Rerun, " -- "+e.Address) &&
			!strings.Contains(x.Rerun, " --env ") &&
			!strings.Contains(x.Rerun, " --cwd ") {
			return "{ " + printf(text) + "; sleep 2; } | " + e.Address
		}
	}
	return printf(text)
}

// reachable reports whether the target has an address for a transport: what runs inside of
// another program has none, and what was started for the run is there no more.
func reachable(r *reports.Report, transport string) bool {
	return slices.ContainsFunc(r.Target.Endpoints, func(e reports.Endpoint) bool {
		return e.Transport == transport && strings.HasPrefix(e.Address, "http") && e.Started == ""
	})
}

// line is a message as it can be pasted into a terminal: itself if it is one line of
// characters that can be seen, or else a command that prints it.
func line(data []byte) string {
	if s := string(data); safe.Line(s) == s {
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
var ofCurl = []string{"Accept-Encoding", "Connection", "Content-Length", "Host", "Transfer-Encoding",
	"User-Agent"}

// curl is a command line for a POSIX shell that sends an HTTP request again; empty if it cannot
// be written. The session of the run is over, so that its id is left to a variable unless the
// request is about ids. A body that was sent in chunks is cut where it was if that is within a character:
// elsewhere it makes no difference.
func curl(f *reports.Frame, literal bool) string {
	u, err := url.Parse(f.URL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" ||
		strings.Trim(f.Method, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" {
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
	if slices.Equal(f.Headers.Values("Transfer-Encoding"), []string{"chunked"}) {
		words = append(words, "-H", "'Transfer-Encoding: chunked'")
		if i := bytes.IndexFunc(f.Data, func(c rune) bool { return c >= utf8.RuneSelf }); i >= 0 {
			return "{ " + printf(f.Data[:i+1]) + "; sleep 1; " + printf(f.Data[i+1:]) + "; } | " +
				strings.Join(append(words, "-H", "Expect:", "-T", "-"), " ")
		}
	}
	if s := string(f.Data); safe.Line(s) == s {
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
