package write

import (
	"bytes"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/mcpcheck/mcpcheck/reports"
)

// listedReport is a report with an entry of a baseline in each state that needs attention.
func listedReport() *reports.Report {
	r := sample()
	entry := func(line int, id, reason string, verdicts ...reports.BaselineVerdict) reports.BaselineEntry {
		return reports.BaselineEntry{Line: line, Pattern: reports.Pattern{ID: id}, Reason: reason,
			Verdicts: verdicts}
	}
	b := &reports.BaselineSummary{File: "known.txt", Entries: 6}
	late := entry(1, "READ-09", "late reason", reports.BaselineVerdict{Revision: "2025-06-18",
		Transport: "stdio", Verdict: reports.Warn})
	late.Until = "2020-01-31"
	b.Note(late, true, false)
	b.Note(entry(2, "PAGE-10", "stale reason", reports.BaselineVerdict{Revision: "2025-06-18",
		Transport: "stdio", Verdict: reports.Pass}), false, false)
	b.Note(entry(3, "SUB-01", "blocked reason", reports.BaselineVerdict{Revision: "2025-06-18",
		Transport: "stdio", Verdict: reports.Blocked}), false, false)
	b.Note(entry(4, "ODD-01", "wide reason", reports.BaselineVerdict{Revision: "2025-06-18",
		Transport: "stdio", Verdict: reports.Pass}, reports.BaselineVerdict{Revision: "2025-06-18",
		Transport: "http", Verdict: reports.Fail}), false, false)
	b.Note(entry(5, "GONE-01", "gone reason"), false, false)
	b.Note(entry(6, "PAGE-9", "in use", reports.BaselineVerdict{Revision: "2025-06-18", Transport: "stdio",
		Verdict: reports.Fail}), false, false)
	r.Summary.Baseline = b
	for i := range r.Results {
		if x := &r.Results[i]; x.ID == "PAGE-9" {
			x.Excused, x.ExcusedReason = true, "in use"
		}
	}
	r.Summary.Excused = 4
	return r
}

