package write

import (
	"bytes"
	"cmp"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/mcpcheck/mcpcheck/internal/plural"
	"github.com/mcpcheck/mcpcheck/internal/safe"
	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/tidwall/gjson"
)

// excerpt is the beginning of a frame's bytes on one line, safe to print, with
// about n characters, and a note of how much is missing.
func excerpt(f *reports.Frame, n int) string {
	data := f.Data
	// A character takes four bytes at most.
	if len(data) > 4*n {
		data = data[:4*n]
		for len(data) > 0 && !utf8.RuneStart(data[len(data)-1]) {
			data = data[:len(data)-1]
		}
		if len(data) > 0 && data[len(data)-1] >= utf8.RuneSelf {
			data = data[:len(data)-1]
		}
	}
	text := safe.Shorten(safe.Line(string(data)), n)
	if shown := len(strings.TrimSuffix(text, "…")); f.Truncated || len(data) < len(f.Data) ||
		shown < len(text) {
		return fmt.Sprintf("%s [%d bytes in all]", text, max(f.Size, len(f.Data)))
	}
	return text
}

// decisive are the headers that requirements are about, or that say why a request was
// refused, in the order in which they are shown.
var decisive = []string{
	"Origin", "Authorization", "Accept", "Content-Type", "Mcp-Protocol-Version", "Mcp-Session-Id",
	"Mcp-Method", "Mcp-Name", "Last-Event-Id",
	"Allow", "Location", "Www-Authenticate", "Access-Control-Allow-Origin", "Retry-After",
}

// decisiveHeaders lists the lines of the headers that decide, safe to print. The type of what came
// stands beside the status instead, and a request is sent as JSON unless it says otherwise.
func decisiveHeaders(f *reports.Frame) []string {
	var lines []string
	for _, name := range decisive {
		for key, values := range f.Headers {
			if http.CanonicalHeaderKey(key) != name || name == "Content-Type" && f.Status != 0 {
				continue
			}
			for _, v := range values {
				if name != "Content-Type" || v != "application/json" {
					lines = append(lines, clean(key+": "+v, 200))
				}
			}
		}
	}
	return lines
}

// FrameLines is a frame in lines that are safe to print: its number, an arrow for its
// direction and the HTTP part, then the headers that decide, then the beginning of its
// bytes. Without such headers it is one line.
func FrameLines(f *reports.Frame, limit int) []string {
	const event = "·"
	arrow := event
	switch f.Direction {
	case reports.Out:
		arrow = "→"
	case reports.In:
		arrow = "←"
	}
	parts := []string{fmt.Sprintf("#%d", f.Number), arrow}
	parts = append(parts, httpOf(f, safe.Line(f.Method), safe.Shorten(safe.Line(f.URL), 200),
		clean(f.Headers.Get("Content-Type"), 200))...)
	note := safe.Shorten(safe.Line(f.Note), limit)
	if arrow != event {
		note = maybe("[%s]", note) // or else it reads as what was sent
	}
	if note != "" {
		parts = append(parts, note)
	}
	headers, data := decisiveHeaders(f), ""
	switch {
	case len(f.Data) > 0:
		data = excerpt(f, limit)
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

// httpOf is what a frame is of HTTP and of server-sent events, given what is printed of it.
func httpOf(f *reports.Frame, method, url, contentType string) (parts []string) {
	if f.Method != "" {
		parts = append(parts, method, url)
	}
	if f.Status != 0 {
		parts = append(parts, strings.TrimSpace(fmt.Sprintf("HTTP %d %s", f.Status, contentType)))
	}
	if event := eventOf(f); event != "" {
		parts = append(parts, event)
	}
	return parts
}

// eventOf is what surrounds the data of a server-sent event, in brackets; empty if there is
// nothing to say of it.
func eventOf(f *reports.Frame) string {
	var parts []string
	if f.Event != "" {
		parts = append(parts, "event "+word(f.Event))
	}
	if f.EventID != "" {
		parts = append(parts, "id "+strconv.Quote(clean(f.EventID, 100)))
	}
	if len(parts) == 0 {
		return ""
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

// metadata shows a _meta that several frames of a result share in the first of them only: in
// the modern revisions every message has one.
type metadata map[string]bool

// once is a frame with {…} in place of a _meta that was shown before.
func (m metadata) once(f *reports.Frame) *reports.Frame {
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

// near is a frame that came and is too long to be shown as one whose middle is left out, if what the result
// names would not be seen otherwise: the beginning, and what surrounds the name.
func near(x *reports.Result, f *reports.Frame, limit int) *reports.Frame {
	if f.Direction != reports.In || len(f.Data) <= limit {
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

// Frames are the beginnings of the frames of a result, no more than some, and how many more
// there are. Lines that go on with a frame are indented.
func (f *finding) Frames(limit, most int) []string {
	x := f.Result
	var lines []string
	seen := metadata{}
	for i, number := range x.Evidence {
		if i == most {
			return append(lines, fmt.Sprintf("and %s more", plural.Count(len(x.Evidence)-i, "frame")))
		}
		if frame := f.in.Frame(number); frame != nil {
			frame = near(x, seen.once(frame), limit)
			lines = append(lines, strings.Join(FrameLines(frame, limit), "\n      "))
		}
	}
	return lines
}

// sent are the messages among the evidence of a result that were sent.
func sent(r *reports.Report, x *reports.Result) (all []*reports.Frame) {
	for _, number := range x.Evidence {
		if f := r.Frame(number); f != nil && f.Direction == reports.Out {
			all = append(all, f)
		}
	}
	return all
}

func methodOf(f *reports.Frame) string { return gjson.GetBytes(f.Data, "method").String() }

// asked names what was sent among the evidence of a result, each method once: those of messages,
// or of HTTP where there was none. It is empty if nothing was.
func asked(r *reports.Report, x *reports.Result) string {
	var methods []string
	for _, f := range sent(r, x) {
		methods = with(methods, cmp.Or(methodOf(f), f.Method))
	}
	const few = 3
	return plural.List(methods, few)
}
