package write

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/mcpcheck/mcpcheck/reports"
)

// grave is a report with a finding of each kind, in an order that is not theirs.
func grave() *reports.Report {
	r := reports.New(reports.Tool{Name: "mcpcheck"}, reports.Target{Name: "x"}, reports.Config{})
	add := func(id string, v reports.Verdict, g reports.Gravity, title string) {
		r.Results = append(r.Results, reports.Result{ID: id, Title: title, Level: reports.LevelMust,
			Grade: "fail", Revision: "2025-11-25", Transport: "stdio", Verdict: v, Gravity: g, Actual: title,
			Cause: strings.ToLower(id)})
	}
	add("A-01", reports.Pass, "", "passes")
	add("B-01", reports.Warn, reports.GravityWarning, "warns")
	add("B-02", reports.Warn, reports.GravityCodes, "has another code")
	add("C-01", reports.Fail, reports.GravityFailure, "fails")
	add("C-02", reports.Fail, reports.GravityCodes, "has a wrong code")
	add("Y-01", reports.Warn, reports.GravitySecurity, "may leak")
	add("Z-01", reports.Fail, reports.GravitySecurity, "leaks")
	return r
}

// TestGravityOrders: what harms comes first and what is only about codes last, in every
// list of findings.
func TestGravityOrders(t *testing.T) {
	r := grave()
	r.Summarize(reports.SummaryOptions{})
	if r.Summary.Security != (reports.SecurityCounts{Fail: 1, Warn: 1}) {
		t.Errorf("%+v", r.Summary.Security)
	}
	want := []string{"Z-01", "Y-01", "C-01", "C-02", "B-01", "B-02"}
	for name, text := range map[string]string{
		"console":  render(t, r, Options{Width: 100}),
		"quiet":    render(t, r, Options{Width: 100, Quiet: true}),
		"markdown": written(t, Markdown, r, Options{}),
		"html":     written(t, HTML, r, Options{}),
	} {
		if name == "html" {
			text, _, _ = strings.Cut(text, `id="overview"`)
		}
		at := 0
		for _, id := range want {
			i := strings.Index(text[at:], id)
			if i < 0 {
				t.Errorf("%s: %s does not follow those before it in %v\n%s", name, id, want, text)
				break
			}
			at += i
		}
	}
	var log struct {
		Runs []struct {
			Tool struct {
				Driver struct {
					Rules []struct {
						ID         string         `json:"id"`
						Properties map[string]any `json:"properties"`
					} `json:"rules"`
				} `json:"driver"`
			} `json:"tool"`
			Results []struct {
				ID         string         `json:"ruleId"`
				Properties map[string]any `json:"properties"`
			} `json:"results"`
		} `json:"runs"`
	}
	if err := json.Unmarshal([]byte(written(t, SARIF, r, Options{})),
		&log); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, x := range log.Runs[0].Results {
		got = append(got, x.ID)
	}
	if !slices.Equal(got, want) || log.Runs[0].Results[0].Properties["gravity"] != "security" {
		t.Errorf("SARIF has %v", got)
	}
	for _, rule := range log.Runs[0].Tool.Driver.Rules {
		score := map[string]any{"Y-01": "5.0", "Z-01": "8.0"}[rule.ID]
		if rule.Properties["security-severity"] != score {
			t.Errorf("%s has the score %v", rule.ID, rule.Properties["security-severity"])
		}
	}
}

