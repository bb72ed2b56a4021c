package baseline

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/mcpcheck/mcpcheck/reports"
)

// official is a catalogue with two scenarios that have counterparts, and one that has none.
func official() Catalogue {
	c := known()
	c.Official = func(scenario, check string) ([]string, bool, error) {
		switch scenario {
		case "pages":
			return []string{"PAGE-01", "PAGE-02"}, true, nil
		case "errors":
			return []string{"ERR-01"}, check != "", nil
		case "tools":
			return nil, true, nil
		}
		return nil, false, errors.New("no scenario " + scenario)
	}
	return c
}

func TestExpectedFailures(t *testing.T) {
	f, err := parse("f", []byte("# known\n---\nserver:\n  - pages # why\n  - errors:code\n  - tools\n"+
		"client:\n  - sse-retry\n"), official(), false)
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Entries) != 2 || f.Entries[0].ID != "PAGE-01,PAGE-02" || f.Entries[0].Line != 4 ||
		!strings.HasSuffix(f.Entries[1].Reason, ": errors:code") {
		t.Errorf("%+v", f.Entries)
	}
	if len(f.Notes) != 2 || f.Notes[0].Line != 6 || !strings.Contains(f.Notes[0].Text, `"tools"`) ||
		!strings.Contains(f.Notes[1].Text, "clients") {
		t.Errorf("%+v", f.Notes)
	}
	for text, want := range map[string]string{
		"server: [page]":                 `f:1: "page": no scenario page`,
		"server: [\"\\e[31m\"]":          `f:1: "\x1b[31m": no scenario \x1b[31m`,
		"server:\n- pages\n- pages":      `f:3: "pages": it is covered by line 2`,
		"server:\n- pages:a\n- pages":    `f:3: "pages": it is covered by line 2`,
		"server:\n- pages\n- pages:a":    `f:3: "pages:a": it is covered by line 2`,
		"server:\n- 'pages:'":            `f:2: "pages:": behind the colon`,
		"server:\n- pages\n- a: b":       `f:3: server[1] must be a single value`,
		"server: pages":                  `f:1: server must be a list`,
		"server: [pages]\nclients: [x]":  `f:2: unknown field "clients"`,
		"server: [pages\n":               `f:1: `,
		"server: [pages]\n---\nclient: ": `f:3: the file holds more than one`,
	} {
		if _, err := parse("f", []byte(text), official(), false); err == nil ||
			!strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, not %s", text, err, want)
		}
	}
	// A draft has an entry for each requirement, which a file of our own can hold.
	draft, err := parse("f", []byte("server: [pages, 'errors:x', 'errors:y']"), official(), true)
	if err != nil || len(draft.Entries) != 3 || draft.Entries[1].ID != "PAGE-02" {
		t.Errorf("%+v, %v", draft, err)
	}
}

// TestExpectedFailuresApply: an entry is stale only once all of its requirements pass.
func TestExpectedFailuresApply(t *testing.T) {
	for _, x := range []struct {
		name, file, verdicts, want string
		partial                    bool
	}{
		{"one of two is red", "pages", "PAGE-01 fail, PAGE-02 pass", "excused 1", false},
		{"all pass", "pages", "PAGE-01 pass, PAGE-02 pass", "excused 0, stale PAGE-01,PAGE-02", false},
		{"one is blocked", "pages", "PAGE-01 pass, PAGE-02 blocked", "excused 0, not judged", false},
		{"not all were judged", "pages", "PAGE-01 pass", "excused 0, not judged", true},
		{"it is about more", "errors", "ERR-01 pass", "excused 0, not judged", false},
		{"a check of it is not", "errors:code", "ERR-01 pass", "excused 0, stale ERR-01", false},
		{"others are not excused", "errors", "ERR-01 warn, PAGE-01 fail", "excused 1", false},
	} {
		f, err := parse("f", []byte("server: ['"+x.file+"']"), official(), false)
		if err != nil {
			t.Fatal(err)
		}
		r := reports.New(reports.Tool{}, reports.Target{}, reports.Config{})
		for text := range strings.SplitSeq(x.verdicts, ", ") {
			id, verdict, _ := strings.Cut(text, " ")
			r.Results = append(r.Results, result(id, "2025-11-25", "http", reports.Verdict(verdict)))
		}
		r.Summarize(reports.SummaryOptions{Partial: x.partial})
		f.Apply(r, someday)
		got := fmt.Sprintf("excused %d", r.Summary.Excused)
		for _, e := range r.Summary.Baseline.Stale {
			got += ", stale " + e.ID
		}
		got += strings.Repeat(", not judged", len(r.Summary.Baseline.NotJudged))
		got += strings.Repeat(", too wide", len(r.Summary.Baseline.TooWide))
		if got != x.want {
			t.Errorf("%s: %s, not %s", x.name, got, x.want)
		}
	}
}
