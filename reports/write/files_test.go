package write

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/mcpcheck/mcpcheck/reports"
)

// Nothing that a target sent becomes a link in code scanning.
func TestSARIFLinks(t *testing.T) {
	r := reports.New(reports.Tool{}, reports.Target{Name: "x"}, reports.Config{})
	const link = "[click](https://evil.example)"
	for i, v := range []reports.Verdict{reports.Fail, reports.Blocked} {
		r.Results = append(r.Results, reports.Result{ID: []string{"A-01", "A-02"}[i], Title: link,
			Level: reports.LevelMust, Verdict: v, Revision: "2025-06-18", Transport: "stdio",
			Expected: link, Actual: link, Reason: link, Hint: link, Excused: true, ExcusedReason: link,
			Section: "s", Link: "https://a) ![x](https://evil.example"})
	}
	r.Summarize(reports.SummaryOptions{Interrupted: link})
	text := written(t, SARIF, r, Options{})
	for line := range strings.Lines(text) {
		if strings.Contains(line, "](https://evil") && !strings.Contains(line, `\\](`) &&
			!strings.Contains(line, `\\]\\(`) {
			t.Error(line)
		}
	}
}

// A report that could not reach the target does not look like one without regressions.
func TestCompareUnreachable(t *testing.T) {
	old := sample()
	for name, gone := range map[string]func(*reports.Report){
		"unreachable": func(r *reports.Report) {
			r.Target.Endpoints = []reports.Endpoint{{Transport: "http", Address: "http://x",
				Unreachable: "refused"}}
		},
		"interrupted": func(r *reports.Report) { r.Summary.Interrupted = "the budget is spent" },
		"empty":       func(*reports.Report) {},
	} {
		latest := reports.New(old.Tool, reports.Target{Name: old.Target.Name}, reports.Config{})
		gone(latest)
		d := reports.Compare(old, latest)
		var b bytes.Buffer
		if err := Diff(&b, d, Options{}); err != nil || !d.Worse(false) || d.NotJudged == "" ||
			!strings.Contains(b.String(), "REGRESSED") || strings.Contains(b.String(), "NO REGRESSION") {
			t.Errorf("%s: %v: %q\n%s", name, err, d.NotJudged, b.String())
		}
	}
	// Another selection is none of that.
	latest := sample()
	for i := range latest.Results {
		latest.Results[i].Revision = "2024-11-05"
	}
	latest.Results = latest.Results[:1]
	if d := reports.Compare(old, latest); d.NotJudged != "" {
		t.Errorf("%+v", d)
	}
}

func TestWriteDiff(t *testing.T) {
	var b bytes.Buffer
	if err := Diff(&b, reports.Compare(sample(), hostileReport()), Options{Verbose: true}); err != nil {
		t.Fatal(err)
	}
	inert(t, b.String())
	b.Reset()
	if err := reports.WriteDiffJSON(&b, reports.Compare(sample(), hostileReport())); err != nil ||
		!json.Valid(b.Bytes()) {
		t.Error(err)
	}
}

