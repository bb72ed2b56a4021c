package write

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/mcpcheck/mcpcheck/reports"
)

// element is what the schema junit-10 says of an element: its attributes (true
// if required), its child elements, and whether it holds text.
type element struct {
	attributes map[string]bool
	children   []string
	text       bool
}

var junitSchema = map[string]element{
	"testsuites": {map[string]bool{"name": false, "time": false, "tests": false, "failures": false,
		"errors": false}, []string{"testsuite"}, false},
	"testsuite": {map[string]bool{"name": true, "tests": true, "failures": true, "errors": true,
		"skipped": false, "time": false, "id": false,
		"timestamp": false, "hostname": false, "package": false, "group": false, "file": false, "log": false,
		"url": false, "version": false},
		[]string{"testsuite", "properties", "testcase", "system-out", "system-err"}, false},
	"properties": {nil, []string{"property"}, false},
	"property":   {map[string]bool{"name": true, "value": true}, nil, false},
	"testcase": {map[string]bool{"name": true, "time": false, "classname": false, "group": false},
		[]string{"skipped", "error", "failure", "system-out", "system-err"}, false},
	"failure":    {map[string]bool{"type": false, "message": false}, nil, true},
	"error":      {map[string]bool{"type": false, "message": false}, nil, true},
	"skipped":    {map[string]bool{"type": false, "message": false}, nil, true},
	"system-out": {nil, nil, true},
}

var schemaTime = regexp.MustCompile(`^(([0-9]{0,3},)*[0-9]{3}|[0-9]{0,3})*(\.[0-9]{0,3})?$`)

// validate holds a file against the schema.
func validate(raw []byte) error {
	d := xml.NewDecoder(bytes.NewReader(raw))
	d.Strict = true
	var stack []string
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		switch x := token.(type) {
		case xml.StartElement:
			if err := validateElement(stack, x); err != nil {
				return err
			}
			stack = append(stack, x.Name.Local)
		case xml.EndElement:
			stack = stack[:len(stack)-1]
		case xml.CharData:
			if len(stack) > 0 && !junitSchema[stack[len(stack)-1]].text &&
				strings.TrimSpace(string(x)) != "" {
				return fmt.Errorf("text %q in %v", x, stack)
			}
		}
	}
}

func validateElement(stack []string, x xml.StartElement) error {
	name := x.Name.Local
	rule, ok := junitSchema[name]
	switch {
	case !ok:
		return fmt.Errorf("unknown element %s", name)
	case len(stack) == 0 && name != "testsuites":
		return fmt.Errorf("root %s", name)
	case len(stack) > 0 && !slices.Contains(junitSchema[stack[len(stack)-1]].children, name):
		return fmt.Errorf("%s in %v", name, stack)
	}
	seen := map[string]bool{}
	for _, a := range x.Attr {
		if _, ok := rule.attributes[a.Name.Local]; !ok {
			return fmt.Errorf("attribute %s of %s", a.Name.Local, name)
		}
		seen[a.Name.Local] = true
		if a.Name.Local == "time" && !schemaTime.MatchString(a.Value) {
			return fmt.Errorf("time %q", a.Value)
		}
	}
	for attribute, required := range rule.attributes {
		if required && !seen[attribute] {
			return fmt.Errorf("%s without %s", name, attribute)
		}
	}
	return nil
}

type junitFile struct {
	Name   string `xml:"name,attr"`
	Suites []struct {
		Name     string  `xml:"name,attr"`
		Time     float64 `xml:"time,attr"`
		Tests    int     `xml:"tests,attr"`
		Failures int     `xml:"failures,attr"`
		Errors   int     `xml:"errors,attr"`
		Skipped  int     `xml:"skipped,attr"`
		Props    []struct {
			Name  string `xml:"name,attr"`
			Value string `xml:"value,attr"`
		} `xml:"properties>property"`
		Cases []struct {
			Class   string     `xml:"classname,attr"`
			Name    string     `xml:"name,attr"`
			Time    float64    `xml:"time,attr"`
			Failure *junitText `xml:"failure"`
			Error   *junitText `xml:"error"`
			Skipped *struct {
				Message string `xml:"message,attr"`
			} `xml:"skipped"`
			Out string `xml:"system-out"`
		} `xml:"testcase"`
	} `xml:"testsuite"`
}

