package write

import (
	"fmt"
	"net/http"
	"os/exec"
	"strings"
	"testing"

	"github.com/mcpcheck/mcpcheck/reports"
)

// probed is a report with one finding, whose evidence is a request over HTTP and its answer.
func probed(change func(*reports.Frame)) *reports.Report {
	r := reports.New(reports.Tool{},
		reports.Target{Endpoints: []reports.Endpoint{{Transport: "http", Address: "http://localhost:1/mcp"}}},
		reports.Config{})
	r.Frames = []reports.Frame{
		{Number: 1, Direction: reports.Out, Method: "POST", URL: "http://localhost:1/mcp",
			Data: []byte(`{"it's":1}`), Headers: http.Header{
				"Origin": {"http://evil.example"}, "Accept": {"application/json, text/event-stream"},
				"Content-Type":         {"application/json"},
				"Mcp-Protocol-Version": {"2025-06-18"}, "Authorization": {"***"}, "Content-Length": {"10"},
				"X-Other": {"x"}}},
		{Number: 2, Direction: reports.In, Status: 200,
			Headers: http.Header{"Content-Type": {"text/event-stream"}, "Mcp-Session-Id": {"S"},
				"Date": {"today"}}},
		{Number: 3, Direction: reports.In, Event: "message", EventID: "7", Data: []byte(`{}`)},
	}
	change(&r.Frames[0])
	r.Results = []reports.Result{{ID: "SEC-02", Revision: "2025-06-18", Transport: "http",
		Verdict: reports.Fail, Evidence: []int{1, 2, 3}}}
	r.Summarize(reports.SummaryOptions{})
	return r
}

// TestWireIsShown: each format for people shows the request line, the headers that decide,
// status and type of the response, the id of an event, and how to send the request by hand.
func TestWireIsShown(t *testing.T) {
	r := probed(func(*reports.Frame) {})
	for name, text := range map[string]string{
		"console":  render(t, r, Options{Width: 120}),
		"Markdown": written(t, Markdown, r, Options{}),
		"JUnit":    written(t, JUnit, r, Options{}),
	} {
		text = strings.NewReplacer("&quot;", `"`, "&amp;", "&").Replace(text)
		for _, part := range []string{"#1 → POST http://localhost:1/mcp\n",
			"      Origin: http://evil.example\n", "      Accept: application/json, text/event-stream\n",
			"      Mcp-Protocol-Version: 2025-06-18\n", "      Authorization: ***\n", `      {"it's":1}`,
			"#2 ← HTTP 200 text/event-stream\n", "      Mcp-Session-Id: S\n",
			`#3 ← [event message, id "7"] {}`,
			`curl -sSiN -X POST http://localhost:1/mcp -H 'Accept: application/json, text/event-stream'`,
			`--data-raw '{"it'\''s":1}'`} {
			if !strings.Contains(text, part) {
				t.Errorf("%s: no %q in\n%s", name, part, text)
			}
		}
		for _, part := range []string{"Date: ", "      X-Other", "Content-Length"} {
			if strings.Contains(text, part) {
				t.Errorf("%s: %q in\n%s", name, part, text)
			}
		}
	}
}

// TestMetadataIsShownOnce: what every message of a modern revision repeats stands in the first
// frame of a finding that has it; what differs is shown.
func TestMetadataIsShownOnce(t *testing.T) {
	r := probed(func(*reports.Frame) {})
	meta := `{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}`
	for i, data := range []string{`{"id":1,"params":{"_meta":` + meta + `}}`,
		`{"id":2,"params":{"_meta":` + meta + `}}`, `{"id":3,"params":{"_meta":` + strings.Replace(meta, "28",
			"29", 1) + `}}`} {
		r.Frames[i].Data, r.Frames[i].Direction = []byte(data), reports.Out
	}
	for name, text := range map[string]string{
		"console":  render(t, r, Options{Width: 200}),
		"Markdown": written(t, Markdown, r, Options{}),
	} {
		for _, part := range []string{`{"id":1,"params":{"_meta":` + meta, `{"id":2,"params":{"_meta":{…}}}`,
			`2026-07-29"}`} {
			if !strings.Contains(text, part) {
				t.Errorf("%s: no %q in\n%s", name, part, text)
			}
		}
	}
}