// TestGravityIsPronounced: a conformant target is not called so without its warnings.
func TestGravityIsPronounced(t *testing.T) {
	r := grave()
	r.Results = slices.DeleteFunc(r.Results, func(x reports.Result) bool { return x.Verdict == reports.Fail })
	r.Summarize(reports.SummaryOptions{})
	console := render(t, r, Options{})
	lines := strings.Split(strings.TrimSpace(console), "\n")
	if last := lines[len(lines)-1]; !strings.HasPrefix(last,
		"CONFORMANT, 3 warnings (1 security)  2025-11-25 ✓; 1 passed, 0 failed, 0 not applicable") {
		t.Errorf("the last line is %s", last)
	}
	badge := written(t, Badge, r, "")
	if !strings.Contains(badge, "conformant 1/1, 3 warnings (1 security)") ||
		strings.Contains(badge, "#1a6b34") {
		t.Errorf("the badge is %s", badge)
	}
	column := reports.MatrixColumn("x", r, 0, 0)
	if Word(&column) != "conformant, 3 warnings (1 security)" {
		t.Errorf("the matrix says %s", Word(&column))
	}
	_, f := junit(t, r, false)
	if f.Name != "mcpcheck x: CONFORMANT, 3 warnings (1 security); 2025-11-25 ✓" {
		t.Errorf("JUnit says %s", f.Name)
	}
	var cases []string
	for _, c := range f.Suites[0].Cases {
		cases = append(cases, c.Class+" "+c.Name)
	}
	if want := []string{"warnings.security Y-01 may leak", "warnings.warning B-01 warns",
		"warnings.codes B-02 has another code"}; !slices.Equal(cases, want) {
		t.Errorf("JUnit has the warnings %q", cases)
	}
	if page := written(t, HTML, r, Options{}); !strings.Contains(page,
		"<strong>CONFORMANT, 3 warnings (1 security)</strong>") {
		t.Error("the page does not say so")
	}
}

// TestShortList: a line for each of the first findings, failures above warnings, codes in
// their own lines, and nothing between the list and the last line.
func TestShortList(t *testing.T) {
	r := grave()
	for i, x := range r.Results {
		switch x.ID {
		case "Z-01":
			r.Results[i].Actual = `a result ({"resources":[{"uri":…) leaks`
		case "C-02": // warns of another cause elsewhere
			x.Cause, x.Verdict = "another", reports.Warn
			r.Results = append(r.Results, x)
		}
	}
	for i := range 20 {
		r.Results = append(r.Results, reports.Result{ID: fmt.Sprintf("D-%02d", i),
			Title: strings.Repeat("word ", 40), Revision: "2025-11-25", Transport: "stdio",
			Verdict: reports.Warn, Level: reports.LevelShould, Cause: "x"})
	}
	r.Summarize(reports.SummaryOptions{})
	text := render(t, r, Options{Width: 80})
	_, list, _ := strings.Cut(text, "IN SHORT\n")
	lines := strings.Split(strings.TrimRight(list, "\n"), "\n")
	if len(lines) < 15 || lines[13] != "" || !strings.HasPrefix(lines[14], "NOT CONFORMANT") {
		t.Fatalf("%q", lines)
	}
	for i, want := range map[int]string{0: "✗ Z-01     security: a result leaks", 1: "✗ C-01     fails",
		2: "✗ codes    C-02  ", 3: "! Y-01     security: may leak", 11: "14 more",
		12: "! codes    B-02, C-02  "} {
		if !strings.HasPrefix(strings.TrimSpace(lines[i]), want) {
			t.Errorf("line %d is %q", i, lines[i])
		}
	}
	for _, l := range lines[:13] {
		if n := len([]rune(l)); n > 80 {
			t.Errorf("%d characters: %s", n, l)
		}
	}
	if strings.Contains(list, "on stdio  ") || strings.Contains(lines[0], "2025-11-25") {
		t.Errorf("%q says where, and there is no other place", lines[0])
	}
}

