package write

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/mcpcheck/mcpcheck/reports"
)

func render(t *testing.T, r *reports.Report, o Options) string {
	t.Helper()
	return written(t, Console, r, o)
}

func TestConsole(t *testing.T) {
	r := sample()
	r.NoteReruns(func(id, revision, transport string) string {
		return "mcpcheck run --only " + id + " --revision " + revision + " --transport " + transport
	})
	text := render(t, r, Options{})
	for _, want := range []string{
		"mcpcheck 1.2.3  everything", "npx -y server-everything", "everything 1.0",
		"PAGE                               4     4     ·     ·        ·",
		"2025-06-18 on stdio", "FAILURES  1 finding, 4 verdicts", "✗ PAGE-9  A cursor is a string",
		"MUST, server/utilities/pagination#response-format", "link      https://example.com/9",
		"all 4 combinations",
		"expected  a string", "actual    an integer, 5", "change    send the cursor as a string",
		`#1 → {"jsonrpc"`, "#4 ← HTTP 404",
		"[4000 bytes in all]", "repeat    mcpcheck run --only PAGE-9", "WARNINGS  1 finding, 4 verdicts",
		"#3 · the process ended",
		"BLOCKED  4 verdicts", "target-died 4", "OBSERVATIONS  1 finding, seen 1 time",
		"size-differs  The size differs (LIST-08)",
		"SHOULD, server/resources (a warning: the pad bits are set)", "passed, 1 MUST not exercised: TMPL-12",
		"NOT EXERCISED  1 requirement, 4 verdicts", "needs-config  1 requirement, 4 verdicts",
		"NOT CONFORMANT  2025-06-18 ✗ PAGE-9  2025-11-25 ✗ PAGE-9; 4 passed, 4 failed, 4 warnings",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
	if strings.Contains(text, "\x1b") {
		t.Error("escape sequences without colour")
	}
	for line := range strings.SplitSeq(text, "\n") {
		// The last line stays whole where nobody said how wide a line is.
		if n := utf8.RuneCountInString(line); n > 80 && !strings.HasPrefix(line, "NOT CONFORMANT") {
			t.Errorf("%d characters: %s", n, line)
		}
	}
}

// TestConsoleTables: areas come in the order that was given, with titles, and no
// table is wider than the terminal.
func TestConsoleTables(t *testing.T) {
	r := sample()
	areas := []reports.Area{{Name: "TMPL", Title: "Resource templates"}, {Name: "PAGE", Title: "Pagination"},
		{Name: "LIST", Title: "Listing resources and more"}}
	for _, width := range []int{40, 50, 74, 80, 120} {
		text := render(t, r, Options{Width: width, Areas: areas})
		table, _, _ := strings.Cut(text[strings.Index(text, "AREA"):], "\nWARNINGS")
		for line := range strings.SplitSeq(table, "\n") {
			if n := utf8.RuneCountInString(line); n > width && !strings.Contains(line, "repeat") &&
				!strings.HasPrefix(line, "  send ") {
				t.Errorf("%d characters: %s", n, line)
			}
		}
		template, page := strings.Index(text, "TMPL "), strings.Index(text, "PAGE ")
		if template < 0 || template > page {
			t.Errorf("wrong order at %d:\n%s", width, table)
		}
	}
}

func TestConsoleColorOnlyPaints(t *testing.T) {
	r := sample()
	plain, colored := render(t, r, Options{}), render(t, r, Options{Color: true})
	if !strings.Contains(colored, "\x1b[31m") {
		t.Error("no colours")
	}
	var b strings.Builder
	for rest := colored; rest != ""; {
		before, after, _ := strings.Cut(rest, "\x1b[")
		b.WriteString(before)
		_, rest, _ = strings.Cut(after, "m")
	}
	if b.String() != plain {
		t.Errorf("without colours:\n%s\nplain:\n%s", b.String(), plain)
	}
}

func TestConsoleQuiet(t *testing.T) {
	lines := strings.Split(strings.TrimSpace(render(t, sample(), Options{Quiet: true})), "\n")
	if len(lines) < 4 ||
		!strings.HasPrefix(lines[0],
			"fail    PAGE-9  an integer, 5  (resources/list in all 4 combinations)") ||
		!strings.HasPrefix(lines[3], "NOT CONFORMANT") {
		t.Errorf("got %q", lines)
	}
}

// Whoever reads the quiet form only learns which entries of the baseline were not judged, too.
func TestConsoleQuietBaseline(t *testing.T) {
	r := sample()
	r.Results = append(r.Results, reports.Result{ID: "URI-11", Revision: "2025-06-18", Transport: "stdio",
		Verdict: reports.NotApplicable, ReasonCode: reports.CodeNeedsConfig})
	b := &reports.BaselineSummary{File: "known.txt", Entries: 8}
	r.Summary.Baseline = b
	note := func(line int) {
		b.Note(reports.BaselineEntry{Line: line, Pattern: reports.Pattern{ID: "URI-11"},
			Verdicts: []reports.BaselineVerdict{{Revision: "2025-06-18", Transport: "stdio",
				Verdict: reports.NotApplicable}}}, false, false)
	}
	note(14)
	const one = "known   known.txt:14: URI-11 could not be judged (needs-config): if what it excuses is " +
		"mended, remove the entry\n"
	if got := render(t, r, Options{Quiet: true}); !strings.Contains(got, one) ||
		strings.Contains(got, "more could not") {
		t.Errorf("got %q", got)
	}
	for line := range 7 {
		note(20 + line)
	}
	if got := render(t, r, Options{Quiet: true}); strings.Count(got, "remove the entry") != 6 ||
		!strings.Contains(got, "known.txt: 2 more could not be judged") {
		t.Errorf("got %q", got)
	}
	b.NotJudged = nil
	if got := render(t, r, Options{Quiet: true}); strings.Contains(got, "known.txt") {
		t.Errorf("got %q", got)
	}
}

func TestConsoleQuietObserved(t *testing.T) {
	r := sample()
	for observed, want := range map[bool]int{false: 0, true: len(r.Observations)} {
		if got := strings.Count("\n"+render(t, r, Options{Quiet: true, Observed: observed}),
			"\nseen "); got != want || len(r.Observations) == 0 {
			t.Errorf("observed %t: %d lines", observed, got)
		}
	}
}

func TestConsoleOutcomes(t *testing.T) {
	for name, test := range map[string]struct {
		results []reports.Result
		options reports.SummaryOptions
		want    string
	}{
		"nothing found": {[]reports.Result{row("A-1", reports.LevelMust, reports.Pass, "")},
			reports.SummaryOptions{Partial: true},
			"NO FAILURES, partial run 2025-11-25 ·; 1 passed, 0 failed, 0 warnings"},
		"only warnings": {[]reports.Result{row("A-1", reports.LevelMust, reports.Warn, "")},
			reports.SummaryOptions{Partial: true},
			"NO FAILURES, 1 warning, partial run 2025-11-25 ·; 0 passed, 0 failed, 0 not"},
		"nothing judged": {[]reports.Result{row("A-1", reports.LevelMust, reports.NotApplicable,
			reports.CodeNeedsConfig)}, reports.SummaryOptions{}, "NOT ESTABLISHED, nothing was judged"},
		"blocked": {[]reports.Result{row("A-1", reports.LevelMust, reports.Blocked, "x")},
			reports.SummaryOptions{Partial: true}, "NOT ESTABLISHED"},
		"conformant": {[]reports.Result{row("A-1", reports.LevelMust, reports.Pass, "")},
			reports.SummaryOptions{}, "CONFORMANT  2025-11-25 ✓; 1 passed, 0 failed"},
		"partial": {[]reports.Result{row("A-1", reports.LevelMust, reports.Pass, "")},
			reports.SummaryOptions{Partial: true}, "partial run"},
		"empty": {nil, reports.SummaryOptions{}, "NOT ESTABLISHED, nothing was judged"},
		"interrupted": {[]reports.Result{row("A-1", reports.LevelMust, reports.Pass, "")},
			reports.SummaryOptions{Interrupted: "SIGTERM"}, "ended early: SIGTERM"},
	} {
		r := reports.New(reports.Tool{Name: "mcpcheck"}, reports.Target{}, reports.Config{})
		r.Results = test.results
		r.Summarize(test.options)
		text := render(t, r, Options{})
		if joined := strings.Join(strings.Fields(text), " "); !strings.Contains(joined,
			strings.Join(strings.Fields(test.want), " ")) {
			t.Errorf("%s: %s", name, text)
		}
	}
}

// TestConsoleIdle: what was not exercised is counted, what the user can help first; verbose output lists it,
// and ids with the same reason stand together.
func TestConsoleIdle(t *testing.T) {
	r := reports.New(reports.Tool{}, reports.Target{}, reports.Config{})
	for _, x := range []reports.Result{
		row("A-1", reports.LevelMust, reports.NotApplicable, reports.CodeNotExercised),
		row("A-2", reports.LevelMust, reports.NotApplicable, reports.CodeNeedsConfig),
		row("A-3", reports.LevelMust, reports.NotApplicable, reports.CodeNeedsConfig),
		row("A-4", reports.LevelMust, reports.NotApplicable, reports.CodeNeedsSubject),
	} {
		x.Reason = "because of " + x.ReasonCode
		r.Results = append(r.Results, x)
	}
	r.Summarize(reports.SummaryOptions{})
	text := render(t, r, Options{})
	_, lines, _ := strings.Cut(text, "NOT EXERCISED")
	lines, _, _ = strings.Cut(lines, "\n\n")
	want := `  4 requirements: there was no occasion (--verbose lists them)
  needs-config  2 requirements: the target file has to say something first;
    "mcpcheck init" writes one
  needs-subject  1 requirement: the target offers nothing to judge it on
  not-exercised  1 requirement: the other side gave no occasion`
	if lines != want {
		t.Errorf("%s\nwant:\n%s", lines, want)
	}
	text = render(t, r, Options{Verbose: true})
	for _, want := range []string{"A-2, A-3  because of needs-config", "A-4  because of needs-subject",
		"A-1  because of not-exercised"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
}

// TestConsoleDeciding: the messages of the violation that a verdict speaks of are shown, and those of its
// like counted; what stands in most combinations comes first, and the tables stand behind the findings.
func TestConsoleDeciding(t *testing.T) {
	r := reports.New(reports.Tool{}, reports.Target{}, reports.Config{})
	for _, revision := range []string{"2025-06-18", "2025-11-25"} {
		for _, id := range []string{"A-1", "A-2"} {
			x := row(id, reports.LevelMust, reports.Fail, "")
			x.Revision, x.Cause = revision, "c"
			if id == "A-2" {
				x.Evidence, x.Deciding = []int{1, 2, 3, 4}, 2
			} else if revision == "2025-06-18" {
				continue
			}
			r.Results = append(r.Results, x)
		}
	}
	for n := range 4 {
		r.Frames = append(r.Frames, reports.Frame{Number: n + 1, Direction: reports.Out, Data: []byte(`{}`)})
	}
	r.Summarize(reports.SummaryOptions{})
	r.Summary.Slow = []reports.Slow{{Method: "resources/read", Ended: "error", Times: 160, TotalMS: 176_000}}
	text := render(t, r, Options{})
	order := -1
	for _, want := range []string{"✗ A-2", "#1 →", "#2 →", "and 2 messages more (--verbose)", "✗ A-1",
		"COMBINATION",
		"160 requests for resources/read that got an error took 1.1 s each, 176 s in\n", "IN SHORT",
		"NOT CONFORMANT"} {
		at := strings.Index(text, want)
		if at <= order {
			t.Errorf("%q is missing, or too early, in\n%s", want, text)
		}
		order = at
	}
	if strings.Contains(text, "#3 →") || !strings.Contains(render(t, r, Options{Verbose: true}), "#4 →") {
		t.Errorf("too many messages, or too few if verbose:\n%s", text)
	}
}

// TestConsoleTarget: what was not reached, and what declares no resources, is said
// at the beginning and at the end.
func TestConsoleTarget(t *testing.T) {
	lost := reports.Endpoint{Transport: "http", Address: "http://127.0.0.1:1/mcp",
		Unreachable: "connection refused"}
	page := reports.Endpoint{Transport: "http", Address: "http://127.0.0.1:2/mcp", Unreachable: "HTTP 200",
		Reached: true}
	bare := reports.Endpoint{Transport: "stdio", Address: "x", Revisions: []string{"2025-11-25"},
		WithoutResources: []string{"2025-11-25"}}
	mute := reports.Endpoint{Transport: "stdio", Address: "x", Revisions: []string{"2025-11-25"},
		Unanswered: []string{"2025-06-18: initialize was not answered"}}
	for name, test := range map[string]struct {
		endpoints []reports.Endpoint
		verdict   reports.Verdict
		told      bool
		want      []string
		not       string
	}{
		"half": {[]reports.Endpoint{{Transport: "stdio", Address: "x", Revisions: []string{"2025-11-25"}},
			lost}, reports.Pass, true, []string{"unreachable: connection refused",
			"NOT ESTABLISHED http://127.0.0.1:1/mcp could not be reached; 2025-11-25 ✓; 1 passed"},
			"only the base"},
		"broken": {[]reports.Endpoint{bare, lost}, reports.Fail, false,
			[]string{"NOT CONFORMANT", "not established: http://127.0.0.1:1/mcp could not be reached"}, ""},
		"page": {[]reports.Endpoint{bare, page}, reports.Fail, false,
			[]string{"not established: http://127.0.0.1:2/mcp gave no answer that can be used"},
			"could not be reached"},
		"neither": {[]reports.Endpoint{lost, page}, reports.NotApplicable, true,
			[]string{"http://127.0.0.1:1/mcp, http://127.0.0.1:2/mcp could not be reached"}, ""},
		"mute": {[]reports.Endpoint{mute}, reports.Pass, false,
			[]string{"not judged in 2025-06-18: initialize was not answered"}, "unreachable"},
		"nowhere": {[]reports.Endpoint{lost}, reports.NotApplicable, true, []string{"NOT ESTABLISHED"},
			"connection refused"},
		"bare": {[]reports.Endpoint{bare}, reports.Pass, false,
			[]string{"The target declares no resources: only the base protocol was judged. AREA",
				"NO RESOURCES 2025-11-25 ✓",
				"s; the target declares no resources: only the base protocol was judged"}, "unreachable"},
	} {
		r := reports.New(reports.Tool{}, reports.Target{Endpoints: test.endpoints}, reports.Config{})
		r.Results = []reports.Result{row("A-1", reports.LevelMust, test.verdict, "")}
		r.Summarize(reports.SummaryOptions{})
		text := strings.Join(strings.Fields(render(t, r, Options{Told: test.told})), " ")
		for _, want := range test.want {
			if !strings.Contains(text, want) {
				t.Errorf("%s: %q is missing in %s", name, want, text)
			}
		}
		if test.not != "" && strings.Contains(text, test.not) {
			t.Errorf("%s: %q in %s", name, test.not, text)
		}
	}
}

// TestFindingsOfAll: what is in order is shown as what is not.
func TestFindingsOfAll(t *testing.T) {
	for _, verbose := range []bool{true, false} {
		text := written(t, Findings, sample(), Options{Verbose: verbose})
		for _, part := range []string{"\n✓ PAGE-10  An empty", "\n✗ PAGE-9  A cursor", "\n! READ-09  Pad",
			"\n· TMPL-12  Values", "\n? SUB-01  Subscribe", "    #4 ← HTTP 404 text/plain \\xff"} {
			if strings.Count(text, part) != 1 {
				t.Errorf("%q stands there %d times in\n%s", part, strings.Count(text, part), text)
			}
		}
	}
}

func TestConsoleHostile(t *testing.T) {
	for _, o := range []Options{{}, {Verbose: true}, {Quiet: true}, {Width: 50}} {
		text := render(t, hostileReport(), o)
		inert(t, text)
	}
}
