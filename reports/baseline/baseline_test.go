package baseline

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/mcpcheck/mcpcheck/reports/write"
	"pgregory.net/rapid"
)

var (
	revisions  = []string{"2024-11-05", "2025-03-26", "2025-11-25"}
	transports = []string{"stdio", "http", "sse"}
	ids        = []string{"PAGE-01", "PAGE-02", "PAGE-10", "ERR-01"}
	someday    = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
)

func known() Catalogue {
	return Catalogue{
		Known: func(id string) bool { return slices.Contains(ids, id) },
		Suggest: func(id string) []string {
			if strings.EqualFold(id, "page-01") || id == "page" {
				return []string{"PAGE-01"}
			}
			return nil
		},
		Revisions: revisions, Transports: transports,
	}
}

func TestParse(t *testing.T) {
	f, err := parse("known.txt", []byte("\xef\xbb\xbf# a comment\r\n\r\n"+
		"PAGE-01 @2025-11-25 @http until=2027-03-31  # reason: the gateway # and more\r\n"+
		"\tERR-01 @sse @2024-11-05#short\n"+
		"PAGE-01 @2024-11-05 # reason"), known(), false)
	if err != nil {
		t.Fatal(err)
	}
	want := []Entry{
		{Pattern{ID: "PAGE-01", Revision: "2025-11-25", Transport: "http"}, time.Date(2027, 3, 31, 0, 0, 0, 0,
			time.UTC), "the gateway # and more", 3, "", false},
		{Pattern{ID: "ERR-01", Revision: "2024-11-05", Transport: "sse"}, time.Time{}, "short", 4, "", false},
		{Pattern{ID: "PAGE-01", Revision: "2024-11-05", Transport: ""}, time.Time{}, "reason", 5, "", false},
	}
	if !slices.Equal(f.Entries, want) {
		t.Errorf("%+v", f.Entries)
	}
}

