package reports

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
)

// TestOneOutcome: every format says the outcome in the same words, and none of a partial run
// that it is plainly conformant.
func TestOneOutcome(t *testing.T) {
	runs := map[string]struct {
		options SummaryOptions
		quick   *Quick
	}{
		"":              {},
		", partial run": {options: SummaryOptions{Partial: true}},
		", quick run":   {SummaryOptions{Partial: true}, &Quick{Revision: "2025-11-25", Transport: "stdio"}},
		", ended early": {options: SummaryOptions{Partial: true, Interrupted: "budget"}},
	}
	for _, verdict := range []Verdict{Pass, Warn, Fail, Blocked, NotApplicable} {
		for extent, run := range runs {
			r := New(Tool{}, Target{}, Config{Quick: run.quick})
			r.Results = []Result{{ID: "A-1", Level: LevelMust, Verdict: verdict, Revision: "2025-11-25", Transport: "stdio"}}
			r.Summarize(run.options)
			word := view{r: r}.standing().String()
			if !strings.HasSuffix(word, extent) || extent != "" && strings.HasPrefix(word, "CONFORMANT") {
				t.Errorf("%s of a run%s is called %q", verdict, extent, word)
			}
			column := MatrixColumn("x", r, r.ExitCode(false, false), 0)
			if got := column.Word(); got != strings.ToLower(word) {
				t.Errorf("%s, run%s: the matrix says %q, the report %q", verdict, extent, got, word)
			}
			badge := written(t, func(w io.Writer) error { return WriteBadge(w, r, "") })
			head, tail, _ := strings.Cut(word, ",")
			if !strings.Contains(badge, ">"+strings.ToLower(head)) || !strings.Contains(badge, tail+"</text>") {
				t.Errorf("%s, run%s: the report says %q, the badge %s", verdict, extent, word, badge)
			}
			for name, write := range map[string]func(io.Writer) error{
				"console":   func(w io.Writer) error { return WriteConsole(w, r, Options{Quiet: true}) },
				"Markdown":  func(w io.Writer) error { return WriteMarkdown(w, r, Options{}) },
				"HTML":      func(w io.Writer) error { return WriteHTML(w, r, Options{}) },
				"SARIF":     func(w io.Writer) error { return WriteSARIF(w, r, Options{}) },
				"JUnit":     func(w io.Writer) error { return WriteJUnit(w, r, Options{}) },
				"statement": func(w io.Writer) error { return WriteStatement(w, r, StatementOptions{}) },
			} {
				if text := written(t, write); !strings.Contains(text, word) {
					t.Errorf("%s, run%s: %s does not say %q", verdict, extent, name, word)
				}
			}
		}
	}
}

// TestUnreachableIsNoPartialRun: where no endpoint could be reached nothing was narrowed down, whatever the flags.
func TestUnreachableIsNoPartialRun(t *testing.T) {
	for name, options := range map[string]SummaryOptions{"full": {}, "partial": {Partial: true}} {
		r := New(Tool{}, Target{Endpoints: []Endpoint{{Transport: "stdio", Unreachable: "no such program"}}}, Config{Quick: &Quick{}})
		r.Summarize(options)
		column := MatrixColumn("x", r, ExitNotEstablished, 0)
		for _, word := range []string{view{r: r}.standing().String(), strings.ToUpper(column.Word())} {
			if want := "NOT ESTABLISHED, unreachable"; !strings.EqualFold(word, want) {
				t.Errorf("%s: %q instead of %q", name, word, want)
			}
		}
	}
}

func TestReadMatrixOfAReport(t *testing.T) {
	var b bytes.Buffer
	if err := WriteJSON(&b, sample()); err != nil {
		t.Fatal(err)
	}
	_, err := ReadMatrix(&b)
	var other *NotMatrixError
	if !errors.As(err, &other) || other.Schema != Schema {
		t.Errorf("%v", err)
	}
}

// TestCompareMatrices: what differs is told by target, and a target that has no report any more by its name.
func TestCompareMatrices(t *testing.T) {
	matrix := func(verdicts map[string]Verdict, judged bool) *Matrix {
		m := NewMatrix(Tool{}, "")
		m.Requirements = []MatrixRequirement{{"A-1", "one", LevelMust}, {"A-2", "two", LevelMust}}
		m.Targets = []MatrixTarget{{Name: "first", Status: MatrixJudged, Verdicts: verdicts}, {Name: "second", Status: MatrixNoReport}}
		if judged {
			m.Targets[1].Status, m.Targets[1].Verdicts = MatrixJudged, map[string]Verdict{"A-1": Pass}
		}
		m.Summarize()
		return m
	}
	d := CompareMatrices(matrix(map[string]Verdict{"A-1": Pass, "A-2": Fail}, true), matrix(map[string]Verdict{"A-1": Fail, "A-2": Pass}, false))
	text := written(t, func(w io.Writer) error { return WriteDiff(w, d, Options{Width: 120}) })
	for _, want := range []string{"A-1  one: fail, was pass (first)", "A-2  two: pass, was fail (first)", "A-1  one: not in the report, was pass (second)",
		"there is no report on second", "REGRESSED  1 regression"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
	if same := CompareMatrices(matrix(nil, true), matrix(nil, true)); same.Differs() || same.ExitCode(true) != ExitOK {
		t.Errorf("%+v", same)
	}
}

func TestMergeMatricesMissing(t *testing.T) {
	shard := func(s string) *Matrix { return NewMatrix(Tool{}, s) }
	for _, test := range []struct {
		list    []*Matrix
		missing int
		exit    int
		fails   bool
	}{
		{[]*Matrix{shard("1/2"), shard("2/2")}, 0, ExitOK, false},
		{[]*Matrix{shard("1/3"), shard("3/3")}, 1, ExitNotEstablished, false},
		{[]*Matrix{shard("")}, 0, ExitOK, false},
		{[]*Matrix{shard("1/2"), shard("2/3")}, 0, 0, true},
		{[]*Matrix{shard("x")}, 0, 0, true},
		{[]*Matrix{shard("1/999999999")}, 0, 0, true},
	} {
		for i, m := range test.list {
			m.Started = fmt.Sprintf("2026-11-2%dT00:00:00Z", 9-i)
		}
		m, err := MergeMatrices(test.list, func(_ int, p string) string { return p })
		if (err != nil) != test.fails {
			t.Errorf("%v: %v", test, err)
		} else if err == nil && (len(m.Missing) != test.missing || m.ExitCode() != test.exit || m.Started != test.list[len(test.list)-1].Started) {
			t.Errorf("%v: %v %d", test, m.Missing, m.ExitCode())
		}
	}
}
