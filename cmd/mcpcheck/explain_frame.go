package main

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/mcpcheck/mcpcheck/suite/wire"
	"github.com/tidwall/gjson"
)

// How much of a message an example shows, in characters.
const (
	wholeMessage = 200  // messages up to here are shown as they are
	longMessage  = 1200 // and none is shown beyond
	longString   = 60
	fewItems     = 2
	deepest      = 12
)

// telling are the headers that are worth showing.
var telling = []string{
	"Content-Type", "Accept", "Origin", "Allow", "Location", "Last-Event-Id", "Www-Authenticate", "Access-Control-Allow-Origin",
	"Mcp-Session-Id", "Mcp-Protocol-Version", "Mcp-Method", "Mcp-Name", "Retry-After", "Cache-Control", "X-Accel-Buffering",
}

// frame shows a message; what it shares with its counterpart is shortened.
func (r *rehearsal) frame(f, counterpart *wire.Frame) exampleFrame {
	out := exampleFrame{Direction: string(f.Dir)}
	if f.HTTP != nil {
		switch {
		case f.HTTP.Status != 0:
			out.HTTP = strings.TrimSpace(fmt.Sprintf("HTTP %d %s", f.HTTP.Status, http.StatusText(f.HTTP.Status)))
		default:
			out.HTTP = f.HTTP.Method + " " + r.mask.String(f.HTTP.URL)
		}
		for _, name := range telling {
			for _, v := range f.HTTP.Header.Values(name) {
				out.Headers = append(out.Headers, reports.Shorten(reports.Sanitize(name+": "+r.mask.String(v)), 120))
			}
		}
	}
	var other []byte
	if counterpart != nil {
		other = r.mask.Mask(counterpart.Raw)
	}
	out.Text = brief(r.mask.Mask(f.Raw), other)
	if f.Text != "" {
		out.Text = strings.TrimSpace(reports.Shorten(reports.Sanitize(r.mask.String(f.Text)), longMessage) + " " + out.Text)
	}
	for _, flaw := range f.Flaws {
		out.Text = strings.TrimSpace(out.Text + "  [" + string(flaw.Code) + "]")
	}
	return out
}

// brief is a message that can be read: what is long and no different from its
// counterpart is cut, and so are long lists and strings.
func brief(raw, other []byte) string {
	if len(raw) <= wholeMessage || !gjson.ValidBytes(raw) {
		return reports.Shorten(reports.Sanitize(string(raw)), longMessage)
	}
	var b strings.Builder
	value(&b, gjson.ParseBytes(raw), gjson.ParseBytes(other), gjson.ValidBytes(other) && len(other) > 0, 0)
	return reports.Shorten(reports.Sanitize(b.String()), longMessage)
}

// value writes a JSON value. known says that there is a counterpart to compare with.
func value(b *strings.Builder, v, other gjson.Result, known bool, depth int) {
	same := known && v.Raw == other.Raw
	switch {
	case v.IsObject() && (same && depth > 1 && len(v.Raw) > longString || depth > deepest):
		b.WriteString("{…}")
	case v.IsArray() && (same && depth > 1 && len(v.Raw) > longString || depth > deepest):
		b.WriteString("[…]")
	case v.IsObject():
		members(b, v, other, known, depth)
	case v.IsArray():
		items(b, v, other, known, depth)
	case v.Type == gjson.String && len(v.Raw) > longString:
		limit := longString
		if known && !same {
			limit *= 3
		}
		cut := reports.Shorten(v.Raw, limit)
		b.WriteString(cut)
		if len(cut) < len(v.Raw) {
			b.WriteString(`"`)
		}
	default:
		b.WriteString(strings.TrimSpace(v.Raw))
	}
}

func members(b *strings.Builder, v, other gjson.Result, known bool, depth int) {
	b.WriteString("{")
	first := true
	theirs := map[string]gjson.Result{}
	if known && other.IsObject() {
		theirs = other.Map()
	}
	v.ForEach(func(key, member gjson.Result) bool {
		if !first {
			b.WriteString(",")
		}
		first = false
		b.WriteString(key.Raw + ":")
		counterpart, ok := theirs[key.String()]
		value(b, member, counterpart, ok, depth+1)
		return true
	})
	b.WriteString("}")
}

// items writes the members of a list that differ from the counterpart's, or the
// first ones if none does.
func items(b *strings.Builder, v, other gjson.Result, known bool, depth int) {
	all := v.Array()
	var theirs []gjson.Result
	if known && other.IsArray() {
		theirs = other.Array()
	}
	counterpart := func(i int) (gjson.Result, bool) {
		if i < len(theirs) {
			return theirs[i], true
		}
		return gjson.Result{}, false
	}
	var shown []int
	for i := range all {
		if c, ok := counterpart(i); len(theirs) > 0 && (!ok || c.Raw != all[i].Raw) && len(shown) <= fewItems {
			shown = append(shown, i)
		}
	}
	few := fewItems
	if len(v.Raw) > 3*wholeMessage && len(theirs) == 0 {
		few = 1
	}
	for i := 0; len(shown) == 0 && i < min(len(all), few); i++ {
		shown = append(shown, i)
	}
	if len(all) <= few+1 && len(v.Raw) <= 3*wholeMessage {
		shown = shown[:0]
		for i := range all {
			shown = append(shown, i)
		}
	}
	b.WriteString("[")
	for k, i := range shown {
		switch before := i - 1; {
		case k > 0 && shown[k-1] < before, k == 0 && i > 0:
			b.WriteString("…,")
		}
		c, ok := counterpart(i)
		value(b, all[i], c, ok, depth+1)
		if k < len(shown)-1 {
			b.WriteString(",")
		}
	}
	if left := len(all) - len(shown); left > 0 && len(shown) > 0 && !slices.Contains(shown, len(all)-1) {
		fmt.Fprintf(b, ",… %d in all", len(all))
	}
	b.WriteString("]")
}