func TestBadge(t *testing.T) {
	for _, r := range []*reports.Report{sample(), hostileReport(),
		reports.New(reports.Tool{}, reports.Target{}, reports.Config{})} {
		var b bytes.Buffer
		if err := Badge(&b, r, hostile); err != nil {
			t.Fatal(err)
		}
		inert(t, b.String())
		d := xml.NewDecoder(&b)
		for {
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestStatement holds a statement to the rules of its types: each resource has a
// uri, a digest or content, digests are of the right length, and the result is one of
// the three words.
func TestStatement(t *testing.T) {
	for _, test := range []struct {
		verdicts []reports.Verdict // what is in the report
		o        reports.SummaryOptions
		want     string
	}{
		{reports.Verdicts(), reports.SummaryOptions{}, "FAILED"},
		{[]reports.Verdict{reports.Pass, reports.Fail}, reports.SummaryOptions{Partial: true}, "FAILED"},
		{[]reports.Verdict{reports.Pass, reports.Warn}, reports.SummaryOptions{Strict: true}, "FAILED"},
		// not established
		{[]reports.Verdict{reports.Pass, reports.Blocked}, reports.SummaryOptions{}, "FAILED"},
		{[]reports.Verdict{reports.NotApplicable}, reports.SummaryOptions{}, "FAILED"},
		{[]reports.Verdict{reports.Pass, reports.Warn}, reports.SummaryOptions{}, "WARNED"},
		{[]reports.Verdict{reports.Pass, reports.Warn}, reports.SummaryOptions{Partial: true}, "WARNED"},
		{[]reports.Verdict{reports.Pass}, reports.SummaryOptions{Partial: true}, "WARNED"},
		{[]reports.Verdict{reports.Pass}, reports.SummaryOptions{}, "PASSED"},
	} {
		r := sample()
		r.Results = slices.DeleteFunc(r.Results, func(x reports.Result) bool {
			return !slices.Contains(test.verdicts, x.Verdict)
		})
		r.Summarize(test.o)
		var b bytes.Buffer
		if err := Statement(&b, r, StatementOptions{Name: "c.mcpcert",
			Digest: sha256.Sum256([]byte("x"))}); err != nil {
			t.Fatal(err)
		}
		var s statement
		if err := json.Unmarshal(b.Bytes(), &s); err != nil {
			t.Fatal(err)
		}
		if s.Type != StatementType || s.PredicateType != PredicateType || s.Predicate.Result != test.want {
			t.Errorf("%v %+v: %s %s %s, not %s", test.verdicts, test.o, s.Type, s.PredicateType,
				s.Predicate.Result, test.want)
		}
		if len(s.Subject) != 1 || len(s.Subject[0].Digest["sha256"]) != 64 {
			t.Errorf("subject %+v", s.Subject)
		}
		for _, x := range s.Predicate.Configuration {
			if x.URI == "" && len(x.Digest) == 0 {
				t.Errorf("the resource %s has neither uri nor digest", x.Name)
			}
		}
	}
	var b bytes.Buffer
	if err := Statement(&b, hostileReport(),
		StatementOptions{Subjects: []Artifact{{Name: "x",
			Digest: map[string]string{"sha256": "00"}}}}); err != nil {
		t.Fatal(err)
	}
	inert(t, b.String())
}

// TestCompareFound: a diff parts what is found where nothing was judged before from what
// became worse, and reports with nothing in common are not compared.
func TestCompareFound(t *testing.T) {
	place := func(r *reports.Report, id string) *reports.Result {
		return &r.Results[slices.IndexFunc(r.Results, func(x reports.Result) bool { return x.ID == id })]
	}
	for name, test := range map[string]struct {
		change         func(old, latest *reports.Report)
		normal, strict int
		word           string
	}{
		"the same": {func(_, _ *reports.Report) {}, reports.ExitOK, reports.ExitOK, "NO REGRESSION"},
		"a failure": {func(_, l *reports.Report) { place(l, "TMPL-12").Verdict = reports.Fail },
			reports.ExitFindings, reports.ExitFindings, "NEW FINDINGS"},
		"a warning": {func(_, l *reports.Report) { place(l, "TMPL-12").Verdict = reports.Warn },
			reports.ExitOK, reports.ExitFindings, "NO REGRESSION"},
		"excused": {func(_, l *reports.Report) {
			x := place(l, "TMPL-12")
			x.Verdict,
				x.Excused = reports.Fail, true
		}, reports.ExitOK, reports.ExitOK, "NO REGRESSION"},
		"nothing to read": {func(_, l *reports.Report) {
			x := place(l, "PAGE-10")
			x.Verdict, x.ReasonCode = reports.NotApplicable, reports.CodeNeedsSubject
		}, reports.ExitOK, reports.ExitFindings, "LESS JUDGED"},
		"not declared": {func(_, l *reports.Report) {
			x := place(l, "PAGE-10")
			x.Verdict, x.ReasonCode = reports.NotApplicable, reports.CodeUndeclared
		}, reports.ExitOK, reports.ExitFindings, "LESS JUDGED"},
		"no occasion": {func(_, l *reports.Report) {
			x := place(l, "PAGE-10")
			x.Verdict, x.ReasonCode = reports.NotApplicable, reports.CodeNotExercised
		}, reports.ExitOK, reports.ExitOK, "NO REGRESSION"},
		"a SHOULD blocked": {func(o, l *reports.Report) {
			place(o, "READ-09").Level = reports.LevelShould
			x := place(l, "READ-09")
			x.Level, x.Verdict = reports.LevelShould, reports.Blocked
		}, reports.ExitOK, reports.ExitFindings, "LESS JUDGED"},
		"a MUST blocked": {func(_, l *reports.Report) { place(l, "PAGE-10").Verdict = reports.Blocked },
			reports.ExitFindings, reports.ExitFindings, "REGRESSED"},
		"not answered": {func(_, l *reports.Report) {
			gone := place(l, "READ-09").Revision
			l.Target.Endpoints[0].Unanswered = []string{gone + ": initialize was not answered"}
			l.Results = slices.DeleteFunc(l.Results, func(x reports.Result) bool {
				return x.Revision == gone && x.Transport == "stdio"
			})
		}, reports.ExitFindings, reports.ExitFindings, "REGRESSED"},
		"nothing in common": {func(o, l *reports.Report) {
			o.Results, l.Results = o.Results[:0],
				l.Results[:1]
		}, reports.ExitNotEstablished, reports.ExitNotEstablished, "NOTHING COMPARED"},
		"a regression too": {func(_, l *reports.Report) {
			place(l, "TMPL-12").Verdict, place(l, "PAGE-10").Verdict = reports.Fail, reports.Fail
		}, reports.ExitFindings, reports.ExitFindings, "REGRESSED"},
	} {
		old, latest := sample(), sample()
		test.change(old, latest)
		d := reports.Compare(old, latest)
		if d.ExitCode(false) != test.normal || d.ExitCode(true) != test.strict {
			t.Errorf("%s: status %d, strict %d", name, d.ExitCode(false), d.ExitCode(true))
		}
		var b strings.Builder
		if err := Diff(&b, d, Options{}); err != nil || !strings.Contains(b.String(), "\n"+test.word+"  ") {
			t.Errorf("%s: %v\n%s", name, err, b.String())
		}
	}
}

// TestOneOutcome: every format says the outcome in the same words, and none of a partial run
// that it is plainly conformant.
func TestOneOutcome(t *testing.T) {
	runs := map[string]struct {
		options reports.SummaryOptions
		quick   *reports.Quick
	}{
		"":              {},
		", partial run": {options: reports.SummaryOptions{Partial: true}},
		", quick run": {reports.SummaryOptions{Partial: true}, &reports.Quick{Revision: "2025-11-25",
			Transport: "stdio"}},
		", ended early": {options: reports.SummaryOptions{Partial: true, Interrupted: "budget"}},
	}
	for _, verdict := range []reports.Verdict{reports.Pass, reports.Warn, reports.Fail, reports.Blocked,
		reports.NotApplicable} {
		for extent, run := range runs {
			r := reports.New(reports.Tool{}, reports.Target{}, reports.Config{Quick: run.quick})
			r.Results = []reports.Result{{ID: "A-1", Level: reports.LevelMust, Verdict: verdict,
				Revision: "2025-11-25", Transport: "stdio"}}
			r.Summarize(run.options)
			word := view{Report: r}.Standing().String()
			if !strings.HasSuffix(word, extent) || extent != "" && strings.HasPrefix(word, "CONFORMANT") {
				t.Errorf("%s of a run%s is called %q", verdict, extent, word)
			}
			column := reports.MatrixColumn("x", r, r.ExitCode(false, false), 0)
			if got := Word(&column); got != strings.ToLower(word) {
				t.Errorf("%s, run%s: the matrix says %q, the report %q", verdict, extent, got, word)
			}
			badge := written(t, Badge, r, "")
			head, tail, _ := strings.Cut(word, ",")
			if !strings.Contains(badge, ">"+strings.ToLower(head)) ||
				!strings.Contains(badge, tail+"</text>") {
				t.Errorf("%s, run%s: the report says %q, the badge %s", verdict, extent, word, badge)
			}
			for name, text := range map[string]string{
				"console":   render(t, r, Options{Quiet: true}),
				"Markdown":  written(t, Markdown, r, Options{}),
				"HTML":      written(t, HTML, r, Options{}),
				"SARIF":     written(t, SARIF, r, Options{}),
				"JUnit":     written(t, JUnit, r, Options{}),
				"statement": written(t, Statement, r, StatementOptions{}),
			} {
				if !strings.Contains(text, word) {
					t.Errorf("%s, run%s: %s does not say %q", verdict, extent, name, word)
				}
			}
		}
	}
}

// TestUnreachableIsNoPartialRun: where no endpoint could be reached nothing was narrowed down, whatever the
// flags.
func TestUnreachableIsNoPartialRun(t *testing.T) {
	for name, options := range map[string]reports.SummaryOptions{"full": {}, "partial": {Partial: true}} {
		r := reports.New(reports.Tool{},
			reports.Target{Endpoints: []reports.Endpoint{{Transport: "stdio",
				Unreachable: "no such program"}}}, reports.Config{Quick: &reports.Quick{}})
		r.Summarize(options)
		column := reports.MatrixColumn("x", r, reports.ExitNotEstablished, 0)
		for _, word := range []string{view{Report: r}.Standing().String(), strings.ToUpper(Word(&column))} {
			if want := "NOT ESTABLISHED, unreachable"; !strings.EqualFold(word, want) {
				t.Errorf("%s: %q instead of %q", name, word, want)
			}
		}
	}
}

// TestCompareMatrices: the diff names what differs by target, and a target that has no report any more by its
// name.
func TestCompareMatrices(t *testing.T) {
	matrix := func(verdicts map[string]reports.Verdict, judged bool) *reports.Matrix {
		m := reports.NewMatrix(reports.Tool{}, "")
		m.Requirements = []reports.MatrixRequirement{{ID: "A-1", Title: "one", Level: reports.LevelMust},
			{ID: "A-2", Title: "two", Level: reports.LevelMust}}
		m.Targets = []reports.MatrixTarget{{Name: "first", Status: reports.MatrixJudged, Verdicts: verdicts},
			{Name: "second", Status: reports.MatrixNoReport}}
		if judged {
			m.Targets[1].Status, m.Targets[1].Verdicts = reports.MatrixJudged,
				map[string]reports.Verdict{"A-1": reports.Pass}
		}
		m.Summarize()
		return m
	}
	d := reports.CompareMatrices(matrix(map[string]reports.Verdict{"A-1": reports.Pass, "A-2": reports.Fail},
		true), matrix(map[string]reports.Verdict{"A-1": reports.Fail, "A-2": reports.Pass}, false))
	text := written(t, Diff, d, Options{Width: 120})
	for _, want := range []string{"A-1  one: fail, was pass (first)", "A-2  two: pass, was fail (first)",
		"A-1  one: not in the report, was pass (second)",
		"there is no report on second", "REGRESSED  1 regression"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
	if same := reports.CompareMatrices(matrix(nil, true), matrix(nil, true)); same.Differs() ||
		same.ExitCode(true) != reports.ExitOK {
		t.Errorf("%+v", same)
	}
}

func TestWritersReportErrors(t *testing.T) {
	for name, write := range map[string]func(io.Writer) error{
		"json":    func(w io.Writer) error { return reports.WriteJSON(w, sample()) },
		"junit":   func(w io.Writer) error { return JUnit(w, sample(), Options{}) },
		"console": func(w io.Writer) error { return Console(w, sample(), Options{}) },
	} {
		if err := write(&failingWriter{}); err == nil || !strings.Contains(err.Error(), "disk full") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestHostileJSON(t *testing.T) {
	r := hostileReport()
	r.Summarize(reports.SummaryOptions{Strict: r.Config.Strict, Partial: true})
	raw := encode(t, r)
	if bytes.Contains(raw, []byte("<script>")) || bytes.ContainsAny(raw, "\x00\x1b") {
		t.Error("hostile text is not escaped")
	}
	if _, err := reports.ReadJSON(bytes.NewReader(raw)); err != nil {
		t.Error(err)
	}
}

func FuzzReadJSON(f *testing.F) {
	f.Add(encode(f, sample()))
	f.Add([]byte(`{"schema":"mcpcheck.report/1"}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		r, err := reports.ReadJSON(bytes.NewReader(raw))
		if err != nil {
			return
		}
		if err := JUnit(io.Discard, r, Options{Strict: true}); err != nil {
			t.Error(err)
		}
		if err := Console(io.Discard, r, Options{}); err != nil {
			t.Error(err)
		}
		if _, err := reports.ReadJSON(bytes.NewReader(encode(t, r))); err != nil {
			t.Errorf("what was read cannot be read again: %v", err)
		}
	})
}

// TestByRevision: each revision has its mark and what decides it, and a partial run passes nothing.
func TestByRevision(t *testing.T) {
	at := func(id, revision string, v reports.Verdict) reports.Result {
		x := row(id, reports.LevelMust, v, "")
		x.Revision = revision
		return x
	}
	r := reports.New(reports.Tool{}, reports.Target{}, reports.Config{Since: "2025-03-26"})
	r.Results = []reports.Result{
		at("A-1", "2025-11-25", reports.Pass), at("A-1", "2025-03-26", reports.Fail),
		at("B-1", "2025-03-26", reports.Fail), at("B-2", "2025-03-26", reports.Fail),
		at("B-3", "2025-03-26", reports.Fail), at("C-1", "2025-03-26", reports.Fail),
		at("B-1", "2025-06-18", reports.Blocked), at("A-1", "2025-06-18", reports.Pass),
	}
	r.Results[5].Under = "A-1"
	for want, o := range map[string]reports.SummaryOptions{
		"NOT CONFORMANT, since 2025-03-26; 2025-03-26 ✗ A-1 B-1 B-2 +1  2025-06-18 ? B-1 " +
			" 2025-11-25 ✓": {},
		"NOT CONFORMANT, since 2025-03-26, partial run; 2025-03-26 ✗ A-1 B-1 B-2 +1  2025-06-18 ? B-1  " +
			"2025-11-25 ·": {Partial: true},
	} {
		r.Summarize(o)
		if got := (view{Report: r}).told(); got != want {
			t.Errorf("%s, want %s", got, want)
		}
		column := reports.MatrixColumn("x", r, reports.ExitFindings, 0)
		if got := column.ByRevision(); got != r.Summary.ByRevision() || !strings.Contains(Word(&column),
			"since 2025-03-26") {
			t.Errorf("the matrix says %s; %s", Word(&column), got)
		}
	}
}