type junitText struct {
	Message string `xml:"message,attr"`
	Kind    string `xml:"type,attr"`
	Text    string `xml:",chardata"`
}

func junit(t *testing.T, r *reports.Report, strict bool) ([]byte, junitFile) {
	t.Helper()
	var b bytes.Buffer
	if err := JUnit(&b, r, Options{Strict: strict}); err != nil {
		t.Fatal(err)
	}
	if err := validate(b.Bytes()); err != nil {
		t.Fatalf("invalid: %v\n%s", err, b.Bytes())
	}
	var f junitFile
	if err := xml.Unmarshal(b.Bytes(), &f); err != nil {
		t.Fatal(err)
	}
	return b.Bytes(), f
}

func TestJUnit(t *testing.T) {
	_, f := junit(t, sample(), false)
	if len(f.Suites) != 5 {
		t.Fatalf("%d suites", len(f.Suites))
	}
	// Warnings pass, and have test cases of their own, which viewers show.
	w := f.Suites[0]
	if w.Name != "! warnings" || w.Tests != 1 || w.Skipped != 1 || w.Cases[0].Class != "warnings.warning" ||
		w.Cases[0].Skipped == nil {
		t.Errorf("warnings %+v", w)
	}
	if _, f := junit(t, sample(), true); f.Suites[0].Name == "! warnings" {
		t.Error("warnings that count as failures are told twice")
	}
	varied := sample()
	for i := range varied.Results {
		varied.Results[i].Actual += " in " + varied.Results[i].Revision
	}
	if _, f := junit(t, varied, false); strings.Count(f.Suites[0].Cases[0].Skipped.Message, "(in ") != 1 {
		t.Errorf("where a warning was seen is told more than once: %s", f.Suites[0].Cases[0].Skipped.Message)
	}
	if strings.Count(w.Cases[0].Out, "level: ") != 1 {
		t.Errorf("output of a warning: %s", w.Cases[0].Out)
	}
	s := f.Suites[1]
	if len(s.Props) > 8 {
		t.Errorf("%d properties stand before the first test", len(s.Props))
	}
	if s.Name != "2025-06-18.stdio" || s.Tests != 5 || s.Failures != 1 || s.Errors != 1 || s.Skipped != 1 {
		t.Errorf("suite %+v", s)
	}
	for _, c := range s.Cases {
		got := fmt.Sprint(c.Name, " ", c.Class, " ", c.Failure != nil, c.Error != nil, c.Skipped != nil)
		want := map[string]string{
			"PAGE-9":  "PAGE-9 A cursor is a string 2025-06-18.stdio.PAGE true false false",
			"PAGE-10": "PAGE-10 An empty page is legal 2025-06-18.stdio.PAGE false false false",
			"READ-09": "READ-09 Pad bits are zero 2025-06-18.stdio.READ false false false",
			"TMPL-12": "TMPL-12 Values arrive decoded 2025-06-18.stdio.TMPL false false true",
			"SUB-01":  "SUB-01 Subscribe answers 2025-06-18.stdio.SUB false true false",
		}[strings.Fields(c.Name)[0]]
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if text := s.Cases[0].Failure.Text; !strings.Contains(text, `#1 → {"jsonrpc"`) ||
		!strings.Contains(text, "what to change: send the cursor") {
		t.Errorf("text of a failure: %s", text)
	}
	if out := s.Cases[0].Out; !strings.HasSuffix(out, "\nverdict: fail\n") {
		t.Errorf("the output of a failure repeats its text: %s", out)
	}
	if out := s.Cases[2].Out; !strings.Contains(out, "the pad bits are set") {
		t.Errorf("output of a warning: %s", out)
	}
}

func TestJUnitStrictAndExcused(t *testing.T) {
	r := sample()
	if _, f := junit(t, r, true); f.Suites[0].Failures != 2 {
		t.Errorf("%d failures under strict", f.Suites[0].Failures)
	}
	for i := range r.Results {
		r.Results[i].Excused = r.Results[i].Verdict.Red()
	}
	_, f := junit(t, r, true)
	if f.Suites[0].Failures != 0 || !strings.Contains(f.Suites[0].Cases[0].Out, "excused") {
		t.Error("an excused verdict counts as a failure")
	}
}

// TestJUnitOfNoRun: a server that could not be reached, and a run that ended early, are no success.
func TestJUnitOfNoRun(t *testing.T) {
	r := sample()
	r.Target.Endpoints = append(r.Target.Endpoints, reports.Endpoint{Transport: "http",
		Address: "http://127.0.0.1:9/mcp", Unreachable: "nothing listens"},
		reports.Endpoint{Transport: "http", Started: "node server.js", Unreachable: "the process ended"})
	r.Summary.Interrupted = "interrupted"
	_, f := junit(t, r, false)
	s := f.Suites[0]
	if s.Name != "! target" || s.Tests != 3 || s.Errors != 3 {
		t.Fatalf("got %+v", s)
	}
	for i, want := range []string{"unreachable: http://127.0.0.1:9/mcp can be reached: nothing listens",
		"unreachable: the server to be started for http can be reached: the process ended",
		"interrupted: the run comes to its end: it was interrupted"} {
		if c := s.Cases[i]; c.Error == nil || c.Error.Kind+": "+c.Name+": "+c.Error.Message != want ||
			!strings.Contains(c.Error.Text, c.Error.Message) {
			t.Errorf("got %+v, want %s", c, want)
		}
	}
}

func TestJUnitHostile(t *testing.T) {
	raw, f := junit(t, hostileReport(), true)
	text := string(raw)
	keep(t, "hostile.xml", text)
	for _, bad := range []string{"<script", "]]>", "[[ATTACHMENT", "\n##vso[", "\n::error"} {
		if strings.Contains(text, bad) {
			t.Errorf("the file contains %q", bad)
		}
	}
	inert(t, text)
	if !strings.Contains(f.Suites[0].Cases[0].Out, `\x1b[31m`) || !strings.Contains(f.Suites[0].Cases[0].Out,
		`\x00`) {
		t.Error("control characters vanish instead of being visible")
	}
}

// inert fails if a text holds characters that act instead of being shown.
func inert(t *testing.T, text string) {
	t.Helper()
	for i, r := range text {
		if r != '\n' && !unicode.IsPrint(r) {
			t.Fatalf("the character %U at %d: %q", r, i, text[max(0, i-20):min(len(text), i+20)])
		}
	}
}

func TestJUnitTimes(t *testing.T) {
	for _, ms := range []float64{0, -1, 0.4, 1234.5678, 1e9, 1e13} {
		if s := seconds(ms); !schemaTime.MatchString(s) {
			t.Errorf("%v ms is written %q", ms, s)
		} else if _, err := strconv.ParseFloat(s, 64); err != nil {
			t.Error(err)
		}
	}
}

// TestJUnitSuitesShareTheRun: whatever is played for several requirements, or while something
// else is, cases add up to their suites, and these to the run.
func TestJUnitSuitesShareTheRun(t *testing.T) {
	r := sample()
	for i := range r.Results {
		r.Results[i].DurationMS = 1000 // 5 of them in each of 4 suites
	}
	for run, want := range map[float64]float64{3000: 0.75, 60_000: 15, 0: 5} {
		r.Summary.DurationMS = run
		_, f := junit(t, r, true)
		for _, s := range f.Suites {
			if s.Time != want {
				t.Errorf("run of %v ms: %s takes %v s, not %v", run, s.Name, s.Time, want)
			}
			sum := 0.0
			for _, c := range s.Cases {
				sum += c.Time
			}
			if math.Abs(sum-want) > 0.01 {
				t.Errorf("run of %v ms: the cases of %s take %v s, not %v", run, s.Name, sum, want)
			}
		}
	}
}

func TestJUnitEvidenceIsBounded(t *testing.T) {
	r := sample()
	r.Frames = nil
	var evidence []int
	data := bytes.Repeat([]byte("\x01"), 100_000)
	for n := 1; n <= 1000; n++ {
		r.Frames = append(r.Frames, reports.Frame{Number: n, Direction: reports.In, Data: data,
			Size: len(data)})
		evidence = append(evidence, n)
	}
	r.Results = r.Results[:1]
	r.Results[0].Evidence = evidence
	raw, _ := junit(t, r, false)
	if len(raw) > 400_000 {
		t.Errorf("%d bytes", len(raw))
	}
	if !bytes.Contains(raw, []byte("and 980 frames more")) {
		t.Error("the cut is not mentioned")
	}
}
