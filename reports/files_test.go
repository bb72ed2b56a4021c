package reports

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
)

func TestCompare(t *testing.T) {
	old, latest := sample(), sample()
	for i := range latest.Results {
		x := &latest.Results[i]
		if x.Transport != "stdio" || x.Revision != "2025-06-18" {
			continue
		}
		switch x.ID {
		case "PAGE-9":
			x.Verdict = Pass // fixed
		case "PAGE-10":
			x.Verdict, x.Actual = Fail, "broken" // regressed
		case "READ-09":
			x.Verdict, x.ReasonCode = NotApplicable, CodeNotExercised // lost
		case "SUB-01":
			x.Verdict = Pass // gained
		}
	}
	latest.Results = append(latest.Results, Result{ID: "PAGE-77", Level: LevelMust, Verdict: Fail, Revision: "2025-06-18", Transport: "stdio"},
		Result{ID: "PAGE-9", Level: LevelMust, Verdict: Fail, Revision: "2026-07-28", Transport: "stdio"})
	d := Compare(old, latest)
	if len(d.Regressions) != 1 || d.Regressions[0].ID != "PAGE-10" || len(d.Fixes) != 1 || len(d.Lost) != 1 || len(d.Gained) != 1 || len(d.Added) != 2 {
		t.Errorf("%+v", d)
	}
	if d.Still != 6 || !d.Worse(false) || len(d.NewRequirements) != 1 || len(d.NewCombinations) != 1 || len(d.GoneRequirements) != 0 {
		t.Errorf("%+v", d)
	}
	if same := Compare(old, old); same.Worse(true) || same.Still != 8 {
		t.Errorf("%+v", same)
	}
	for i := range latest.Results {
		latest.Results[i].Excused = latest.Results[i].Verdict.Red()
	}
	if d := Compare(old, latest); d.Worse(true) {
		t.Errorf("excused verdicts are regressions: %+v", d.Regressions)
	}
}

// TestCompareFound: what is found where nothing was judged before is told apart from what
// became worse, and reports with nothing in common are not compared.
func TestCompareFound(t *testing.T) {
	place := func(r *Report, id string) *Result {
		return &r.Results[slices.IndexFunc(r.Results, func(x Result) bool { return x.ID == id })]
	}
	for name, test := range map[string]struct {
		change         func(old, latest *Report)
		normal, strict int
		word           string
	}{
		"the same":  {func(_, _ *Report) {}, ExitOK, ExitOK, "NO REGRESSION"},
		"a failure": {func(_, l *Report) { place(l, "TMPL-12").Verdict = Fail }, ExitFindings, ExitFindings, "NEW FINDINGS"},
		"a warning": {func(_, l *Report) { place(l, "TMPL-12").Verdict = Warn }, ExitOK, ExitFindings, "NO REGRESSION"},
		"excused":   {func(_, l *Report) { x := place(l, "TMPL-12"); x.Verdict, x.Excused = Fail, true }, ExitOK, ExitOK, "NO REGRESSION"},
		"nothing to read": {func(_, l *Report) {
			x := place(l, "PAGE-10")
			x.Verdict, x.ReasonCode = NotApplicable, CodeNeedsSubject
		}, ExitOK, ExitFindings, "LESS JUDGED"},
		"not declared": {func(_, l *Report) { x := place(l, "PAGE-10"); x.Verdict, x.ReasonCode = NotApplicable, CodeUndeclared }, ExitOK, ExitFindings, "LESS JUDGED"},
		"no occasion": {func(_, l *Report) {
			x := place(l, "PAGE-10")
			x.Verdict, x.ReasonCode = NotApplicable, CodeNotExercised
		}, ExitOK, ExitOK, "NO REGRESSION"},
		"a SHOULD blocked": {func(o, l *Report) {
			place(o, "READ-09").Level = LevelShould
			x := place(l, "READ-09")
			x.Level, x.Verdict = LevelShould, Blocked
		}, ExitOK, ExitFindings, "LESS JUDGED"},
		"a MUST blocked": {func(_, l *Report) { place(l, "PAGE-10").Verdict = Blocked }, ExitFindings, ExitFindings, "REGRESSED"},
		"not answered": {func(_, l *Report) {
			gone := place(l, "READ-09").Revision
			l.Target.Endpoints[0].Unanswered = []string{gone + ": initialize was not answered"}
			l.Results = slices.DeleteFunc(l.Results, func(x Result) bool { return x.Revision == gone && x.Transport == "stdio" })
		}, ExitFindings, ExitFindings, "REGRESSED"},
		"nothing in common": {func(o, l *Report) { o.Results, l.Results = o.Results[:0], l.Results[:1] }, ExitNotEstablished, ExitNotEstablished, "NOTHING COMPARED"},
		"a regression too":  {func(_, l *Report) { place(l, "TMPL-12").Verdict, place(l, "PAGE-10").Verdict = Fail, Fail }, ExitFindings, ExitFindings, "REGRESSED"},
	} {
		old, latest := sample(), sample()
		test.change(old, latest)
		d := Compare(old, latest)
		if d.ExitCode(false) != test.normal || d.ExitCode(true) != test.strict {
			t.Errorf("%s: status %d, strict %d", name, d.ExitCode(false), d.ExitCode(true))
		}
		var b strings.Builder
		if err := WriteDiff(&b, d, Options{}); err != nil || !strings.Contains(b.String(), "\n"+test.word+"  ") {
			t.Errorf("%s: %v\n%s", name, err, b.String())
		}
	}
}

