package reports

import (
	"bytes"
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
	latest.Results = append(latest.Results, Result{ID: "PAGE-77", Level: LevelMust, Verdict: Fail,
		Revision: "2025-06-18", Transport: "stdio"},
		Result{ID: "PAGE-9", Level: LevelMust, Verdict: Fail, Revision: "2026-07-28", Transport: "stdio"})
	d := Compare(old, latest)
	if len(d.Regressions) != 1 || d.Regressions[0].ID != "PAGE-10" || len(d.Fixes) != 1 || len(d.Lost) != 1 ||
		len(d.Gained) != 1 || len(d.Added) != 2 {
		t.Errorf("%+v", d)
	}
	if d.Still != 6 || !d.Worse(false) || len(d.NewRequirements) != 1 || len(d.NewCombinations) != 1 ||
		len(d.GoneRequirements) != 0 {
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

func TestCompareWarnings(t *testing.T) {
	old, latest := sample(), sample()
	passed := &latest.Results[slices.IndexFunc(latest.Results, func(x Result) bool {
		return x.Verdict == Pass
	})]
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
	if whole.Summary.Counts != sample().Summary.Counts || whole.Summary.Scope != Partial ||
		len(whole.Target.Endpoints) != 2 || len(whole.Frames) != 8 {
		t.Errorf("%+v", whole.Summary)
	}
	for _, x := range whole.Results {
		for _, n := range x.Evidence {
			if f := whole.Frame(n); f == nil ||
				strings.Contains(f.Session, "report 2") != (x.Transport == "http") {
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
	if again, err := Merge([]*Report{sample(), sample()}, testProfile); err != nil ||
		len(again.Results) != len(sample().Results) || len(again.Observations) != len(sample().Observations) {
		t.Error(err)
	}
}

// TestMergeScope: one that is whole is so behind one that was narrowed as well, and has the command that
// repeats all.
func TestMergeScope(t *testing.T) {
	narrow, whole := sample(), sample()
	narrow.Summary.Scope, narrow.Config.Only, narrow.Config.Command = Partial, []string{"PAGE-9"},
		"mcpcheck run --only PAGE-9"
	for _, list := range [][]*Report{{narrow, whole}, {whole, narrow}} {
		m, err := Merge(list, testProfile)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := ReadJSON(bytes.NewReader(encode(t, m))); err != nil || m.Summary.Scope != Full ||
			m.Config.Command != "" {
			t.Errorf("%v, %s, %q", err, m.Summary.Scope, m.Config.Command)
		}
	}
}

// TestMergeQuick: a quick run is called so only where nothing but quick runs of the same combination are
// joined.
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
		"one":            {[]*Report{quick("2025-11-25"), quick("2025-11-25")}, true},
		"two":            {[]*Report{quick("2025-11-25"), quick("2025-06-18")}, false},
		"before another": {[]*Report{quick("2025-11-25"), plain}, false},
		"behind another": {[]*Report{plain, quick("2025-11-25")}, false},
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

// shard is the part of a report in one revision, as a machine judged it with a baseline.
func shard(revision string, b *BaselineSummary) *Report {
	r := sample()
	r.Results = slices.DeleteFunc(r.Results, func(x Result) bool { return x.Revision != revision })
	r.Summarize(SummaryOptions{Partial: true})
	r.Summary.Baseline = b
	return r
}

// TestMergeBaseline: what became of entries is found from all parts.
func TestMergeBaseline(t *testing.T) {
	at := func(line int, id, revision string, v ...BaselineVerdict) BaselineEntry {
		return BaselineEntry{Line: line, Pattern: Pattern{ID: id, Revision: revision, Transport: "stdio"},
			Verdicts: v}
	}
	one := &BaselineSummary{File: "ci/known.txt", Entries: 5,
		Stale:   []BaselineEntry{at(1, "PAGE-10", "", BaselineVerdict{"2025-06-18", "stdio", Pass})},
		Expired: []BaselineEntry{at(2, "READ-09", "", BaselineVerdict{"2025-06-18", "stdio", Warn})},
		Missing: []BaselineEntry{at(3, "PAGE-9", "2025-11-25"), at(4, "NONE-1", "")}, OutsidePlan: 2}
	two := &BaselineSummary{File: `known.txt`, Entries: 5, Missing: []BaselineEntry{at(4, "NONE-1", "")},
		OutsidePlan: 1}
	r, err := Merge([]*Report{shard("2025-06-18", one), shard("2025-11-25", two)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	b := r.Summary.Baseline
	lines := func(list []BaselineEntry) (n []int) {
		for _, e := range list {
			n = append(n, e.Line)
		}
		return n
	}
	if !slices.Equal(lines(b.Stale), []int{1}) || !slices.Equal(lines(b.Expired), []int{2}) ||
		!slices.Equal(lines(b.Missing), []int{4}) || b.Entries != 5 || b.OutsidePlan != 1 {
		t.Errorf("%+v", b)
	}
	// Earlier releases counted what they did not list.
	old, older := *one, *two
	old.Missing, older.Missing, old.OutsidePlan, older.OutsidePlan = nil, nil, 3, 2
	for want, parts := range map[int][]*BaselineSummary{2: {&old, &older}, 1: {&old, two}} {
		r, err := Merge([]*Report{shard("2025-06-18", parts[0]), shard("2025-11-25", parts[1])}, nil)
		if err != nil || r.Summary.Baseline.OutsidePlan != want {
			t.Errorf("outside of the plan: %+v, %v; want %d", r.Summary.Baseline, err, want)
		}
	}
	if v := b.Stale[0].Verdicts; len(v) != 2 {
		t.Errorf("the stale entry is about %v", v)
	}
	two.Entries = 7
	if _, err := Merge([]*Report{shard("2025-06-18", one), shard("2025-11-25", two)}, nil); err == nil ||
		!strings.Contains(err.Error(), "one baseline") {
		t.Errorf("two baselines are joined: %v", err)
	}
	if r, err := Merge([]*Report{shard("2025-06-18", nil), shard("2025-11-25", two)}, nil); err != nil ||
		r.Summary.Baseline == nil || r.Summary.Baseline.Entries != 7 {
		t.Errorf("a part without a baseline: %v", err)
	}
}