// TestSharedCause: what breaks several requirements at once is one finding in every list, with the
// other ids, what was seen of them and all revisions beside it; verdicts and their cases stay.
func TestSharedCause(t *testing.T) {
	r := reports.New(reports.Tool{Name: "mcpcheck"}, reports.Target{Name: "x"}, reports.Config{})
	for _, x := range []reports.Result{
		{ID: "URI-12", Revision: "2025-06-18", Title: "variables", Actual: "by a variable"},
		{ID: "URI-13", Revision: "2025-11-25", Title: "tricks", Actual: "by a sibling"},
		{ID: "URI-13", Revision: "2025-06-18", Title: "tricks", Actual: "by a sibling", Excused: true,
			ExcusedReason: "known"},
		{ID: "URI-14", Revision: "2025-11-25", Title: "subscriptions", Actual: "another"},
	} {
		x.Transport, x.Verdict, x.Gravity, x.Level, x.Cause, x.SharedCause = "stdio", reports.Fail,
			reports.GravitySecurity, reports.LevelMust, "out-of-the-root", x.ID != "URI-14"
		r.Results = append(r.Results, x)
	}
	r.Summarize(reports.SummaryOptions{})
	const also = "URI-13 (tricks) in 2025-11-25 on stdio: by a sibling"
	for name, want := range map[string]struct {
		text  string
		wants []string
	}{
		"verbose": {render(t, r, Options{Width: 100, Verbose: true}), []string{"also      " + also}},
		"console": {render(t, r, Options{Width: 100}),
			[]string{"SECURITY  2 findings, 3 verdicts", "also      URI-13\n",
				"✗ URI-12   security: by a variable ", "also URI-13; everywhere"}},
		"quiet": {render(t, r, Options{Width: 100, Quiet: true}),
			[]string{"fail    URI-12  by a variable  (2025-06-18 on stdio), also URI-13"}},
		"markdown": {written(t, Markdown, r, Options{}),
			[]string{"### Security (2)", "- also: `" + also + "`"}},
		"html": {written(t, HTML, r, Options{}),
			[]string{`data-requirement="URI-12" data-verdict="fail" data-in="0 1" data-also="URI-13"`,
				`<span class="soft">also URI-13</span>`, "<dt>Also</dt><dd>" + also + "</dd>"}},
		"annotations": {written(t, Annotations, r, Options{}),
			[]string{"::error title=mcpcheck URI-12::", "::error title=mcpcheck URI-13::"}},
		"SARIF": {written(t, SARIF, r, Options{}),
			[]string{"Actual: by a variable", "\\nAlso: " + also,
				"(in 2025-06-18 on stdio).\\nActual: by a sibling"}},
	} {
		for _, s := range want.wants {
			if strings.Count(want.text, s) != 1 {
				t.Errorf("%s has %d times %s in\n%s", name, strings.Count(want.text, s), s, want.text)
			}
		}
	}
	if cases := strings.Count(written(t, JUnit, r, Options{}),
		"<testcase "); cases != 4 {
		t.Errorf("JUnit has %d cases", cases)
	}
}

// TestFoldedFindings: what is folded has one verdict, and one command, which shows what one change mends.
func TestFoldedFindings(t *testing.T) {
	r := reports.New(reports.Tool{Name: "mcpcheck"}, reports.Target{Name: "x"}, reports.Config{})
	for _, x := range []reports.Result{{ID: "URI-10", Verdict: reports.Fail},
		{ID: "URI-11", Verdict: reports.Fail},
		{ID: "URI-12", Verdict: reports.Warn, Title: "tricks"}} {
		x.Revision, x.Transport, x.Level, x.Cause, x.SharedCause, x.Rerun = "2025-11-25", "stdio",
			reports.LevelMust, "out-of-the-root", true, "mcpcheck run --only "+x.ID
		r.Results = append(r.Results, x)
	}
	r.Summarize(reports.SummaryOptions{})
	var folded []string
	for _, f := range (view{Report: r}).findings(red) {
		folded = append(folded, f.ID+"+"+strings.Join(f.Others(), "+"))
	}
	if got := strings.Join(folded, " "); got != "URI-10+URI-11+URI-12" {
		t.Errorf("folded are %s", got)
	}
	for name, text := range map[string]string{
		"console":  render(t, r, Options{Width: 100, Verbose: true}),
		"markdown": written(t, Markdown, r, Options{}),
		"html":     written(t, HTML, r, Options{}),
	} {
		text, _, _ = strings.Cut(text, `id="data"`)
		for _, x := range r.Results {
			want := 0
			if x.ID == "URI-10" { // the others stand beside it
				want = 1
			}
			if n := strings.Count(text, x.Rerun); n != want {
				t.Errorf("%s has %d times %s", name, n, x.Rerun)
			}
		}
		if !strings.Contains(text, "URI-12 (tricks) as a warning in 2025-11-25 on stdio") {
			t.Errorf("%s does not say what only warns:\n%s", name, text)
		}
	}
}

