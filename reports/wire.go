package reports

import (
	"bytes"
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/mcpcheck/mcpcheck/internal/shell"
	"github.com/tidwall/gjson"
)

// decisive are the headers that requirements are about, or that say why a request was
// refused, in the order in which they are shown.
var decisive = []string{
	"Origin", "Authorization", "Accept", "Content-Type", "Mcp-Protocol-Version", "Mcp-Session-Id", "Mcp-Method", "Mcp-Name", "Last-Event-Id",
	"Allow", "Location", "Www-Authenticate", "Access-Control-Allow-Origin", "Retry-After",
}

// decide lists the lines of the headers that decide, safe to print. The type of what came
// stands beside the status instead, and a request is sent as JSON unless it says otherwise.
func (f *Frame) decide() []string {
	var lines []string
	for _, name := range decisive {
		for key, values := range f.Headers {
			if http.CanonicalHeaderKey(key) != name || name == "Content-Type" && f.Status != 0 {
				continue
			}
			for _, v := range values {
				if name != "Content-Type" || v != "application/json" {
					lines = append(lines, Sanitize(Shorten(key+": "+v, 200)))
				}
			}
		}
	}
	return lines
}

// Lines shows a frame in lines that are safe to print: its number, an arrow for its
// direction and the HTTP part, then the headers that decide, then the beginning of its
// bytes, up to limit characters. Without such headers it is one line.
func (f *Frame) Lines(limit int) []string {
	arrow := "·"
	switch f.Direction {
	case Out:
		arrow = "→"
	case In:
		arrow = "←"
	}
	parts := []string{fmt.Sprintf("#%d", f.Number), arrow}
	parts = append(parts, f.http(Sanitize(f.Method), Shorten(Sanitize(f.URL), 200), clean(f.Headers.Get("Content-Type"), 200))...)
	if note := Shorten(Sanitize(f.Note), limit); note != "" && (f.Direction == In || f.Direction == Out) {
		parts = append(parts, "["+note+"]") // or else it reads as what was sent
	} else if note != "" {
		parts = append(parts, note)
	}
	headers, data := f.decide(), ""
	switch {
	case len(f.Data) > 0:
		data = f.excerpt(limit)
	case f.Note == "" && f.Status == 0 && f.Method == "":
		data = "(no content)"
	}
	if len(headers) == 0 && data != "" {
		parts, data = append(parts, data), ""
	}
	lines := append([]string{strings.Join(parts, " ")}, headers...)
	if data != "" {
		lines = append(lines, data)
	}
	return lines
}

// http is what a frame is of HTTP and of server-sent events, given what is printed of it.
func (f *Frame) http(method, url, contentType string) (parts []string) {
	if f.Method != "" {
		parts = append(parts, method, url)
	}
	if f.Status != 0 {
		parts = append(parts, strings.TrimSpace(fmt.Sprintf("HTTP %d %s", f.Status, contentType)))
	}
	if event := f.event(); event != "" {
		parts = append(parts, event)
	}
	return parts
}