func TestMistakes(t *testing.T) {
	for _, x := range []struct {
		text string
		want []string // how the sentences begin
	}{
		{"PAGE-01", []string{"f:1: the entry has no reason"}},
		{"PAGE-01 #  ", []string{"f:1: there is no reason behind"}},
		{"PAGE-01 # Reason: fill in.",
			[]string{`f:1: the reason is still to be filled in: write why in place of "fill in"`}},
		{"PAGE-01 # fill in",
			[]string{`f:1: the reason is still to be filled in: write why in place of "fill in"`}},
		{"page-01 # r", []string{`f:1: there is no requirement "page-01": did you mean PAGE-01?`}},
		{"page # r", []string{`f:1: "page" is an area: an entry names one of its requirements, such as ` +
			`PAGE-01`}},
		{"PAGE-01@http # r", []string{"f:1: there has to be a space before each @"}},
		{"PAGE-01 @2025-11-26 # r",
			[]string{`f:1: there is no revision "2025-11-26": the revisions are 2024-11-05,`}},
		{"PAGE-01 @htp # r", []string{`f:1: there is no transport "htp": did you mean http?`}},
		{"PAGE-01 @ # r", []string{`f:1: there is no transport "": behind an @`}},
		{"PAGE-01 @http @sse # r", []string{"f:1: there is more than one transport"}},
		{"PAGE-01 http # r", []string{`f:1: "http" cannot stand here`}},
		{"PAGE-01 until=31.3.2027 # r", []string{`f:1: "31.3.2027" is no date`}},
		{"PAGE-01 until=2027-02-30 # r", []string{`f:1: "2027-02-30" is no date`}},
		{"PAGE-01 until=0001-01-01 # r", []string{`f:1: "0001-01-01" is no date on which`}},
		{"PAGE-01 until=2027-01-01 until=2027-01-02 # r", []string{"f:1: there is more than one date"}},
		{"PAGE-01 @http # a\nPAGE-01 @http until=2027-01-01 # b",
			[]string{"f:2: PAGE-01 @http stands in line 1 already"}},
		{"PAGE-01 @http @2025-11-25 # a\n\nPAGE-01 @http # b",
			[]string{"f:1: PAGE-01 @2025-11-25 @http is covered by line 3, PAGE-01 @http"}},
		{"PAGE-01 @http # a\nPAGE-01 # b", []string{"f:1: PAGE-01 @http is covered by line 2, PAGE-01:"}},
		{"NOPE-1 @x until=y # reason: fill in\nPAGE-01", []string{
			`f:1: there is no requirement "NOPE-1"`, `f:1: there is no transport "x"`, `f:1: "y" is no date`,
			"f:1: the reason is still", "f:2: the entry has no reason"}},
		{"\x1b[31mPAGE # r", []string{`f:1: there is no requirement "\x1b[31mPAGE"`}},
		{"PAGE-01 # a\xff", []string{"f: this is no baseline: it has bytes"}},
		{`{"schema":"mcpcheck.report/1"}`, []string{"f: this is a report, not a baseline"}},
		{strings.Repeat("x", MaxSize+1), []string{"f: this is no baseline: it is larger"}},
		{"PAGE-01 # " + strings.Repeat("x", maxLine), []string{"f:1: the line is longer"}},
	} {
		_, err := parse("f", []byte(x.text), known(), false)
		if err == nil {
			t.Errorf("%.60q was accepted", x.text)
			continue
		}
		lines := strings.Split(err.Error(), "\n")
		if len(lines) != len(x.want) {
			t.Errorf("%.60q: %q", x.text, lines)
			continue
		}
		for i, line := range lines {
			if !strings.HasPrefix(line, x.want[i]) {
				t.Errorf("%.60q: %q, not %q", x.text, line, x.want[i])
			}
		}
	}
	// Entries that only overlap say different things.
	if _, err := parse("f", []byte("PAGE-01 @http # a\nPAGE-01 @2025-11-25 # b"), known(),
		false); err != nil {
		t.Error(err)
	}
	// A flood of mistakes ends.
	_, err := parse("f", []byte(strings.Repeat("nonsense\n", 50_000)), known(), false)
	if lines := strings.Split(err.Error(), "\n"); len(lines) != maxProblems+1 ||
		!strings.Contains(lines[maxProblems], "mistakes more") {
		t.Errorf("%d lines", len(lines))
	}
}