func TestCompareWarnings(t *testing.T) {
	old, latest := sample(), sample()
	passed := &latest.Results[slices.IndexFunc(latest.Results, func(x Result) bool { return x.Verdict == Pass })]
	passed.Verdict = Warn
	d := Compare(old, latest)
	if d.Worse(false) || !d.Worse(true) {
		t.Error("a new warning is a regression, or none, whatever strict says")
	}
	passed.Verdict = Blocked
	if d := Compare(old, latest); !d.Worse(false) {
		t.Error("a MUST that is blocked now is no regression")
	}
}

func TestWriteDiff(t *testing.T) {
	var b bytes.Buffer
	if err := WriteDiff(&b, Compare(sample(), hostileReport()), Options{Verbose: true}); err != nil {
		t.Fatal(err)
	}
	inert(t, b.String())
	b.Reset()
	if err := WriteDiffJSON(&b, Compare(sample(), hostileReport())); err != nil || !json.Valid(b.Bytes()) {
		t.Error(err)
	}
}

// half keeps the results of one transport.
func half(transport string) *Report {
	r := sample()
	kept := r.Results[:0]
	for _, x := range r.Results {
		if x.Transport == transport {
			kept = append(kept, x)
		}
	}
	r.Results = kept
	r.Target.Endpoints[0].Transport = transport
	r.Summarize(SummaryOptions{Profile: testProfile, Profiles: DefaultProfiles(), Partial: true,
		Offered: func(profile, _, t string) bool { return profile != "caching" || t != "http" }})
	return r
}

func TestMerge(t *testing.T) {
	whole, err := Merge([]*Report{half("stdio"), half("http")}, testProfile)
	if err != nil {
		t.Fatal(err)
	}
	if whole.Summary.Counts != sample().Summary.Counts || whole.Summary.Scope != Partial || len(whole.Target.Endpoints) != 2 || len(whole.Frames) != 8 {
		t.Errorf("%+v", whole.Summary)
	}
	for _, x := range whole.Results {
		for _, n := range x.Evidence {
			if f := whole.Frame(n); f == nil || strings.Contains(f.Session, "report 2") != (x.Transport == "http") {
				t.Fatalf("the evidence of %s on %s is %+v", x.ID, x.Transport, f)
			}
		}
	}
	if c := whole.Summary.Combinations; len(c[1].NotOffered)+len(c[0].NotOffered) != 1 {
		t.Errorf("%+v", c)
	}
	var b bytes.Buffer
	if err := WriteJSON(&b, whole); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadJSON(&b); err != nil {
		t.Error(err)
	}
	if again, err := Merge([]*Report{sample(), sample()}, testProfile); err != nil || len(again.Results) != len(sample().Results) || len(again.Observations) != len(sample().Observations) {
		t.Error(err)
	}
}