func written[R, O any](t *testing.T, write func(io.Writer, R, O) error, r R, o O) string {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b, r, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestBaselineEverywhere: each format tells excused findings and each kind of entry
// apart.
func TestBaselineEverywhere(t *testing.T) {
	r := listedReport()
	if b := r.Summary.Baseline; len(b.Expired) != 1 || len(b.Stale) != 1 || len(b.NotJudged) != 1 ||
		len(b.TooWide) != 1 || len(b.Missing) != 1 || b.OutsidePlan != 1 {
		t.Fatalf("%+v", b)
	}
	reasons := []string{"late reason", "stale reason", "blocked reason", "wide reason", "gone reason",
		"in use"}
	for name, test := range map[string]struct {
		text string
		want []string
	}{
		"console": {render(t, r, Options{Verbose: true}),
			append([]string{"EXPIRED BASELINE ENTRIES  1", "STALE BASELINE ENTRIES  1",
				"BASELINE ENTRIES NOT JUDGED  1", "BASELINE ENTRIES TOO WIDE  1",
				"BASELINE ENTRIES OUTSIDE OF THE RUN  1", "EXCUSED BY THE BASELINE"}, reasons...)},
		"HTML": {written(t, HTML, r, Options{}),
			append([]string{"Expired baseline entries", "Stale baseline entries",
				"Baseline entries not judged", "Baseline entries too wide",
				"Baseline entries outside of the run", "failed, excused", "known.txt:3"}, reasons...)},
		"Markdown": {written(t, Markdown, r, Options{}),
			append([]string{"### Expired baseline entries (1)", "### Stale baseline entries (1)",
				"### Baseline entries not judged (1)", "### Baseline entries too wide (1)",
				"### Baseline entries outside of the run (1)", "### Excused by the baseline (1)"},
				reasons...)},
		"JUnit": {written(t, JUnit, r, Options{}),
			append([]string{`<testsuite name="! baseline" tests="5" failures="2" errors="0" skipped="2"`,
				`classname="baseline.too-wide"`, `type="baseline-missing"`, `type="excused"`}, reasons...)},
		"SARIF": {written(t, SARIF, r, Options{}),
			[]string{"known.txt:1: baseline entry expired: READ-09 held until 2020-01-31",
				"known.txt:2: baseline entry stale", "known.txt:3: baseline entry not judged",
				"known.txt:4: baseline entry too wide", "known.txt:5: baseline entry missing",
				`"justification": "excused by the baseline: in use"`}},
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
	fail, pass := row("A-2", reports.LevelMust, reports.Fail, "x"),
		row("A-1", reports.LevelMust, reports.Pass, "")
	warn := row("A-3", reports.LevelShould, reports.Warn, "x")
	excused := func(x reports.Result, revision string) reports.Result {
		x.Excused, x.ExcusedReason, x.Revision = true, "in use", revision
		return x
	}
	for name, test := range map[string]struct {
		results []reports.Result
		strict  bool
		want    string
	}{
		"one": {[]reports.Result{pass, excused(fail, "2025-11-25")}, false,
			"NOT CONFORMANT, its one failure excused by baseline known[1].txt"},
		"all": {[]reports.Result{pass, warn, excused(fail, "2025-06-18"),
			excused(fail, "2025-11-25")}, false,
			"NOT CONFORMANT, all 2 failures excused by baseline known[1].txt"},
		"not all": {[]reports.Result{pass, fail, excused(fail, "2025-06-18")}, false,
			"NOT CONFORMANT"},
		"strict": {[]reports.Result{pass, excused(warn, "2025-06-18"), excused(warn, "2025-11-25")},
			true, "NOT CONFORMANT, all 2 warnings excused by baseline known[1].txt"},
		"no failure": {[]reports.Result{pass, excused(warn, "2025-06-18")}, false,
			"CONFORMANT, 1 warning"},
		"nothing excused": {[]reports.Result{pass, fail}, false, "NOT CONFORMANT"},
	} {
		r := sample()
		r.Results, r.Observations = test.results, nil
		r.Summary.Baseline = &reports.BaselineSummary{File: "known[1].txt", Entries: 1}
		r.Summarize(reports.SummaryOptions{Strict: test.strict})
		if got := (view{Report: r}).Standing().String(); got != test.want {
			t.Errorf("%s: %s, not %s", name, got, test.want)
		}
		o := Options{Strict: test.strict}
		for format, text := range map[string]string{
			"console": render(t, r, o),
			"HTML":    written(t, HTML, r, o),
			"Markdown": strings.ReplaceAll(written(t, Markdown, r, o),
				"\\", ""),
			"JUnit": written(t, JUnit, r, o),
		} {
			if !strings.Contains(text, test.want) ||
				strings.Contains(text, "excused by baseline") != strings.Contains(test.want, "excused") {
				t.Errorf("%s: %s lacks %q", name, format, test.want)
			}
		}
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
	if err := reports.WriteJSON(&raw, noted); err != nil {
		t.Fatal(err)
	}
	read, err := reports.ReadJSON(&raw)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(slices.DeleteFunc(read.Rows(), func(x *reports.Result) bool {
		return x.Rerun == ""
	})); n != 12 {
		t.Errorf("%d results have a command instead of the 12 that are red or blocked", n)
	}
	for name, write := range map[string]func(io.Writer, *reports.Report, Options) error{
		"console": Console, "HTML": HTML, "Markdown": Markdown, "SARIF": SARIF,
	} {
		for _, r := range []*reports.Report{noted, read} {
			text := written(t, write, r, Options{})
			for id, want := range map[string]bool{"PAGE-9": true, "READ-09": true, "PAGE-10": false,
				"SUB-01": name != "SARIF"} {
				if strings.Contains(text, "--only "+id) != want {
					t.Errorf("%s: the command for %s: want %t", name, id, want)
				}
			}
		}
		text := regexp.MustCompile(`(?s)<script>.*</script>`).ReplaceAllString(
			written(t, write, sample(), Options{}), "")
		if regexp.MustCompile(`(?i)repeat( it)?[: ]|>Repeat<`).MatchString(text) {
			t.Errorf("%s tells of a command that nobody knows", name)
		}
	}
	for _, rule := range sarifOf(t, noted, Options{}).Runs[0].Tool["driver"].Rules {
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
		r := reports.New(reports.Tool{}, reports.Target{}, reports.Config{})
		for i, rev := range []string{"2025-03-26", "2025-06-18", "2025-11-25"} {
			r.Results = append(r.Results, reports.Result{ID: "A-01", Verdict: reports.Fail, Revision: rev,
				Transport: "stdio", Cause: c.causes[i], Actual: c.actual[i]})
		}
		list := view{Report: r}.byCause(red)
		if len(list) != c.findings || len(list[0].results) != 4-c.findings {
			t.Errorf("%s: %d findings", name, len(list))
		}
		if first := list[0].Result; first.Revision != "2025-11-25" {
			t.Errorf("%s: shown in %s, not in the newest revision", name, first.Revision)
		}
		if got := list[0].Seen(); (got == c.actual[2]) != (name != "one cause") ||
			!strings.HasPrefix(got, c.actual[2]) {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// TestSafeLink: only a plain address of the web becomes a link.
func TestSafeLink(t *testing.T) {
	for link, want := range map[string]bool{
		"https://modelcontextprotocol.io/specification/2025-06-18/server/resources#uri": true,
		"": false, "http://a/": false, "javascript:alert(1)": false, "//a/": false, "https://": false,
		"https://a/) [x](https://b": false, "https://a/\"><b>": false, "https://a/]": false,
	} {
		if got := safeLink((&reports.Result{Link: link})) == link && link != ""; got != want {
			t.Errorf("%q: %t", link, got)
		}
	}
}

// TestRepeatedIsWhole: a command that cannot be shown as it is is not shown at all, since
// part of it would be another one.
func TestRepeatedIsWhole(t *testing.T) {
	for command, shown := range map[string]bool{
		"mcpcheck run -- x 'a b'": true, "mcpcheck run -- sh -c $'true\\nexec x'": true, "": true,
		"mcpcheck run -- sh -c 'true\nexec x'": false, "mcpcheck run -- 'x" + strings.Repeat("y", pageText) +
			"'": false,
	} {
		x := reports.Result{Rerun: command}
		want := command
		if !shown {
			want = elsewhere
		}
		if got := repeated(&x); got != want {
			t.Errorf("%q is shown as %q", command, got)
		}
	}
	for command, want := range map[string]string{"mcpcheck run -- '[a]''(b)'": "mcpcheck run -- '[a]''(b)'",
		"mcpcheck run -- '[a](b)'": elsewhere} {
		r := sample()
		r.NoteReruns(func(_, _, _ string) string { return command })
		x := sarifOf(t, r, Options{}).Runs[0].Results[0]
		if !strings.Contains(x.Message.Text, "\nRepeat: "+want) || x.Properties["rerun"] != want {
			t.Errorf("%q in %q and %q", want, x.Message.Text, x.Properties["rerun"])
		}
	}
}