// event is what surrounds the data of a server-sent event, in brackets; empty if there is
// nothing to say of it.
func (f *Frame) event() string {
	var parts []string
	if f.Event != "" {
		parts = append(parts, "event "+Sanitize(Shorten(f.Event, 40)))
	}
	if f.EventID != "" {
		parts = append(parts, "id "+strconv.Quote(Sanitize(Shorten(f.EventID, 100))))
	}
	if len(parts) == 0 {
		return ""
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

// metadata shows a _meta that several frames of a result share in the first of them only: in
// the modern revisions every message has one.
type metadata map[string]bool

// once is a frame with {…} in the place of a _meta that was shown before.
func (m metadata) once(f *Frame) *Frame {
	const most = 64 << 10 // bytes, of which far less are shown
	if len(f.Data) > most || !gjson.ValidBytes(f.Data) {
		return f
	}
	for _, path := range []string{"params._meta", "result._meta"} {
		v := gjson.GetBytes(f.Data, path)
		const short = 40
		if !v.IsObject() || len(v.Raw) < short || v.Index == 0 {
			continue
		}
		if m[v.Raw] {
			shown := *f
			shown.Data = slices.Concat(f.Data[:v.Index], []byte("{…}"), f.Data[v.Index+len(v.Raw):])
			return &shown
		}
		m[v.Raw] = true
	}
	return f
}

// quoted names stand in what was seen: the entry of a list that is meant, say.
var quotedName = regexp.MustCompile(`"[^"\\]{3,200}"`)

// near is a frame that came and is too long to be shown as one whose middle is left out, if what the result names
// would not be seen otherwise: the beginning, and what surrounds the name.
func (x *Result) near(f *Frame, limit int) *Frame {
	if f.Direction != In || len(f.Data) <= limit {
		return f
	}
	for _, name := range quotedName.FindAllString(x.Actual, 3) {
		at := bytes.Index(f.Data, []byte(name))
		if at < 0 {
			continue
		}
		end := limit / 4
		start := max(at-limit/3, end)
		if at+len(name) <= limit || start == end {
			return f // it is seen
		}
		for ; end > 0 && !utf8.RuneStart(f.Data[end]); end-- {
		}
		if i := bytes.IndexByte(f.Data[start:at], '{'); i >= 0 {
			start += i // the rest of another object says nothing
		}
		for ; start < at && !utf8.RuneStart(f.Data[start]); start++ {
		}
		shown := *f
		shown.Data = slices.Concat(f.Data[:end], []byte(" … "), f.Data[start:])
		shown.Size, shown.Truncated = max(f.Size, len(f.Data)), true
		return &shown
	}
	return f
}

// evidenceLines are the frames of a result, as many as the limit allows, and how many more
// there are. Lines that go on with a frame are indented.
func (r *Report) evidenceLines(x *Result, limit, frames int) []string {
	var lines []string
	seen := metadata{}
	for i, number := range x.Evidence {
		if i == frames {
			return append(lines, fmt.Sprintf("and %s more", count(len(x.Evidence)-i, "frame")))
		}
		if f := r.Frame(number); f != nil {
			for k, l := range x.near(seen.once(f), limit).Lines(limit) {
				if k > 0 {
					l = "      " + l
				}
				lines = append(lines, l)
			}
		}
	}
	return lines
}

// sent are the messages among the evidence of a result that were sent.
func (r *Report) sent(x *Result) (all []*Frame) {
	for _, number := range x.Evidence {
		if f := r.Frame(number); f != nil && f.Direction == Out {
			all = append(all, f)
		}
	}
	return all
}

// steps are the messages among the evidence of a result that show it again, in order, if all of each is
// known:
// few of one connection. By the handshakes among others, which say what is declared, nothing is shown.
func (r *Report) steps(x *Result) []*Frame {
	const most = 4
	all := r.sent(x)
	for i := len(all) - 2; i >= 0; i-- {
		if m := methodOf(all[i]); m == "initialize" || m == "server/discover" {
			all = slices.Delete(all, i, i+1)
		}
	}
	if len(all) > most || slices.ContainsFunc(all, func(f *Frame) bool {
		return f.Truncated || len(f.Data) > pageText || f.Session != all[0].Session
	}) {
		return nil
	}
	return all
}

func methodOf(f *Frame) string { return gjson.GetBytes(f.Data, "method").String() }

// asked names what was sent among the evidence of a result, each method once: those of messages,
// or of HTTP where there was none. It is empty if nothing was.
func (r *Report) asked(x *Result) string {
	var methods []string
	for _, f := range r.sent(x) {
		if m := cmp.Or(methodOf(f), f.Method); m != "" && !slices.Contains(methods, m) {
			methods = append(methods, m)
		}
	}
	const few = 3
	return listed(methods, few)
}

// pasted is what somebody can paste to send the messages of a result by hand, and what it is: command lines
// for curl, a line for the standard input of a server, or a command that sends several to a process of its
// own. It is empty where they make sense on their connection only.
func (r *Report) pasted(x *Result) (label, text string) {
	all := r.steps(x)
	switch {
	case len(all) == 0:
		return "", ""
	case x.Transport == "stdio" && all[0].Method == "":
		label, text = "send", r.typed(x, all)
	case !r.reachable(x.Transport):
		return "", ""
	default:
		label = "curl"
		var lines []string
		for _, f := range all {
			lines = append(lines, f.curl(x.Area() == "SESS"))
			if lines[len(lines)-1] == "" || x.Transport == "sse" && f.Method == http.MethodPost ||
				f.Headers.Get("Last-Event-Id") != "" {
				// The answer comes on the stream of a connection, or what is resumed is over.
				return "", ""
			}
		}
		text = strings.Join(lines, "; ")
	}
	if text == "" || len(text) > pageText || Sanitize(text) != text {
		return "", ""
	}
	return label, text
}

// typed is what sends messages over stdio. Several take a process that had no others, and can be sent to one
// where each request says for itself in which revision it is.
func (r *Report) typed(x *Result, all []*Frame) string {
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
func (r *Report) reachable(transport string) bool {
	return slices.ContainsFunc(r.Target.Endpoints, func(e Endpoint) bool {
		return e.Transport == transport && strings.HasPrefix(e.Address, "http") && e.Started == ""
	})
}

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
// request is about ids. A body that was sent in chunks is cut where it was if that is within a character:
// elsewhere it makes no difference.
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
	if slices.Equal(f.Headers.Values("Transfer-Encoding"), []string{"chunked"}) {
		words = append(words, "-H", "'Transfer-Encoding: chunked'")
		if i := bytes.IndexFunc(f.Data, func(c rune) bool { return c >= utf8.RuneSelf }); i >= 0 {
			return "{ " + printf(f.Data[:i+1]) + "; sleep 1; " + printf(f.Data[i+1:]) + "; } | " + strings.Join(append(words, "-H", "Expect:", "-T", "-"), " ")
		}
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
