package reports

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
)

// grave is a report with a finding of each kind, in an order that is not theirs.
func grave() *Report {
	r := New(Tool{Name: "mcpcheck"}, Target{Name: "x"}, Config{})
	add := func(id string, v Verdict, g Gravity, title string) {
		r.Results = append(r.Results, Result{ID: id, Title: title, Level: LevelMust, Grade: "fail", Revision: "2025-11-25", Transport: "stdio", Verdict: v, Gravity: g, Actual: title, Cause: strings.ToLower(id)})
	}
	add("A-01", Pass, "", "passes")
	add("B-01", Warn, GravityWarning, "warns")
	add("B-02", Warn, GravityCodes, "has another code")
	add("C-01", Fail, GravityFailure, "fails")
	add("C-02", Fail, GravityCodes, "has a wrong code")
	add("Y-01", Warn, GravitySecurity, "may leak")
	add("Z-01", Fail, GravitySecurity, "leaks")
	return r
}

// TestGravityOrders: what harms comes first and what is only about codes last, in every
// list of findings.
func TestGravityOrders(t *testing.T) {
	r := grave()
	r.Summarize(SummaryOptions{})
	if r.Summary.Security != (SecurityCounts{Fail: 1, Warn: 1}) {
		t.Errorf("%+v", r.Summary.Security)
	}
	want := []string{"Z-01", "Y-01", "C-01", "C-02", "B-01", "B-02"}
	for name, text := range map[string]string{
		"console":  written(t, func(w io.Writer) error { return WriteConsole(w, r, Options{Width: 100}) }),
		"quiet":    written(t, func(w io.Writer) error { return WriteConsole(w, r, Options{Width: 100, Quiet: true}) }),
		"markdown": written(t, func(w io.Writer) error { return WriteMarkdown(w, r, Options{}) }),
		"html":     written(t, func(w io.Writer) error { return WriteHTML(w, r, Options{}) }),
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
	if err := json.Unmarshal([]byte(written(t, func(w io.Writer) error { return WriteSARIF(w, r, Options{}) })), &log); err != nil {
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
	r.Results = slices.DeleteFunc(r.Results, func(x Result) bool { return x.Verdict == Fail })
	r.Summarize(SummaryOptions{})
	console := written(t, func(w io.Writer) error { return WriteConsole(w, r, Options{}) })
	lines := strings.Split(strings.TrimSpace(console), "\n")
	if last := lines[len(lines)-1]; !strings.HasPrefix(last, "CONFORMANT, 3 warnings (1 security)  1 passed, 0 failed, 0 not applicable") {
		t.Errorf("the last line is %s", last)
	}
	badge := written(t, func(w io.Writer) error { return WriteBadge(w, r, "") })
	if !strings.Contains(badge, "conformant 1/1, 3 warnings (1 security)") || strings.Contains(badge, "#1a6b34") {
		t.Errorf("the badge is %s", badge)
	}
	column := MatrixColumn("x", r, 0, 0)
	if column.Word() != "conformant, 3 warnings (1 security)" {
		t.Errorf("the matrix says %s", column.Word())
	}
	_, f := junit(t, r, false)
	if f.Name != "mcpcheck x: CONFORMANT, 3 warnings (1 security)" {
		t.Errorf("JUnit says %s", f.Name)
	}
	var cases []string
	for _, c := range f.Suites[0].Cases {
		cases = append(cases, c.Class+" "+c.Name)
	}
	if want := []string{"warnings.security Y-01 may leak", "warnings.warning B-01 warns", "warnings.codes B-02 has another code"}; !slices.Equal(cases, want) {
		t.Errorf("JUnit has the warnings %q", cases)
	}
	if page := written(t, func(w io.Writer) error { return WriteHTML(w, r, Options{}) }); !strings.Contains(page, "<strong>CONFORMANT, 3 warnings (1 security)</strong>") {
		t.Error("the page does not say so")
	}
}

// TestShortList: a line for each of the first findings, codes in one of their own, and
// nothing between the list and the last line.
func TestShortList(t *testing.T) {
	r := grave()
	for i, x := range r.Results {
		switch x.ID {
		case "Z-01":
			r.Results[i].Actual = `a result ({"resources":[{"uri":…) leaks`
		case "C-02": // warns of another cause elsewhere
			x.Cause, x.Verdict = "another", Warn
			r.Results = append(r.Results, x)
		}
	}
	for i := range 20 {
		r.Results = append(r.Results, Result{ID: fmt.Sprintf("D-%02d", i), Title: strings.Repeat("word ", 40), Revision: "2025-11-25", Transport: "stdio", Verdict: Warn, Level: LevelShould, Cause: "x"})
	}
	r.Summarize(SummaryOptions{})
	text := written(t, func(w io.Writer) error { return WriteConsole(w, r, Options{Width: 80}) })
	_, list, _ := strings.Cut(text, "IN SHORT\n")
	lines := strings.Split(strings.TrimRight(list, "\n"), "\n")
	if len(lines) < 16 || lines[14] != "" || !strings.HasPrefix(lines[15], "NOT CONFORMANT") {
		t.Fatalf("%q", lines)
	}
	for i, want := range map[int]string{0: "✗ Z-01     security: a result leaks", 1: "! Y-01     security: may leak", 2: "✗ C-01     fails", 12: "12 more", 13: "✗ codes    C-02, B-02  "} {
		if !strings.HasPrefix(strings.TrimSpace(lines[i]), want) {
			t.Errorf("line %d is %q", i, lines[i])
		}
	}
	for _, l := range lines[:14] {
		if n := len([]rune(l)); n > 80 {
			t.Errorf("%d characters: %s", n, l)
		}
	}
	if !strings.HasSuffix(lines[0], "2025-11-25 on stdio") {
		t.Errorf("%q does not say where", lines[0])
	}
}

// TestGravityOfEarlierReports: what has none follows from the verdict.
func TestGravityOfEarlierReports(t *testing.T) {
	x := Result{Verdict: Fail}
	if x.weight() != GravityFailure {
		t.Error(x.weight())
	}
	if x.Verdict = Pass; x.weight() != "" {
		t.Error(x.weight())
	}
}

// TestPageFilters: the page says of each finding what the filters need.
func TestPageFilters(t *testing.T) {
	r := grave()
	r.Summarize(SummaryOptions{})
	page := written(t, func(w io.Writer) error { return WriteHTML(w, r, Options{}) })
	for _, want := range []string{
		`data-requirement="Z-01" data-verdict="fail" data-in="0"`, `<span class="chip g-security">security</span>`, `<span class="chip g-codes">codes</span>`,
		`<select id="f-revision"><option value="">all</option><option>2025-11-25</option></select>`, "<b class=\"v-fail\">2</b>about security",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
}
