package reports_test

import (
	"slices"
	"testing"

	"github.com/mcpcheck/mcpcheck/reports"
)

// TestCompareVersions: versions stand in the order of their release.
func TestCompareVersions(t *testing.T) {
	ordered := []string{"0.9", "1.0.0-alpha", "1.0.0-rc.2", "1.0.0-rc.10", "1.0.0", "1.0.0+2", "1.0.0.1",
		"1.2",
		"1.10", "1.10.0", "2026.1.26", "2026.11.3"}
	for i, a := range ordered {
		for k, b := range ordered {
			if got := reports.CompareVersions(a, b); got != slices.Compare([]int{i}, []int{k}) {
				t.Errorf("%s and %s compare as %d", a, b, got)
			}
		}
	}
}

// TestProductHistory: a revision holds from the oldest version on after which none lacks it, and each
// version says what differs from the one before.
func TestProductHistory(t *testing.T) {
	at := func(revision, id string, v reports.Verdict) reports.Result {
		return reports.Result{ID: id, Level: reports.LevelMust, Revision: revision, Transport: "stdio",
			Verdict: v}
	}
	const old, latest = "2025-06-18", "2025-11-25"
	p := reports.Product{}
	var before *reports.Report
	for _, x := range []struct {
		version string
		partial bool
		rows    []reports.Result
	}{
		{"1", false, []reports.Result{at(old, "A-1", reports.Pass), at(latest, "B-1", reports.Pass)}},
		{"2", false, []reports.Result{at(old, "A-1", reports.Pass), at(latest, "B-1", reports.Fail)}},
		{"3", true, []reports.Result{at(old, "A-1", reports.Pass), at(latest, "B-1", reports.Pass)}},
		{"4", false, []reports.Result{at(old, "A-1", reports.Pass), at(latest, "B-1", reports.Pass),
			at("2026-07-28", "B-1", reports.Fail)}},
		{"5", false, []reports.Result{at(old, "A-1", reports.Pass), at(latest, "B-1", reports.Pass),
			at("2026-07-28", "B-1", reports.Pass)}},
	} {
		r := reports.New(reports.Tool{}, reports.Target{}, reports.Config{})
		r.Results = x.rows
		r.Summarize(reports.SummaryOptions{Partial: x.partial})
		r.Summary.Started = "2026-01-0" + x.version + "T00:00:00Z"
		p.Add(reports.CertifiedVersion{Version: x.version}, before, r)
		before = r
	}
	var got []string
	for _, s := range p.Holds {
		got = append(got, s.Revision+" "+s.Version+" "+s.Judged[:10])
	}
	if want := []string{old + " 4 2026-01-04", latest + " 4 2026-01-04",
		"2026-07-28 5 2026-01-05"}; !slices.Equal(got, want) {
		t.Errorf("it stands at %q, not %q", got, want)
	}
	got = nil
	for _, v := range p.Versions {
		for _, id := range v.Broken {
			got = append(got, v.Version+" broke "+id)
		}
		for _, id := range v.Fixed {
			got = append(got, v.Version+" fixed "+id)
		}
	}
	if want := []string{"5 fixed B-1", "4 broke B-1", "3 fixed B-1", "2 broke B-1"}; !slices.Equal(got,
		want) {
		t.Errorf("the history says %q, not %q", got, want)
	}
}