// TestMergeScope: one that is whole is so behind one that was narrowed as well, and has the command that repeats all.
func TestMergeScope(t *testing.T) {
	narrow, whole := sample(), sample()
	narrow.Summary.Scope, narrow.Config.Only, narrow.Config.Command = Partial, []string{"PAGE-9"}, "mcpcheck run --only PAGE-9"
	for _, list := range [][]*Report{{narrow, whole}, {whole, narrow}} {
		m, err := Merge(list, testProfile)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := ReadJSON(bytes.NewReader(encode(t, m))); err != nil || m.Summary.Scope != Full || m.Config.Command != "" {
			t.Errorf("%v, %s, %q", err, m.Summary.Scope, m.Config.Command)
		}
	}
}

// TestMergeQuick: a quick run is called so only where nothing but quick runs of the same combination are joined.
func TestMergeQuick(t *testing.T) {
	quick := func(revision string) *Report {
		r := sample()
		r.Summary.Scope, r.Config.Quick = Partial, &Quick{Revision: revision, Transport: "stdio"}
		return r
	}
	plain := sample()
	plain.Summary.Scope = Partial
	for name, c := range map[string]struct {
		list []*Report
		want bool
	}{
		"one": {[]*Report{quick("2025-11-25"), quick("2025-11-25")}, true}, "two": {[]*Report{quick("2025-11-25"), quick("2025-06-18")}, false},
		"before another": {[]*Report{quick("2025-11-25"), plain}, false}, "behind another": {[]*Report{plain, quick("2025-11-25")}, false},
	} {
		m, err := Merge(c.list, testProfile)
		if err != nil || (m.Config.Quick != nil) != c.want {
			t.Errorf("%s: got %v, %+v", name, err, m)
		}
	}
}

func TestMergeRefuses(t *testing.T) {
	other, changed, contradicting := sample(), sample(), sample()
	other.Target.Name = "another"
	changed.Tool.Catalogue = "c2"
	contradicting.Results[0].Verdict = NotApplicable
	for _, r := range []*Report{other, changed, contradicting} {
		if _, err := Merge([]*Report{sample(), r}, testProfile); err == nil {
			t.Error("merged")
		}
	}
	if _, err := Merge(nil, testProfile); err == nil {
		t.Error("merged nothing")
	}
}

func TestBadge(t *testing.T) {
	for _, r := range []*Report{sample(), hostileReport(), New(Tool{}, Target{}, Config{})} {
		var b bytes.Buffer
		if err := WriteBadge(&b, r, hostile); err != nil {
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
		verdicts []Verdict // what is in the report
		o        SummaryOptions
		want     string
	}{
		{Verdicts(), SummaryOptions{}, "FAILED"},
		{[]Verdict{Pass, Fail}, SummaryOptions{Partial: true}, "FAILED"},
		{[]Verdict{Pass, Warn}, SummaryOptions{Strict: true}, "FAILED"},
		{[]Verdict{Pass, Blocked}, SummaryOptions{}, "FAILED"}, // not established
		{[]Verdict{NotApplicable}, SummaryOptions{}, "FAILED"},
		{[]Verdict{Pass, Warn}, SummaryOptions{}, "WARNED"},
		{[]Verdict{Pass, Warn}, SummaryOptions{Partial: true}, "WARNED"},
		{[]Verdict{Pass}, SummaryOptions{Partial: true}, "WARNED"},
		{[]Verdict{Pass}, SummaryOptions{}, "PASSED"},
	} {
		r := sample()
		r.Results = slices.DeleteFunc(r.Results, func(x Result) bool { return !slices.Contains(test.verdicts, x.Verdict) })
		r.Summarize(test.o)
		var b bytes.Buffer
		if err := WriteStatement(&b, r, StatementOptions{Report: "r.json", ReportDigest: sha256.Sum256([]byte("x"))}); err != nil {
			t.Fatal(err)
		}
		var s statement
		if err := json.Unmarshal(b.Bytes(), &s); err != nil {
			t.Fatal(err)
		}
		if s.Type != StatementType || s.PredicateType != PredicateType || s.Predicate.Result != test.want {
			t.Errorf("%v %+v: %s %s %s, not %s", test.verdicts, test.o, s.Type, s.PredicateType, s.Predicate.Result, test.want)
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
	if err := WriteStatement(&b, hostileReport(), StatementOptions{Subjects: []Artifact{{Name: "x", Digest: map[string]string{"sha256": "00"}}}}); err != nil {
		t.Fatal(err)
	}
	inert(t, b.String())
}
