package reports

import (
	"reflect"
	"slices"
	"testing"
)

func TestSort(t *testing.T) {
	var got []string
	for _, x := range sample().Results[:8] {
		got = append(got, x.ID+" "+x.Revision+" "+x.Transport)
	}
	want := []string{
		"PAGE-9 2025-06-18 stdio", "PAGE-9 2025-06-18 http", "PAGE-9 2025-11-25 stdio",
		"PAGE-9 2025-11-25 http",
		"PAGE-10 2025-06-18 stdio", "PAGE-10 2025-06-18 http", "PAGE-10 2025-11-25 stdio",
		"PAGE-10 2025-11-25 http",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

func row(id, level string, v Verdict, code string) Result {
	return Result{ID: id, Level: level, Revision: "2025-11-25", Transport: "stdio", Verdict: v,
		ReasonCode: code}
}

func TestOutcomeAndExit(t *testing.T) {
	pass := row("A-1", LevelMust, Pass, "")
	fail := row("A-2", LevelMust, Fail, "x")
	excused := fail
	excused.Excused = true
	warn := row("A-3", LevelShould, Warn, "x")
	blockedMust := row("A-4", LevelMust, Blocked, "target-died")
	blockedShould := row("A-5", LevelShould, Blocked, "target-died")
	idle := row("A-6", LevelMust, NotApplicable, CodeNeedsConfig)
	for name, test := range map[string]struct {
		results     []Result
		strict      bool
		stale       bool
		partial     bool
		interrupted string
		outcome     Outcome
		conformant  bool
		exit        int
	}{
		"all pass":        {results: []Result{pass, idle}, outcome: Conformant, conformant: true, exit: 0},
		"partial":         {results: []Result{pass}, partial: true, outcome: Conformant, exit: 0},
		"fail":            {results: []Result{pass, fail, blockedMust}, outcome: NonConformant, exit: 1},
		"excused":         {results: []Result{pass, excused}, outcome: NonConformant, exit: 0},
		"excused blocked": {results: []Result{excused, blockedMust}, outcome: NonConformant, exit: 3},
		"warn":            {results: []Result{pass, warn}, outcome: Conformant, conformant: true, exit: 0},
		"warn strict":     {results: []Result{pass, warn}, strict: true, outcome: NonConformant, exit: 1},
		"blocked must":    {results: []Result{pass, blockedMust}, outcome: NotEstablished, exit: 3},
		"blocked should": {results: []Result{pass, blockedShould}, outcome: Conformant, conformant: true,
			exit: 0},
		"stale": {results: []Result{pass, blockedMust}, stale: true, outcome: NotEstablished,
			exit: 1},
		"nothing":        {outcome: NotEstablished, exit: 3},
		"nothing judged": {results: []Result{idle}, outcome: NotEstablished, exit: 3},
		"interrupted": {results: []Result{pass, fail}, interrupted: "SIGINT", outcome: NonConformant,
			exit: 3},
		"cut short": {results: []Result{pass}, interrupted: "SIGINT", outcome: NotEstablished, exit: 3},
	} {
		r := New(Tool{}, Target{}, Config{})
		r.Results = test.results
		r.Summarize(SummaryOptions{Strict: test.strict, Partial: test.partial, Interrupted: test.interrupted})
		if r.Summary.Outcome != test.outcome || r.Summary.Conformant != test.conformant {
			t.Errorf("%s: %s, conformant %v", name, r.Summary.Outcome, r.Summary.Conformant)
		}
		if got := r.ExitCode(test.strict, test.stale); got != test.exit {
			t.Errorf("%s: exit status %d, want %d", name, got, test.exit)
		}
	}
}

func TestProfiles(t *testing.T) {
	r := New(Tool{}, Target{}, Config{})
	r.Results = []Result{
		row("READ-01", LevelMust, Pass, ""), row("READ-02", LevelMust, NotApplicable, CodeNeedsSubject),
		row("READ-03", LevelShould, NotApplicable, CodeNeedsConfig), row("READ-04", LevelMust, NotApplicable,
			"combination"),
		row("PAGE-01", LevelMust, NotApplicable, CodeNotExercised), row("CACHE-01", LevelMust, NotApplicable,
			"capability-undeclared"),
		row("SUB-01", LevelMust, Blocked, "target-died"), row("SUB-02", LevelMust, Pass, ""),
	}
	other := row("READ-02", LevelMust, NotApplicable, CodeNeedsSubject)
	other.Transport = "http"
	r.Results = append(r.Results, other)
	r.Summarize(SummaryOptions{Profile: testProfile, Profiles: []string{"core", "pagination", "caching",
		"security"}})
	var names []string
	got := map[string]ProfileStatus{}
	for _, p := range r.Summary.Profiles {
		names = append(names, p.Name)
		got[p.Name] = p.Status
	}
	if want := []string{"core", "pagination", "caching", "security", "subscriptions"}; !slices.Equal(names,
		want) {
		t.Errorf("profiles %q", names)
	}
	want := map[string]ProfileStatus{"core": ProfilePassed, "pagination": ProfileNotEstablished,
		"caching":  ProfileNotOffered,
		"security": ProfileNotOffered, "subscriptions": ProfileNotEstablished}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v", got)
	}
	if ids := r.Summary.Profiles[0].MustsNotExercised; !slices.Equal(ids, []string{"READ-02"}) {
		t.Errorf("not exercised: %q", ids)
	}
}

func TestSummaryCounts(t *testing.T) {
	s := sample().Summary
	if want := (Counts{Pass: 4, Fail: 4, Warn: 4, NotApplicable: 4, Blocked: 4}); s.Counts != want ||
		s.Observations != 1 {
		t.Errorf("got %+v", s.Counts)
	}
	if len(s.Combinations) != 4 || s.Combinations[0].Total() != 5 || s.Combinations[0].Transport != "stdio" {
		t.Errorf("combinations %+v", s.Combinations)
	}
}

// TestProfileStatus: a profile passes on what is offered alone, and a partial run
// does not call offered or not what it did not select.
func TestProfileStatus(t *testing.T) {
	offered := func(profile, revision, transport string) bool { return profile != "completion" }
	for name, test := range map[string]struct {
		results []Result
		partial bool
		want    ProfileStatus
	}{
		"not selected": {nil, true, ProfileNotSelected},
		"not there":    {nil, false, ProfileNotOffered},
		"refused as is due": {[]Result{row("COMP-07", LevelMust, Pass, ""),
			row("COMP-01", LevelMust, NotApplicable, "capability-undeclared")}, false, ProfileNotOffered},
		"undeclared and violated": {[]Result{row("COMP-07", LevelMust, Fail, "")}, false, ProfileFailed},
		"undeclared and without": {[]Result{row("COMP-07", LevelMust, NotApplicable, CodeNeedsSubject)},
			true, ProfileNotOffered},
	} {
		p := profile("completion", pointers(test.results), SummaryOptions{Partial: test.partial,
			Offered: offered})
		if p.Status != test.want {
			t.Errorf("%s: %s, want %s", name, p.Status, test.want)
		}
	}
	for code, want := range map[string]ProfileStatus{
		CodeNeedsSubject: ProfileNotEstablished, CodeNeedsConfig: ProfileNotEstablished,
		CodeNotExercised: ProfilePassed,
	} {
		rows := []Result{row("PAGE-01", LevelMust, Pass, ""), row("PAGE-02", LevelMust, NotApplicable, code)}
		if p := profile("pagination", pointers(rows), SummaryOptions{Offered: offered}); p.Status != want ||
			len(p.MustsNotExercised) != 1 {
			t.Errorf("%s: %+v", code, p)
		}
		if p := profile("core", pointers(rows), SummaryOptions{Offered: offered}); p.Status != ProfilePassed {
			t.Errorf("core with %s: %+v", code, p)
		}
	}
}

func pointers(results []Result) []*Result { return (&Report{Results: results}).Rows() }