// TestWhatIsNamedIsShown: of an answer that is too long to be shown the entry is that the finding is about,
// beside its beginning.
func TestWhatIsNamedIsShown(t *testing.T) {
	entry := func(n int) string { return fmt.Sprintf(`{"uri":"test://ü%d","size":%d},`, n, n) }
	var list strings.Builder
	for n := range 300 {
		list.WriteString(entry(n + 100))
	}
	for actual, want := range map[string][]string{
		`size of "test://ü350" is 350 in the list`: {`{"resources":[{"uri":"test://ü100"`, " … ", entry(350),
			" bytes in all]"},
		`size of "test://ü101" is 101 in the list`: {`{"resources":[{"uri":"test://ü100"`, entry(101),
			entry(104)},
		`size of "test://ü399" is 399 in the list`: {" … ", strings.TrimSuffix(entry(399), ",") + "]}"},
		`"what is not there", and nothing else`:    {`{"resources":[{"uri":"test://ü100"`, entry(104)},
	} {
		r := probed(func(f *reports.Frame) {
			f.Method, f.Headers, f.Direction, f.Data = "", nil, reports.In,
				[]byte(`{"resources":[`+strings.TrimSuffix(list.String(), ",")+`]}`)
		})
		r.Results[0].Actual = actual
		for name, text := range map[string]string{
			"console":  render(t, r, Options{Width: 1000}),
			"Markdown": written(t, Markdown, r, Options{}),
		} {
			for _, part := range want {
				if !strings.Contains(text, part) {
					t.Errorf("%s: no %q in\n%s", name, part, text)
				}
			}
			if strings.Contains(actual, "101") == strings.Contains(text, " … ") &&
				strings.Contains(actual, "size") {
				t.Errorf("%s: %s leaves something out, or does not:\n%s", name, actual, text)
			}
		}
	}
}

// TestPasted: what is to be pasted sends what was sent, byte for byte, from any POSIX shell, and
// there is none where it would send something else.
func TestPasted(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("there is no shell to read it back")
	}
	for name, test := range map[string]struct {
		change func(*reports.Frame)
		want   string // the arguments of curl and its input; empty if there is no command
	}{
		"get": {func(f *reports.Frame) {
			f.Method, f.Data, f.Headers = "GET", nil, http.Header{"Accept": {"text/event-stream"}}
		}, "-sSiN|http://localhost:1/mcp|-H|Accept: text/event-stream|"},
		"bare": {func(f *reports.Frame) { f.Headers = nil },
			`-sSiN|-X|POST|http://localhost:1/mcp|-H|Accept:|-H|Content-Type:|--data-raw|{"it's":1}|`},
		"bytes": {func(f *reports.Frame) {
			f.Headers, f.Data = http.Header{"Accept": {""}, "Content-Type": {"a"}}, []byte("%s\\n'\x00\xff\n")
		}, "-sSiN|-X|POST|http://localhost:1/mcp|-H|Accept;|-H|Content-Type: " +
			"a|--data-binary|@-|%s\\n'\x00\xff\n"},
		"session": {func(f *reports.Frame) {
			f.Method, f.Data, f.Headers = "DELETE", nil,
				http.Header{"Accept": {"a"}, "Mcp-Session-Id": {"it's $(over)"}}
		}, "-sSiN|-X|DELETE|http://localhost:1/mcp|-H|Accept: a|-H|Mcp-Session-Id: mine|"},
		"hostile": {func(f *reports.Frame) {
			f.URL, f.Data, f.Headers = "http://localhost:1/$(id)`id`{a}", nil,
				http.Header{"Accept": {"'$(id)'"}}
		}, "-sSiN|-g|-X|POST|http://localhost:1/$(id)`id`{a}|-H|Accept: '$(id)'|"},
		"chunks": {func(f *reports.Frame) {
			f.Headers = http.Header{"Accept": {"a"}, "Content-Type": {"a"}, "Transfer-Encoding": {"chunked"}}
		}, `-sSiN|-X|POST|http://localhost:1/mcp|-H|Accept: a|-H|Content-Type: a|-H|Transfer-Encoding: ` +
			`chunked|--data-raw|{"it's":1}|`},
		"cut character": {func(f *reports.Frame) {
			f.Headers, f.Data = http.Header{"Accept": {"a"}, "Content-Type": {"a"},
				"Transfer-Encoding": {"chunked"}}, []byte(`{"é":"%"}`)
		}, `-sSiN|-X|POST|http://localhost:1/mcp|-H|Accept: a|-H|Content-Type: a|-H|Transfer-Encoding: ` +
			`chunked|-H|Expect:|-T|-|{"é":"%"}`},
		"file":    {func(f *reports.Frame) { f.URL = "file:///etc/passwd" }, ""},
		"option":  {func(f *reports.Frame) { f.Method = "-o/tmp/x" }, ""},
		"name":    {func(f *reports.Frame) { f.Headers = http.Header{"@file": {"x"}} }, ""},
		"value":   {func(f *reports.Frame) { f.Headers = http.Header{"Accept": {"a\nb"}} }, ""},
		"resumed": {func(f *reports.Frame) { f.Headers = http.Header{"Last-Event-Id": {"7"}} }, ""},
		"cut":     {func(f *reports.Frame) { f.Truncated = true }, ""},
	} {
		r := probed(test.change)
		_, text := pasted(r, &r.Results[0])
		if test.want == "" || text == "" {
			if text != test.want {
				t.Errorf("%s: %q", name, text)
			}
			continue
		}
		script := "SESSION=mine\nsleep() { :; }\ncurl() { printf '%s|' \"$@\"; case \"$*\" in *@-|*' -T " +
			"-') cat;; esac; }\n" + text
		out, err := exec.Command(sh, "-c", script).Output()
		if err != nil || string(out) != test.want {
			t.Errorf("%s: %s\nsends %q\ninstead of %q: %v", name, text, out, test.want, err)
		}
	}
	r := probed(func(*reports.Frame) {})
	if r.Target.Endpoints[0].Address = "handler"; paste(r) != "" {
		t.Error("there is a command for what no command can reach")
	}
	r = probed(func(f *reports.Frame) { f.Method, f.URL, f.Headers = "", "", nil })
	if r.Results[0].Transport = "stdio"; paste(r) != `{"it's":1}` {
		t.Errorf("the line for stdio: %s", paste(r))
	}
	if r.Frames[1].Direction = reports.Out; paste(r) != "" {
		t.Error("there is a line although two messages were sent")
	}
	// Two requests that name their revision go to a new process, in one command.
	const meta = `{"method":"a","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"%s"}}}`
	r.Frames[0].Data, r.Frames[1].Data = fmt.Appendf(nil, meta, "1"), fmt.Appendf(nil, meta, "2")
	r.Target.Endpoints = []reports.Endpoint{{Transport: "stdio", Address: "cat -u"}}
	r.Results[0].Rerun = "mcpcheck run --only SEC-02 -- cat -u"
	out, err := exec.Command(sh, "-c", "sleep() { :; }\n"+paste(r)).Output()
	if want := fmt.Sprintf(meta+"\n"+meta+"\n", "1", "2"); err != nil || string(out) != want {
		t.Errorf("%s sends %q: %v", paste(r), out, err)
	}
	if r.Frames[1].Session = "another"; paste(r) != "" {
		t.Error("there is a command although two connections were used")
	}
}

