package write

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/mcpcheck/mcpcheck/reports"
)

func htmlOf(t *testing.T, r *reports.Report) string {
	t.Helper()
	return written(t, HTML, r, Options{Areas: []reports.Area{{Name: "PAGE", Title: "Pagination"}},
		Describe: func(id string) (string, string) { return "The text of " + id + ".", "" }})
}

var dataBlock = regexp.MustCompile(`(?s)<script type="application/json" id="(data|frames)">(.*?)</script>`)

// dataOf is what the script of a page works on.
func dataOf(t *testing.T, page string) (d pageData, frames map[int]*wireFrame) {
	t.Helper()
	m := dataBlock.FindAllStringSubmatch(page, -1)
	if len(m) != 2 {
		t.Fatalf("the page has %d blocks of data instead of 2", len(m))
	}
	if err := json.Unmarshal([]byte(m[0][2]), &d); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(m[1][2]), &frames); err != nil {
		t.Fatal(err)
	}
	return d, frames
}

func TestHTML(t *testing.T) {
	page := htmlOf(t, sample())
	for _, want := range []string{
		"NOT CONFORMANT", "everything", `id="PAGE-9"`, `failed 4`,
		"<title>NOT CONFORMANT: everything</title>",
		"send the cursor as a string", "TMPL-12", "size-differs", "Pagination", "the pad bits are set",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	d, frames := dataOf(t, page)
	if len(d.Columns) != 4 || len(d.Requirements) != 5 {
		t.Errorf("%d columns, %d requirements", len(d.Columns), len(d.Requirements))
	}
	for _, q := range d.Requirements {
		covered := map[int]bool{}
		for _, v := range q.Results {
			for _, i := range v.In {
				covered[i] = true
			}
		}
		if len(covered) != 4 {
			t.Errorf("%s opens to %d of 4 combinations", q.ID, len(covered))
		}
	}
	if f := frames[1]; f == nil || !strings.Contains(f.Text, "\"method\": \"resources/list\"") {
		t.Errorf("frame 1 is %+v", f)
	}
}

// TestHTMLHostile: nothing that a target sends becomes markup, script or an invisible
// character, and the page loads nothing.
func TestHTMLHostile(t *testing.T) {
	page := htmlOf(t, hostileReport())
	keep(t, "hostile.html", page)
	inert(t, page)
	if n := strings.Count(page, "<script"); n != 3 {
		t.Errorf("%d scripts instead of 3", n)
	}
	if n := strings.Count(page, "</script"); n != 3 {
		t.Errorf("%d ends of scripts instead of 3", n)
	}
	for _, bad := range []string{"alert(1)</", "javascript:", "src=\"http", "url(http"} {
		if strings.Contains(page, bad) {
			t.Errorf("the page contains %q", bad)
		}
	}
	if !strings.Contains(page, `\x1b[31m`) {
		t.Error("control characters vanish instead of being visible")
	}
	dataOf(t, page)
}

// TestHTMLIsLight: what grows with the number of verdicts is data, not markup, and each
// requirement has one row however a report is sorted.
func TestHTMLIsLight(t *testing.T) {
	r := reports.New(reports.Tool{Name: "mcpcheck"}, reports.Target{Name: "many"}, reports.Config{})
	for c := range 20 {
		for i := range 250 {
			r.Results = append(r.Results, reports.Result{ID: fmt.Sprintf("PAGE-%d", i), Title: "A title",
				Level: reports.LevelMust, Verdict: reports.Pass,
				Revision: fmt.Sprintf("2025-01-%02d", c+10), Transport: "http", Evidence: []int{1}})
		}
	}
	r.Summarize(reports.SummaryOptions{})
	slices.SortStableFunc(r.Results, func(a, b reports.Result) int {
		return strings.Compare(a.Revision, b.Revision)
	})
	page := htmlOf(t, r)
	d, _ := dataOf(t, page)
	if len(d.Requirements) != 250 || len(d.Requirements[0].Results) != 20 {
		t.Errorf("%d rows, %d verdicts in the first", len(d.Requirements), len(d.Requirements[0].Results))
	}
	markup := regexp.MustCompile(`(?s)<noscript>.*?</noscript>`).ReplaceAllString(
		dataBlock.ReplaceAllString(page, ""), "")
	if n := strings.Count(markup, "<"); n > 1000 {
		t.Errorf("%d elements stand in the document", n)
	}
}

func TestHTMLIsBounded(t *testing.T) {
	r := sample()
	huge := strings.Repeat("a", 10<<20)
	r.Target.Name, r.Results[0].Title, r.Results[0].Actual = huge, huge, huge
	for i := range r.Frames {
		r.Frames[i].Data = []byte(huge)
	}
	if page := htmlOf(t, r); len(page) > 200<<10 {
		t.Errorf("the page has %d bytes", len(page))
	}
}

func TestMarkdown(t *testing.T) {
	text := written(t, Markdown, sample(), Options{})
	for _, want := range []string{"## ❌ NOT CONFORMANT: `everything`",
		"| `2025-06-18` on `stdio` | 1 | 1 | 1 | 1 | 1 | non-conformant |",
		"<b>PAGE-9</b> A cursor is a string",
		"actual:   an integer, 5", "### Blocked (4)"} {
		if !strings.Contains(text, want) {
			t.Errorf("the summary lacks %q:\n%s", want, text)
		}
	}
}

// TestMarkdownHostile: what a target sends stands in code, and code is closed.
func TestMarkdownHostile(t *testing.T) {
	r := hostileReport()
	for i := range r.Results {
		r.Results[i].Actual = "```\n</details><img src=x> @everyone `` ` #1 | x" + hostile
	}
	text := written(t, Markdown, r, Options{})
	keep(t, "hostile.md", text)
	inert(t, text)
	fence := ""
	for _, line := range strings.Split(text, "\n") {
		switch {
		case fence == "" && strings.HasPrefix(line, "```"):
			fence = strings.TrimSuffix(line, "text")
			continue
		case fence != "" && line == fence:
			fence = ""
			continue
		case fence != "":
			continue
		}
		rest := regexp.MustCompile("(`+)[^`].*?`+").ReplaceAllString(line, "")
		for _, bad := range []string{"<script", "<img", "@everyone", "#1"} {
			if strings.Contains(rest, bad) {
				t.Errorf("outside of code: %q", line)
			}
		}
	}
	if fence != "" {
		t.Error("a block of code is not closed")
	}
	if n, m := strings.Count(text, "\n<details>"), strings.Count(text, "\n</details>\n"); n > m {
		t.Errorf("%d details are opened, %d closed", n, m)
	}
}

func TestMarkdownIsBounded(t *testing.T) {
	r := sample()
	for i := range 5000 {
		x := r.Results[1]
		x.ID, x.Revision = "PAGE-"+strings.Repeat("1", 1+i%5), strings.Repeat("2", 1+i%300)
		x.Actual, x.Cause = strings.Repeat("y", 1+i), "c"+strings.Repeat("1", i)
		r.Results = append(r.Results, x)
	}
	text := written(t, Markdown, r, Options{})
	if len(text) > markdownLimit+500 || !strings.Contains(text, "more, in the other reports") {
		t.Errorf("%d bytes", len(text))
	}
}

func sarifOf(t *testing.T, r *reports.Report, o Options) sarifLog {
	t.Helper()
	var log sarifLog
	if err := json.Unmarshal([]byte(written(t, SARIF, r, o)), &log); err != nil {
		t.Fatal(err)
	}
	return log
}

// TestSARIFPlace: an alert stands where the repository has the URI that was seen, or else the method that was
// asked.
func TestSARIFPlace(t *testing.T) {
	r := probed(func(f *reports.Frame) { f.Data = []byte(`{"method":"resources/read"}`) })
	for actual, want := range map[string]string{
		`the size of "note:one" is -1`: "a%20b.go] region:map[startLine:7",
		"something else":               "read.go] region:map[startLine:3",
		`"note:two"`:                   "read.go] region:map[startLine:3",
	} {
		r.Results[0].Actual = actual
		log := sarifOf(t, r, Options{Find: func(texts ...string) (string, int) {
			for _, text := range texts {
				switch text {
				case "note:one":
					return "a b.go", 7
				case "resources/read":
					return "read.go", 3
				}
			}
			return "", 0
		}})
		if got := fmt.Sprint(log.Runs[0].Results[0].Locations[0]); !strings.Contains(got, want) {
			t.Errorf("%s: %s", actual, got)
		}
	}
}

func TestSARIF(t *testing.T) {
	r := sample()
	r.Results[1].Excused, r.Results[1].ExcusedReason = true, "known"
	log := sarifOf(t, r, Options{Location: "deploy/a b.yaml"})
	run := log.Runs[0]
	if log.Version != "2.1.0" || len(run.Tool["driver"].Rules) != 5 {
		t.Errorf("version %s, %d rules", log.Version, len(run.Tool["driver"].Rules))
	}
	levels := map[string]int{}
	for _, x := range run.Results {
		levels[x.RuleID+" "+x.Level]++
		if run.Tool["driver"].Rules[x.RuleIndex].ID != x.RuleID {
			t.Errorf("%s points at rule %d", x.RuleID, x.RuleIndex)
		}
		if uri := fmt.Sprint(x.Locations[0]); !strings.Contains(uri, "uri:deploy/a%20b.yaml]") {
			t.Errorf("the location is %q", uri)
		}
	}
	if levels["PAGE-9 error"] != 2 || levels["READ-09 warning"] != 1 || len(levels) != 2 {
		t.Errorf("results %v", levels)
	}
	if s := run.Results; len(s[0].Suppressions)+len(s[1].Suppressions) != 1 {
		t.Error("the excused finding is not suppressed, or another is")
	}
	if n := run.Invocations[0].Notifications; len(n) != 1 || n[0].Rule == nil || n[0].Rule["id"] != "SUB-01" {
		t.Errorf("notifications %+v", n)
	}
}

func TestSARIFHostile(t *testing.T) {
	text := written(t, SARIF, hostileReport(), Options{Location: "../x\n<y>"})
	keep(t, "hostile.sarif", text)
	inert(t, text)
	if strings.Contains(text, "<script") {
		t.Error("the log contains markup")
	}
	sarifOf(t, hostileReport(), Options{})
}

// TestFoldsSayWhere: in Markdown a fold says where the finding is without being opened, and on the page what
// is not exercised is linked.
func TestFoldsSayWhere(t *testing.T) {
	r := sample()
	if text := written(t, Markdown, r, Options{}); !strings.Contains(text,
		`<summary><b>PAGE-9</b> A cursor is a string (everywhere)</summary>`) {
		t.Error(text)
	}
	if text := written(t, HTML, r, Options{}); !strings.Contains(text,
		`1 MUST not exercised: <a class="mono" href="#TMPL-12">TMPL-12</a>`) {
		t.Error("what is not exercised is no link")
	}
}

// TestNearBeginsWithAnObject: of a long answer what surrounds a name is shown from the beginning of an object
// on.
func TestNearBeginsWithAnObject(t *testing.T) {
	entry := func(name string) string {
		return `{"description":"` + strings.Repeat("x", 150) + `","uri":"` + name + `"},`
	}
	f := &reports.Frame{Direction: reports.In,
		Data: []byte(`{"result":[` + strings.Repeat(entry("a:other"), 8) + entry("a:meant") + `]}`)}
	got := string(near((&reports.Result{Actual: `"a:meant" is wrong`}), f, 600).Data)
	if _, shown, _ := strings.Cut(got, " … "); !strings.HasPrefix(shown, `{"description"`) ||
		!strings.Contains(shown, `"a:meant"`) {
		t.Error(got)
	}
}
