package write

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpcheck/mcpcheck/internal/safe"
	"github.com/mcpcheck/mcpcheck/reports"
)

// The bounds of the frames on a page, in bytes: of one frame, and of all.
const (
	pageFrame  = 8 << 10
	pageFrames = 12 << 20
)

// pageWire holds the frames that a page shows, the evidence of red verdicts before
// that of the others where there is not room for all.
type pageWire struct {
	frames map[int]*wireFrame
	room   int
}

// wireFrame is a frame as the page's data holds it. The names are short because
// there are thousands.
type wireFrame struct {
	Number    int     `json:"-"`
	Direction string  `json:"d"`
	Session   string  `json:"s,omitempty"`
	At        float64 `json:"t"`
	Line      string  `json:"l,omitempty"` // of HTTP
	Note      string  `json:"n,omitempty"`
	Decisive  string  `json:"k,omitempty"` // headers
	Headers   string  `json:"h,omitempty"` // all of them
	Text      string  `json:"x,omitempty"`
	More      string  `json:"m,omitempty"` // what is missing
}

func newWire(r *reports.Report) *pageWire {
	p := &pageWire{frames: map[int]*wireFrame{}, room: pageFrames}
	results := r.Rows()
	slices.SortStableFunc(results, reports.ByGravity)
	for _, x := range results {
		for _, n := range x.Evidence {
			f := r.Frame(n)
			if f == nil || p.room <= 0 || p.frames[n] != nil {
				continue
			}
			x := pageFrameOf(f)
			p.frames[n] = x
			p.room -= 64 + len(x.Text) + len(x.Headers) + len(x.Decisive) + len(x.Note) + len(x.Line)
		}
	}
	return p
}

func pageFrameOf(f *reports.Frame) *wireFrame {
	x := &wireFrame{Number: f.Number, Direction: reports.Note, Session: clean(f.Session, 100), At: f.AtMS,
		Note: cleanLines(f.Note)}
	if f.Direction == reports.Out || f.Direction == reports.In {
		x.Direction = f.Direction
	}
	x.Decisive = strings.Join(decisiveHeaders(f), "\n")
	x.Line = strings.Join(httpOf(f, word(f.Method), title(f.URL), title(f.Headers.Get("Content-Type"))), " ")
	var headers []string
	for name, values := range f.Headers {
		for _, v := range values {
			headers = append(headers, clean(name, 100)+": "+title(v))
		}
	}
	slices.Sort(headers)
	x.Headers = strings.Join(headers, "\n")
	x.Text = indented(f.Data)
	if size := max(f.Size, len(f.Data)); f.Truncated || len(f.Data) > pageFrame {
		x.More = fmt.Sprintf("The beginning; %d bytes in all.", size)
	}
	return x
}

// indented is JSON with a member on each line, not a token of it changed; other
// bytes stand as they are. What cannot be seen is escaped.
func indented(data []byte) string {
	if len(data) > pageFrame {
		return safe.Lines(strings.ToValidUTF8(string(data[:pageFrame]), "")) + "…"
	}
	var b bytes.Buffer
	if t := bytes.TrimSpace(data); len(t) > 0 && (t[0] == '{' || t[0] == '[') &&
		json.Indent(&b, t, "", "  ") == nil {
		return safe.Lines(b.String())
	}
	return safe.Lines(string(data))
}