// paste is what can be pasted for the first result.
func paste(r *reports.Report) string {
	_, text := pasted(r, &r.Results[0])
	return text
}

// TestOneCauseIsOneFinding: what fails in one revision and warns in another stands once.
func TestOneCauseIsOneFinding(t *testing.T) {
	r := reports.New(reports.Tool{}, reports.Target{}, reports.Config{})
	for _, revision := range []string{"2024-11-05", "2025-03-26", "2026-07-28"} {
		verdict := reports.Warn
		if revision == "2026-07-28" {
			verdict = reports.Fail
		}
		r.Results = append(r.Results, reports.Result{ID: "LCH-04", Title: "No list change",
			Revision: revision, Transport: "stdio", Verdict: verdict, Cause: "no-list-changed",
			Actual: "one"})
	}
	r.Summarize(reports.SummaryOptions{})
	text := render(t, r, Options{Width: 120})
	if strings.Count(text, "No list change") != 2 || strings.Contains(text, "WARNINGS") ||
		!strings.Contains(text,
			"2026-07-28 on stdio; as a warning in 2025-03-26 on stdio; 2024-11-05 on stdio") {
		t.Error(text)
	}
}

// TestNotesAreNoBytes: a note on what was sent stands in brackets, that on an event does not.
func TestNotesAreNoBytes(t *testing.T) {
	for want, f := range map[string]reports.Frame{
		"#1 ← [not JSON] Server running": {Number: 1, Direction: reports.In, Note: "not JSON",
			Data: []byte("Server running")},
		"#2 · the process ended": {Number: 2, Direction: reports.Note, Note: "the process ended"},
	} {
		if got := strings.Join(FrameLines(&f, 100), "\n"); got != want {
			t.Errorf("%q instead of %q", got, want)
		}
	}
}
