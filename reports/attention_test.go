package reports

import (
	"bytes"
	"encoding/json"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// listedReport is a report with an entry of a baseline in each state that needs attention.
func listedReport() *Report {
	r := sample()
	entry := func(line int, id, reason string, verdicts ...BaselineVerdict) BaselineEntry {
		return BaselineEntry{Line: line, ID: id, Reason: reason, Verdicts: verdicts}
	}
	b := &BaselineSummary{File: "known.txt", Entries: 6}
	late := entry(1, "READ-09", "late reason", BaselineVerdict{"2025-06-18", "stdio", Warn})
	late.Until = "2020-01-31"
	b.Note(late, true, false)
	b.Note(entry(2, "PAGE-10", "stale reason", BaselineVerdict{"2025-06-18", "stdio", Pass}), false, false)
	b.Note(entry(3, "SUB-01", "blocked reason", BaselineVerdict{"2025-06-18", "stdio", Blocked}), false, false)
	b.Note(entry(4, "ODD-01", "wide reason", BaselineVerdict{"2025-06-18", "stdio", Pass}, BaselineVerdict{"2025-06-18", "http", Fail}), false, false)
	b.Note(entry(5, "GONE-01", "gone reason"), false, false)
	b.Note(entry(6, "PAGE-9", "in use", BaselineVerdict{"2025-06-18", "stdio", Fail}), false, false)
	r.Summary.Baseline = b
	for i := range r.Results {
		if x := &r.Results[i]; x.ID == "PAGE-9" {
			x.Excused, x.ExcusedReason = true, "in use"
		}
	}
	r.Summary.Excused = 4
	return r
}

func written(t *testing.T, write func(io.Writer) error) string {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestBaselineEverywhere: each format tells excused findings and each kind of entry
// apart.
func TestBaselineEverywhere(t *testing.T) {
	r := listedReport()
	if b := r.Summary.Baseline; len(b.Expired) != 1 || len(b.Stale) != 1 || len(b.NotJudged) != 1 || len(b.TooWide) != 1 || len(b.Missing) != 1 || b.OutsidePlan != 1 {
		t.Fatalf("%+v", b)
	}
	reasons := []string{"late reason", "stale reason", "blocked reason", "wide reason", "gone reason", "in use"}
	for name, test := range map[string]struct {
		text string
		want []string
	}{
		"console": {written(t, func(w io.Writer) error { return WriteConsole(w, r, Options{Verbose: true}) }),
			append([]string{"EXPIRED BASELINE ENTRIES  1", "STALE BASELINE ENTRIES  1", "BASELINE ENTRIES NOT JUDGED  1", "BASELINE ENTRIES TOO WIDE  1", "BASELINE ENTRIES OUTSIDE OF THE RUN  1", "EXCUSED BY THE BASELINE"}, reasons...)},
		"HTML": {written(t, func(w io.Writer) error { return WriteHTML(w, r, Options{}) }),
			append([]string{"Expired baseline entries", "Stale baseline entries", "Baseline entries not judged", "Baseline entries too wide", "Baseline entries outside of the run", "failed, excused", "known.txt:3"}, reasons...)},
		"Markdown": {written(t, func(w io.Writer) error { return WriteMarkdown(w, r, Options{}) }),
			append([]string{"### Expired baseline entries (1)", "### Stale baseline entries (1)", "### Baseline entries not judged (1)", "### Baseline entries too wide (1)", "### Baseline entries outside of the run (1)", "### Excused by the baseline (1)"}, reasons...)},
		"JUnit": {written(t, func(w io.Writer) error { return WriteJUnit(w, r, Options{}) }),
			append([]string{`<testsuite name="! baseline" tests="5" failures="2" errors="0" skipped="2"`, `classname="baseline.too-wide"`, `type="baseline-missing"`, `type="excused"`}, reasons...)},
		"SARIF": {written(t, func(w io.Writer) error { return WriteSARIF(w, r, Options{}) }),
			[]string{"known.txt:1: baseline entry expired: READ-09 held until 2020-01-31", "known.txt:2: baseline entry stale", "known.txt:3: baseline entry not judged", "known.txt:4: baseline entry too wide", "known.txt:5: baseline entry missing", `"justification": "excused by the baseline: in use"`}},
	} {
		for _, want := range test.want {
			if !strings.Contains(test.text, want) {
				t.Errorf("%s lacks %q", name, want)
			}
		}
	}
}

// TestAllIsExcused: a run that the baseline spares says so beside its outcome, in each format.
func TestAllIsExcused(t *testing.T) {
	fail, pass := row("A-2", LevelMust, Fail, "x"), row("A-1", LevelMust, Pass, "")
	warn := row("A-3", LevelShould, Warn, "x")
	excused := func(x Result, revision string) Result {
		x.Excused, x.ExcusedReason, x.Revision = true, "in use", revision
		return x
	}
	for name, test := range map[string]struct {
		results []Result
		strict  bool
		want    string
	}{
		"one":             {[]Result{pass, excused(fail, "2025-11-25")}, false, "NOT CONFORMANT, its one failure excused by baseline known[1].txt"},
		"all":             {[]Result{pass, warn, excused(fail, "2025-06-18"), excused(fail, "2025-11-25")}, false, "NOT CONFORMANT, all 2 failures excused by baseline known[1].txt"},
		"not all":         {[]Result{pass, fail, excused(fail, "2025-06-18")}, false, "NOT CONFORMANT"},
		"strict":          {[]Result{pass, excused(warn, "2025-06-18"), excused(warn, "2025-11-25")}, true, "NOT CONFORMANT, all 2 warnings excused by baseline known[1].txt"},
		"no failure":      {[]Result{pass, excused(warn, "2025-06-18")}, false, "CONFORMANT, 1 warning"},
		"nothing excused": {[]Result{pass, fail}, false, "NOT CONFORMANT"},
	} {
		r := sample()
		r.Results, r.Observations = test.results, nil
		r.Summary.Baseline = &BaselineSummary{File: "known[1].txt", Entries: 1}
		r.Summarize(SummaryOptions{Strict: test.strict})
		if got := (view{r: r}).standing().String(); got != test.want {
			t.Errorf("%s: %s, not %s", name, got, test.want)
		}
		o := Options{Strict: test.strict}
		for format, text := range map[string]string{
			"console":  written(t, func(w io.Writer) error { return WriteConsole(w, r, o) }),
			"HTML":     written(t, func(w io.Writer) error { return WriteHTML(w, r, o) }),
			"Markdown": strings.ReplaceAll(written(t, func(w io.Writer) error { return WriteMarkdown(w, r, o) }), "\\", ""),
			"JUnit":    written(t, func(w io.Writer) error { return WriteJUnit(w, r, o) }),
		} {
			if !strings.Contains(text, test.want) || strings.Contains(text, "excused by baseline") != strings.Contains(test.want, "excused") {
				t.Errorf("%s: %s lacks %q", name, format, test.want)
			}
		}
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
		return BaselineEntry{Line: line, ID: id, Revision: revision, Transport: "stdio", Verdicts: v}
	}
	one := &BaselineSummary{File: "ci/known.txt", Entries: 5,
		Stale:   []BaselineEntry{at(1, "PAGE-10", "", BaselineVerdict{"2025-06-18", "stdio", Pass})},
		Expired: []BaselineEntry{at(2, "READ-09", "", BaselineVerdict{"2025-06-18", "stdio", Warn})},
		Missing: []BaselineEntry{at(3, "PAGE-9", "2025-11-25"), at(4, "NONE-1", "")}, OutsidePlan: 2}
	two := &BaselineSummary{File: `known.txt`, Entries: 5, Missing: []BaselineEntry{at(4, "NONE-1", "")}, OutsidePlan: 1}
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
	if !slices.Equal(lines(b.Stale), []int{1}) || !slices.Equal(lines(b.Expired), []int{2}) || !slices.Equal(lines(b.Missing), []int{4}) || b.Entries != 5 || b.OutsidePlan != 1 {
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
	if _, err := Merge([]*Report{shard("2025-06-18", one), shard("2025-11-25", two)}, nil); err == nil || !strings.Contains(err.Error(), "one baseline") {
		t.Errorf("two baselines are joined: %v", err)
	}
	if r, err := Merge([]*Report{shard("2025-06-18", nil), shard("2025-11-25", two)}, nil); err != nil || r.Summary.Baseline == nil || r.Summary.Baseline.Entries != 7 {
		t.Errorf("a part without a baseline: %v", err)
	}
}

// TestRerun: the command that repeats a finding, or what could not be judged, stands in each
// format, and nowhere else.
func TestRerun(t *testing.T) {
	rerun := func(id, revision, transport string) string { return "mcpcheck run --only " + id + " -- srv" }
	noted := sample()
	noted.NoteReruns(rerun)
	noted.NoteReruns(nil)
	var raw bytes.Buffer
	if err := WriteJSON(&raw, noted); err != nil {
		t.Fatal(err)
	}
	read, err := ReadJSON(&raw)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(slices.DeleteFunc(read.rows(), func(x *Result) bool { return x.Rerun == "" })); n != 12 {
		t.Errorf("%d results have a command instead of the 12 that are red or blocked", n)
	}
	for name, write := range map[string]func(io.Writer, *Report) error{
		"console":  func(w io.Writer, r *Report) error { return WriteConsole(w, r, Options{}) },
		"HTML":     func(w io.Writer, r *Report) error { return WriteHTML(w, r, Options{}) },
		"Markdown": func(w io.Writer, r *Report) error { return WriteMarkdown(w, r, Options{}) },
		"SARIF":    func(w io.Writer, r *Report) error { return WriteSARIF(w, r, Options{}) },
	} {
		for _, text := range []string{written(t, func(w io.Writer) error { return write(w, noted) }), written(t, func(w io.Writer) error { return write(w, read) })} {
			for id, want := range map[string]bool{"PAGE-9": true, "READ-09": true, "PAGE-10": false, "SUB-01": name != "SARIF"} {
				if strings.Contains(text, "--only "+id) != want {
					t.Errorf("%s: the command for %s: want %t", name, id, want)
				}
			}
		}
		if text := written(t, func(w io.Writer) error { return write(w, sample()) }); regexp.MustCompile(`(?i)repeat( it)?[: ]|>Repeat<`).MatchString(regexp.MustCompile(`(?s)<script>.*</script>`).ReplaceAllString(text, "")) {
			t.Errorf("%s tells of a command that nobody knows", name)
		}
	}
	var log sarifLog
	if err := json.Unmarshal([]byte(written(t, func(w io.Writer) error { return WriteSARIF(w, noted, Options{}) })), &log); err != nil {
		t.Fatal(err)
	}
	for _, rule := range log.Runs[0].Tool["driver"].Rules {
		if strings.Contains(rule.Help.Markdown, "--only") != (rule.ID == "PAGE-9" || rule.ID == "READ-09") {
			t.Errorf("the help of %s is %q", rule.ID, rule.Help.Markdown)
		}
	}
}

// TestFindings: results of one requirement are one finding by the code of their cause,
// whatever their words are; in reports without such codes, by their words.
func TestFindings(t *testing.T) {
	for name, c := range map[string]struct {
		causes, actual [3]string
		findings       int
	}{
		"one cause":          {[3]string{"a", "a", "a"}, [3]string{"id 1", "id 2", "null"}, 1},
		"two causes":         {[3]string{"a", "b", "a"}, [3]string{"null", "null", "null"}, 2},
		"an earlier release": {[3]string{}, [3]string{"id 1", "id 2", "id 1"}, 2},
	} {
		r := New(Tool{}, Target{}, Config{})
		for i, rev := range []string{"2025-03-26", "2025-06-18", "2025-11-25"} {
			r.Results = append(r.Results, Result{ID: "A-01", Verdict: Fail, Revision: rev, Transport: "stdio", Cause: c.causes[i], Actual: c.actual[i]})
		}
		list := byCause(r, func(*Result) bool { return true })
		if len(list) != c.findings || len(list[0].results) != 4-c.findings {
			t.Errorf("%s: %d findings", name, len(list))
		}
		if first := list[0].results[0]; first.Revision != "2025-11-25" {
			t.Errorf("%s: shown in %s, not in the newest revision", name, first.Revision)
		}
		if got := list[0].actual(); (got == c.actual[2]) != (name != "one cause") || !strings.HasPrefix(got, c.actual[2]) {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// TestSafeLink: only a plain address of the web becomes a link.
func TestSafeLink(t *testing.T) {
	for link, want := range map[string]bool{
		"https://modelcontextprotocol.io/specification/2025-06-18/server/resources#uri": true,
		"": false, "http://a/": false, "javascript:alert(1)": false, "//a/": false, "https://": false, "https://a/) [x](https://b": false, "https://a/\"><b>": false, "https://a/]": false,
	} {
		if got := (&Result{Link: link}).safeLink() == link && link != ""; got != want {
			t.Errorf("%q: %t", link, got)
		}
	}
}

// TestRepeatedIsWhole: a command that cannot be shown as it is is not shown at all, since
// part of it would be another one.
func TestRepeatedIsWhole(t *testing.T) {
	for command, shown := range map[string]bool{
		"mcpcheck run -- x 'a b'": true, "mcpcheck run -- sh -c $'true\\nexec x'": true, "": true,
		"mcpcheck run -- sh -c 'true\nexec x'": false, "mcpcheck run -- 'x" + strings.Repeat("y", pageText) + "'": false,
	} {
		x := Result{Rerun: command}
		want := command
		if !shown {
			want = elsewhere
		}
		if got := x.repeated(); got != want {
			t.Errorf("%q is shown as %q", command, got)
		}
	}
	for command, want := range map[string]string{"mcpcheck run -- '[a]''(b)'": "mcpcheck run -- '[a]''(b)'", "mcpcheck run -- '[a](b)'": elsewhere} {
		r := sample()
		r.NoteReruns(func(_, _, _ string) string { return command })
		var b bytes.Buffer
		if err := WriteSARIF(&b, r, Options{}); err != nil {
			t.Fatal(err)
		}
		var log sarifLog
		if err := json.Unmarshal(b.Bytes(), &log); err != nil {
			t.Fatal(err)
		}
		x := log.Runs[0].Results[0]
		if !strings.Contains(x.Message.Text, "\nRepeat: "+want) || x.Properties["rerun"] != want {
			t.Errorf("%q in %q and %q", want, x.Message.Text, x.Properties["rerun"])
		}
	}
}