func TestLoad(t *testing.T) {
	dir := t.TempDir()
	closed := filepath.Join(dir, "closed")
	if err := os.WriteFile(closed, []byte("PAGE-01 # r"), 0); err != nil {
		t.Fatal(err)
	}
	garbage := filepath.Join(dir, "garbage")
	if err := os.WriteFile(garbage, bytes.Repeat([]byte("0123456789"), 1<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	files := map[string]string{dir: "it is a directory", garbage: "larger than",
		filepath.Join(dir, "none"): "no such file"}
	if os.Getuid() != 0 {
		files[closed] = "permission denied"
	}
	for path, want := range files {
		_, err := Load(path, known())
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") ||
			strings.Count(err.Error(), path) != 1 {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// result is a row of a report.
func result(id, revision, transport string, v reports.Verdict) reports.Result {
	return reports.Result{ID: id, Revision: revision, Transport: transport, Verdict: v,
		Level: reports.LevelMust}
}

func TestApply(t *testing.T) {
	f, err := parse("f", []byte(`PAGE-01 @2025-11-25             # in use
PAGE-02                         # too wide
PAGE-10 @2025-11-25             # stale
PAGE-10 @2025-03-26             # not judged
PAGE-10 @2024-11-05             # outside
ERR-01 until=2026-11-20         # expired
PAGE-01 @2025-03-26 until=2026-11-21 # the last day
`), known(), false)
	if err != nil {
		t.Fatal(err)
	}
	r := reports.New(reports.Tool{}, reports.Target{}, reports.Config{})
	r.Results = []reports.Result{
		result("PAGE-01", "2025-11-25", "http", reports.Warn), result("PAGE-01", "2025-11-25", "stdio",
			reports.Blocked),
		result("PAGE-01", "2025-03-26", "http", reports.Fail),
		result("PAGE-02", "2025-11-25", "http", reports.Fail), result("PAGE-02", "2025-03-26", "http",
			reports.Pass),
		result("PAGE-10", "2025-11-25", "http", reports.Pass), result("PAGE-10", "2025-11-25", "stdio",
			reports.NotApplicable),
		result("PAGE-10", "2025-03-26", "http", reports.Pass), result("PAGE-10", "2025-03-26", "stdio",
			reports.Blocked),
		result("ERR-01", "2025-11-25", "http", reports.Fail),
	}
	r.Summarize(reports.SummaryOptions{})
	f.Apply(r, someday)
	b := r.Summary.Baseline
	lines := func(all []reports.BaselineEntry) (n []int) {
		for _, e := range all {
			n = append(n, e.Line)
		}
		return n
	}
	if got := fmt.Sprint(lines(b.TooWide), lines(b.Stale), lines(b.NotJudged), lines(b.Expired),
		b.OutsidePlan, b.Entries); got != "[2] [3] [4] [6] 1 7" {
		t.Error(got)
	}
	if r.Summary.Excused != 3 || r.Summary.Conformant || r.Summary.Outcome != reports.NonConformant ||
		r.Summary.Fail != 3 {
		t.Errorf("%+v", r.Summary)
	}
	for i := range r.Results {
		x := &r.Results[i]
		if x.Excused != (x.ExcusedReason != "") || x.Excused && !x.Verdict.Red() || x.ID == "ERR-01" &&
			x.Excused {
			t.Errorf("%+v", x)
		}
	}
	if s := write.Outdated(b); len(s) != 2 || !strings.HasPrefix(s[0], "f:6: baseline entry expired") ||
		!strings.HasPrefix(s[1], "f:3: baseline entry stale") {
		t.Errorf("%q", s)
	}
	// What was excused before is forgotten.
	(&File{Name: "none"}).Apply(r, someday)
	if r.Summary.Excused != 0 || r.Summary.Baseline.Outdated() || r.Results[0].Excused {
		t.Errorf("%+v", r.Summary)
	}
}

// TestApplyNarrowed: what passes in some combinations may fail in those that a quick run leaves out, or that
// could not be reached.
func TestApplyNarrowed(t *testing.T) {
	f, err := parse("f", []byte("PAGE-10 # in other revisions, or elsewhere"), known(), false)
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*reports.Report) reports.SummaryOptions{
		"full": func(*reports.Report) reports.SummaryOptions { return reports.SummaryOptions{} },
		"quick": func(r *reports.Report) reports.SummaryOptions {
			r.Config.Quick = &reports.Quick{}
			return reports.SummaryOptions{Partial: true}
		},
		"unreachable": func(r *reports.Report) reports.SummaryOptions {
			r.Target.Endpoints = []reports.Endpoint{{Transport: "http", Unreachable: "refused"}}
			return reports.SummaryOptions{}
		},
	} {
		r := reports.New(reports.Tool{}, reports.Target{}, reports.Config{})
		r.Results = []reports.Result{result("PAGE-10", "2025-11-25", "stdio", reports.Pass)}
		r.Summarize(change(r))
		f.Apply(r, someday)
		if b := r.Summary.Baseline; len(b.Stale) != map[string]int{"full": 1}[name] ||
			len(b.Stale)+len(b.NotJudged) != 1 {
			t.Errorf("%s: %+v", name, b)
		}
	}
}

// TestExit holds the precedence of exit statuses.
func TestExit(t *testing.T) {
	fail, warn := result("PAGE-01", "2025-11-25", "http", reports.Fail),
		result("PAGE-02", "2025-11-25", "http", reports.Warn)
	pass, blocked := result("PAGE-10", "2025-11-25", "http", reports.Pass),
		result("ERR-01", "2025-11-25", "http", reports.Blocked)
	for _, x := range []struct {
		name        string
		results     []reports.Result
		entries     string
		strict      bool
		interrupted string
		want        int
	}{
		{"excused", []reports.Result{fail, pass}, "PAGE-01 # r", false, "", reports.ExitOK},
		{"not excused", []reports.Result{fail, pass}, "PAGE-02 # r", false, "", reports.ExitFindings},
		{"a warning under strict", []reports.Result{warn}, "PAGE-02 # r", true, "", reports.ExitOK},
		{"a warning that is not excused", []reports.Result{warn}, "", true, "", reports.ExitFindings},
		{"stale", []reports.Result{pass}, "PAGE-10 # r", false, "", reports.ExitFindings},
		{"stale, though something is blocked", []reports.Result{pass, blocked}, "PAGE-10 # r", false, "",
			reports.ExitFindings},
		{"expired", []reports.Result{warn}, "PAGE-02 until=2020-01-01 # r", false, "", reports.ExitFindings},
		{"expired, outside of the plan", []reports.Result{pass}, "PAGE-02 until=2020-01-01 # r", false, "",
			reports.ExitOK},
		{"blocked is not excused", []reports.Result{blocked}, "ERR-01 # r", false, "",
			reports.ExitNotEstablished},
		{"excused and blocked", []reports.Result{fail, blocked}, "PAGE-01 # r", false, "",
			reports.ExitNotEstablished},
		{"interrupted", []reports.Result{fail, pass}, "PAGE-10 # r", false, "budget",
			reports.ExitNotEstablished},
		{"nothing selected", nil, "PAGE-10 # r", false, "", reports.ExitNotEstablished},
	} {
		f, err := parse("f", []byte(x.entries), known(), false)
		if err != nil {
			t.Fatal(err)
		}
		r := reports.New(reports.Tool{}, reports.Target{}, reports.Config{})
		r.Results = x.results
		r.Summarize(reports.SummaryOptions{Strict: x.strict, Interrupted: x.interrupted})
		f.Apply(r, someday)
		if got := r.ExitCode(x.strict, r.Summary.Baseline.Outdated()); got != x.want {
			t.Errorf("%s: %d, not %d", x.name, got, x.want)
		}
	}
}

func TestFrom(t *testing.T) {
	r := reports.New(reports.Tool{}, reports.Target{}, reports.Config{})
	for _, rev := range revisions {
		for _, tr := range transports[:2] {
			add := func(id string, red bool) {
				v := reports.Pass
				if red {
					v = reports.Fail
				}
				r.Results = append(r.Results, result(id, rev, tr, v))
			}
			add("PAGE-10", true)
			add("PAGE-02", tr == "http")
			add("PAGE-01", rev == revisions[1])
			add("ERR-01", rev == revisions[0] || tr == "http" && rev == revisions[1])
		}
	}
	f := From(r, Choice{})
	f.Entries[0].Reason = "with\nlines"
	var b strings.Builder
	if err := f.Write(&b, "Head\nand more"); err != nil {
		t.Fatal(err)
	}
	want := `# Head
# and more

ERR-01 @2024-11-05        # with\nlines
ERR-01 @2025-03-26 @http  # reason: fill in
PAGE-01 @2025-03-26       # reason: fill in
PAGE-02 @http             # reason: fill in
PAGE-10                   # reason: fill in
`
	if b.String() != want {
		t.Error(b.String())
	}
	for i := range r.Results {
		if x := &r.Results[i]; x.ID != "PAGE-10" && x.Verdict == reports.Fail {
			x.Verdict = reports.Warn
		}
	}
	if f := From(r, Choice{Failures: true, Reason: "known"}); len(f.Entries) != 1 ||
		f.Entries[0].ID != "PAGE-10" || f.Entries[0].Reason != "known" {
		t.Errorf("of failures alone: %v", f.Entries)
	}
	// PAGE-02 is the SDK's over HTTP, PAGE-10 in one revision; what is red besides is not excused.
	for i := range r.Results {
		if x := &r.Results[i]; x.ID == "PAGE-02" || x.ID == "PAGE-10" && x.Revision == revisions[1] {
			x.SDK = "So does the SDK."
		}
	}
	// What stands under another finding shares its line, where both are excused alike.
	for i := range r.Results {
		if x := &r.Results[i]; x.ID == "PAGE-01" {
			x.Verdict, x.Under = reports.Fail, "PAGE-10"
		}
	}
	b.Reset()
	if err := From(r, Choice{Failures: true, Reason: "known"}).Write(&b, "Head"); err != nil {
		t.Fatal(err)
	}
	if want := "PAGE-01,PAGE-10  # known\n"; !strings.HasSuffix(b.String(), want) {
		t.Errorf("%q, want %q", b.String(), want)
	}
	again, err := parse("again", []byte(b.String()), known(), false)
	if err != nil || len(again.Entries) != 2 || again.Entries[1].ID != "PAGE-10" ||
		again.Entries[1].Finding != "PAGE-01" {
		t.Errorf("read again: %v, %v", again, err)
	}
	f = From(r, Choice{SDK: true})
	if got := fmt.Sprint(f.Entries); len(f.Entries) != 2 ||
		f.Entries[0].Pattern != (Pattern{ID: "PAGE-02", Transport: "http"}) ||
		f.Entries[1].Pattern != (Pattern{ID: "PAGE-10", Revision: revisions[1]}) ||
		f.Entries[1].Reason != "So does the SDK." {
		t.Errorf("of the SDK: %s", got)
	}
}

func TestKeep(t *testing.T) {
	r := reports.New(reports.Tool{}, reports.Target{}, reports.Config{})
	r.Results = []reports.Result{
		result("PAGE-01", "2025-11-25", "http", reports.Fail), result("PAGE-01", "2025-11-25", "stdio",
			reports.Fail),
		result("PAGE-02", "2025-11-25", "http", reports.Fail), result("PAGE-02", "2025-11-25", "stdio",
			reports.Pass),
		result("PAGE-10", "2025-11-25", "http", reports.Pass),
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "old")
	if err := os.WriteFile(path, []byte(`PAGE-01 @2025-11-25 @stdio # narrower
PAGE-02 until=2027-01-01 # wider
PAGE-10 # passes now
ERR-01 @sse # not judged
PAGE-10 @2024-11-05 # covered, therefore a mistake
`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := LoadDraft(path, known()); err == nil || !strings.Contains(err.Error(), "old:5: ") {
		t.Error(err)
	}
	old, err := parse("old",
		[]byte("PAGE-01 @2025-11-25 @stdio # narrower\nPAGE-02 until=2027-01-01 # wider\nPAGE-10 # passes "+
			"now\nERR-01 @sse # not judged"), known(), false)
	if err != nil {
		t.Fatal(err)
	}
	f := From(r, Choice{})
	f.Keep(old, r)
	var b strings.Builder
	if err := f.Write(&b, "x"); err != nil {
		t.Fatal(err)
	}
	want := `# x

ERR-01 @sse                     # not judged
PAGE-01                         # narrower
PAGE-02 @http until=2027-01-01  # wider
`
	if b.String() != want {
		t.Error(b.String())
	}
}

// TestKeepUnjudged: an entry stays as long as it is not known that what it excuses is mended.
func TestKeepUnjudged(t *testing.T) {
	old, err := parse("old",
		[]byte("PAGE-01 # blocked now\nPAGE-02 # red in what was selected\nPAGE-10 # passes in what was "+
			"selected"), known(), false)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		config reports.Config
		want   string
	}{
		"full":  {reports.Config{}, "[PAGE-01 PAGE-02]"},
		"quick": {reports.Config{Quick: &reports.Quick{}}, "[PAGE-01 PAGE-02 PAGE-10]"},
	} {
		r := reports.New(reports.Tool{}, reports.Target{}, c.config)
		r.Results = []reports.Result{
			result("PAGE-01", "2025-11-25", "http", reports.Blocked), result("PAGE-02", "2025-11-25", "http",
				reports.Fail), result("PAGE-10", "2025-11-25", "http", reports.Pass),
		}
		r.Summarize(reports.SummaryOptions{Partial: c.config.Quick != nil})
		f := From(r, Choice{})
		f.Keep(old, r)
		var got []string
		for _, e := range f.Entries {
			got = append(got, e.Pattern.String())
		}
		if fmt.Sprint(got) != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestRoundTrip: what is written of any report is read back, excuses all that is
// red there and nothing else, and is neither stale nor too wide.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := reports.New(reports.Tool{}, reports.Target{}, reports.Config{})
		red := 0
		for _, id := range ids {
			for _, rev := range revisions {
				for _, tr := range transports {
					if !rapid.Bool().Draw(t, "planned") {
						continue
					}
					x := result(id, rev, tr,
						rapid.SampledFrom([]reports.Verdict{reports.Fail, reports.Fail, reports.Warn,
							reports.Pass, reports.Blocked, reports.NotApplicable}).Draw(t, "verdict"))
					if x.Verdict.Red() {
						red++
					}
					r.Results = append(r.Results, x)
				}
			}
		}
		r.Summarize(reports.SummaryOptions{})
		f := From(r, Choice{})
		for i := range f.Entries {
			f.Entries[i].Reason = rapid.StringMatching(`[a-z#@ ]{0,20}x`).Draw(t, "reason")
		}
		var b bytes.Buffer
		if err := f.Write(&b, "head"); err != nil {
			t.Fatal(err)
		}
		g, err := parse("f", b.Bytes(), known(), false)
		if err != nil {
			t.Fatalf("%v\n%s", err, b.String())
		}
		g.Apply(r, someday)
		s := r.Summary
		if s.Excused != red || s.Baseline.Outdated() || len(s.Baseline.TooWide)+len(s.Baseline.NotJudged)+
			s.Baseline.OutsidePlan > 0 {
			t.Fatalf("%d red, %+v\n%s", red, s.Baseline, b.String())
		}
	})
}

// FuzzParse: no file makes the reader fail in any other way than with sentences,
// and what it accepts it accepts again when it has been written.
func FuzzParse(f *testing.F) {
	f.Add([]byte("PAGE-01 @2025-11-25 @http until=2027-03-31 # r\n"))
	f.Add([]byte("# c\r\nERR-01 # reason: x # y\n\nPAGE-02 @sse#z"))
	f.Add([]byte("PAGE-01 # a\nPAGE-01 @http # b"))
	f.Add([]byte("# c\nserver:\n  - pages\n  - errors:x\nclient: [y]\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := parse("f", data, official(), false)
		if err != nil {
			if e, ok := err.(*Error); !ok || len(e.Problems) == 0 || len(e.Problems) > maxProblems+1 {
				t.Fatalf("%T %v", err, err)
			}
			return
		}
		if slices.ContainsFunc(file.Entries, func(e Entry) bool { return e.Several() }) {
			return // the entries of a file of ours have one id each
		}
		var b bytes.Buffer
		if err := file.Write(&b, "x"); err != nil {
			t.Fatal(err)
		}
		again, err := parse("f", b.Bytes(), known(), false)
		if err != nil {
			t.Fatalf("%v\n%q", err, b.String())
		}
		if len(again.Entries) != len(file.Entries) {
			t.Fatalf("%d entries, not %d", len(again.Entries), len(file.Entries))
		}
		for i, e := range again.Entries {
			if was := file.Entries[i]; e.Pattern != was.Pattern || !e.Until.Equal(was.Until) {
				t.Fatalf("%+v, not %+v", e, was)
			}
		}
	})
}