// TestUnder: a finding stands under the one that covers all of its results, unless it is graver.
func TestUnder(t *testing.T) {
	type result struct {
		id, revision, under string
		verdict             reports.Verdict
	}
	for name, c := range map[string]struct {
		results []result
		want    string
	}{
		"covered": {[]result{{"A-01", "1", "", reports.Fail}, {"A-02", "1", "A-01", reports.Warn}},
			"A-01+A-02"},
		"in a row": {[]result{{"A-01", "1", "A-02", reports.Fail}, {"A-02", "1", "A-03", reports.Fail},
			{"A-03", "1", "", reports.Fail}}, "A-03+A-01+A-02"},
		"not everywhere": {[]result{{"A-01", "1", "", reports.Fail}, {"A-02", "1", "A-01", reports.Fail},
			{"A-02", "2", "", reports.Fail}}, "A-02+ A-01+"},
		"graver": {[]result{{"A-01", "1", "", reports.Warn}, {"A-02", "1", "A-01", reports.Fail}},
			"A-02+ A-01+"},
		"passed": {[]result{{"A-01", "1", "", reports.Pass}, {"A-02", "1", "A-01", reports.Fail}},
			"A-02+"},
		"in a circle": {[]result{{"A-01", "1", "A-02", reports.Fail}, {"A-02", "1", "A-01", reports.Fail}},
			"A-02+A-01"},
	} {
		r := reports.New(reports.Tool{}, reports.Target{}, reports.Config{})
		for _, x := range c.results {
			r.Results = append(r.Results,
				reports.Result{ID: x.id, Revision: x.revision, Transport: "stdio", Verdict: x.verdict,
					Under: x.under,
					Cause: "c"})
		}
		var folded []string
		for _, f := range (view{Report: r}).findings(red) {
			folded = append(folded, f.ID+"+"+strings.Join(f.Others(), "+"))
		}
		if got := strings.Join(folded, " "); got != c.want {
			t.Errorf("%s: %s, not %s", name, got, c.want)
		}
	}
}

// TestAlertsOfASharedCause: where requirements share a cause each has its own alert, so that what a
// baseline excuses of one neither closes nor suppresses that of another.
func TestAlertsOfASharedCause(t *testing.T) {
	r := reports.New(reports.Tool{Name: "mcpcheck"}, reports.Target{Name: "x"}, reports.Config{})
	for _, id := range []string{"URI-12", "URI-13"} {
		r.Results = append(r.Results, reports.Result{ID: id, Revision: "2025-11-25", Transport: "stdio",
			Verdict: reports.Fail, Level: reports.LevelMust, Cause: "out-of-the-root", SharedCause: true,
			Excused: id == "URI-12", ExcusedReason: "known"})
	}
	r.Summarize(reports.SummaryOptions{})
	results := (&sarif{view: view{Report: r}, index: map[string]int{}}).results()
	if len(results) != 2 {
		t.Fatalf("%d results, not one for each requirement", len(results))
	}
	suppressed := map[string]int{}
	for _, x := range results {
		suppressed[x.RuleID] = len(x.Suppressions)
	}
	if results[0].Fingerprints["mcpcheck/v2"] == results[1].Fingerprints["mcpcheck/v2"] {
		t.Errorf("both have the fingerprint %v", results[0].Fingerprints)
	}
	if suppressed["URI-12"] != 1 || suppressed["URI-13"] != 0 {
		t.Errorf("suppressed are %v", suppressed)
	}
}

// TestGravityOfEarlierReports: what has none follows from the verdict.
func TestGravityOfEarlierReports(t *testing.T) {
	x := reports.Result{Verdict: reports.Fail}
	if x.Weight() != reports.GravityFailure {
		t.Error(x.Weight())
	}
	if x.Verdict = reports.Pass; x.Weight() != "" {
		t.Error(x.Weight())
	}
}

// TestPageFilters: the page says of each finding what the filters need.
func TestPageFilters(t *testing.T) {
	r := grave()
	r.Summarize(reports.SummaryOptions{})
	page := written(t, HTML, r, Options{})
	for _, want := range []string{
		`data-requirement="Z-01" data-verdict="fail" data-in="0"`,
		`<span class="chip g-security">security</span>`, `<span class="chip g-codes">codes</span>`,
		`<select id="f-revision"><option value="">all</option><option>2025-11-25</option></select>`,
		"<b class=\"v-fail\">2</b>about security",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
}
