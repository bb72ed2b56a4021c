package reports

import (
	"bufio"
	"cmp"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	jsonv2 "github.com/go-json-experiment/json"
	jsonv1 "github.com/go-json-experiment/json/v1"
	"github.com/mcpcheck/mcpcheck/internal/safe"
	"github.com/mcpcheck/mcpcheck/internal/terminal"
)

// MaxReport bounds the size of a report that [ReadJSON] reads, in bytes.
const MaxReport = 1 << 30

// WriteJSON writes a report in the order of the contract, the summary last, and one after the
// other: it is not held twice.
func WriteJSON(w io.Writer, r *Report) error {
	out := &jsonWriter{w: bufio.NewWriterSize(terminal.HarmlessJSON(w), 64<<10)}
	out.text("{")
	for _, m := range []struct {
		name  string
		value any
	}{{"schema", r.Schema}, {"tool", r.Tool}, {"target", r.Target}, {"config", r.Config}} {
		out.text("\n\"" + m.name + "\":")
		out.value(m.value)
		out.text(",")
	}
	writeList(out, "frames", r.Frames)
	writeList(out, "results", r.Results)
	writeList(out, "observations", r.Observations)
	out.text("\n\"summary\":")
	out.value(r.Summary)
	out.text("\n}\n")
	if err := cmp.Or(out.err, out.w.Flush()); err != nil {
		return fmt.Errorf("writing the report: %w", err)
	}
	return nil
}

// jsonWriter keeps the first error, after which it writes nothing.
type jsonWriter struct {
	w   *bufio.Writer
	err error
}

func (j *jsonWriter) text(s string) {
	if j.err == nil {
		_, j.err = j.w.WriteString(s)
	}
}

func (j *jsonWriter) value(v any) {
	// What readers expect to be a list is one, if it is empty too.
	raw, err := jsonv2.Marshal(v, jsonv1.DefaultOptionsV1(), jsonv2.FormatNilSliceAsNull(false))
	j.err = cmp.Or(j.err, err)
	j.text(string(raw))
}

// writeList writes a member that is a list, an item on each line.
func writeList[T any](j *jsonWriter, name string, list []T) {
	j.text("\n\"" + name + "\":[")
	for i := range list {
		if i > 0 {
			j.text(",")
		}
		j.text("\n")
		j.value(&list[i])
	}
	j.text("],")
}

// plainFrame is a frame without its bytes, frameJSON one as it stands in JSON.
type (
	plainFrame Frame
	frameJSON  struct {
		plainFrame
		Text   *string `json:"text,omitempty"`
		Base64 []byte  `json:"base64,omitempty"`
	}
)

// MarshalJSON writes a frame with its bytes as "text" or "base64".
func (f Frame) MarshalJSON() ([]byte, error) {
	x := frameJSON{plainFrame: plainFrame(f)}
	switch {
	case len(f.Data) == 0:
	case utf8.Valid(f.Data):
		text := string(f.Data)
		x.Text = &text
	default:
		x.Base64 = f.Data
	}
	return json.Marshal(x)
}

// UnmarshalJSON reads a frame with its bytes from "text" or "base64".
func (f *Frame) UnmarshalJSON(raw []byte) error {
	var x frameJSON
	if err := json.Unmarshal(raw, &x); err != nil {
		return err
	}
	if x.Text != nil && x.Base64 != nil {
		return errors.New("a frame has both text and base64")
	}
	*f = Frame(x.plainFrame)
	f.Data = x.Base64
	if x.Text != nil {
		f.Data = []byte(*x.Text)
	}
	return nil
}

// ReadJSON reads a report. It refuses other schemas, reports larger than 1 GiB,
// reports that end early or lack the summary, unknown verdicts, two results
// for one requirement in one combination, and a summary that says something else than the results; the error
// says where. Members that it does not know are ignored: later minor releases may add some.
func ReadJSON(r io.Reader) (*Report, error) {
	limited := &io.LimitedReader{R: r, N: MaxReport + 1}
	d := &reportReader{decoder: json.NewDecoder(limited), place: "its beginning"}
	report, err := d.read()
	switch {
	case limited.N <= 0:
		return nil, fmt.Errorf("the report is larger than %d bytes", MaxReport)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return nil, fmt.Errorf("the report is truncated: it ends in %s", d.place)
	case err != nil:
		return nil, fmt.Errorf("the report cannot be read at %s: %w", d.place, err)
	}
	if err := report.check(d.seen); err != nil {
		return nil, err
	}
	return report, nil
}

// reportReader remembers where it is, for errors.
type reportReader struct {
	decoder *json.Decoder
	place   string
	seen    map[string]bool
}

func (d *reportReader) read() (*Report, error) {
	report := New(Tool{}, Target{}, Config{})
	report.Schema = ""
	d.seen = map[string]bool{}
	if err := d.delim('{'); err != nil {
		return nil, err
	}
	for d.decoder.More() {
		token, err := d.decoder.Token()
		if err != nil {
			return nil, err
		}
		name, _ := token.(string) // the decoder refuses other names
		d.place = fmt.Sprintf("the member %q", safe.Shorten(safe.Line(name), 60))
		if d.seen[name] {
			return nil, errors.New("it stands there twice")
		}
		d.seen[name] = true
		if err := d.member(report, name); err != nil {
			return nil, err
		}
	}
	d.place = "its end"
	if err := d.delim('}'); err != nil {
		return nil, err
	}
	switch _, err := d.decoder.Token(); {
	case errors.Is(err, io.EOF):
		return report, nil
	case err != nil:
		return nil, err
	}
	return nil, errors.New("something follows the report")
}

func (d *reportReader) delim(want json.Delim) error {
	token, err := d.decoder.Token()
	if err != nil {
		return err
	}
	if token != want {
		return fmt.Errorf("%q is missing", want)
	}
	return nil
}

func (d *reportReader) member(r *Report, name string) error {
	switch name {
	case "frames":
		return readList(d, &r.Frames, "frame")
	case "results":
		return readList(d, &r.Results, "result")
	case "observations":
		return readList(d, &r.Observations, "observation")
	}
	into := map[string]any{"schema": &r.Schema, "tool": &r.Tool, "target": &r.Target, "config": &r.Config,
		"summary": &r.Summary}[name]
	if into == nil {
		into = new(json.RawMessage) // it is ignored
	}
	if err := d.decoder.Decode(into); err != nil || name != "schema" {
		return err
	}
	return checkSchema(r.Schema)
}

// readList reads an array item by item, so that only one is held twice.
func readList[T any](d *reportReader, list *[]T, what string) error {
	if err := d.delim('['); err != nil {
		return err
	}
	for d.decoder.More() {
		d.place = fmt.Sprintf("%s %d", what, len(*list)+1)
		var item T
		if err := d.decoder.Decode(&item); err != nil {
			return err
		}
		*list = append(*list, item)
	}
	d.place = fmt.Sprintf("the list of %ss", what)
	return d.delim(']')
}

// checkSchema accepts the contract and its minor additions.
func checkSchema(name string) error {
	if name == Schema || strings.HasPrefix(name, Schema+".") {
		return nil
	}
	return fmt.Errorf("the schema is %q instead of %q", safe.Shorten(safe.Line(name), 60), Schema)
}

// check holds a report that was read against the rules that its types do not
// express.
func (r *Report) check(seen map[string]bool) error {
	if !seen["schema"] {
		return fmt.Errorf("this is no report: it does not name the schema %q", Schema)
	}
	for _, name := range []string{"tool", "target", "results", "summary"} {
		if !seen[name] {
			return fmt.Errorf("the report is truncated: it has no member %q", name)
		}
	}
	if r.Summary.Outcome == "" {
		return errors.New("the report is truncated: its summary has no outcome")
	}
	rows := make(map[rowKey]bool, len(r.Results))
	for i, x := range r.Rows() {
		switch {
		case x.ID == "":
			return fmt.Errorf("result %d has no id", i+1)
		case !x.Verdict.Known():
			return fmt.Errorf("result %d has the unknown verdict %q", i+1,
				safe.Shorten(safe.Line(string(x.Verdict)), 60))
		case rows[x.key()]:
			return fmt.Errorf("result %d repeats %s in %s on %s", i+1, safe.Line(x.ID), safe.Line(x.Revision),
				safe.Line(x.Transport))
		}
		rows[x.key()] = true
	}
	for i := 1; i < len(r.Frames); i++ {
		if r.Frames[i].Number <= r.Frames[i-1].Number {
			return fmt.Errorf("frame %d does not follow frame %d in order", r.Frames[i].Number,
				r.Frames[i-1].Number)
		}
	}
	if err := r.consistent(); err != nil {
		return fmt.Errorf("the report contradicts itself: %w", err)
	}
	return nil
}

// JSONSchema is the JSON Schema (2020-12) of the contract [Schema].
//
//go:embed schema/mcpcheck.report-1.schema.json
var JSONSchema []byte
