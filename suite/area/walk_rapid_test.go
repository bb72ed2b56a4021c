package area_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/mcpcheck/mcpcheck/suite/area"
	"github.com/mcpcheck/mcpcheck/suite/area/areatest"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/scenario/scenariotest"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
	"github.com/tidwall/gjson"
	"pgregory.net/rapid"
)

// sheet is a page of a list: what it holds, and which page its cursor leads to.
type sheet struct {
	items []string
	next  int // a page; or one of these:
}

const (
	last    = -1 // no cursor
	nullEnd = -2 // a cursor of null
	refused = -3 // a cursor that is not accepted
)

func (s sheet) result() string {
	var items []string
	for _, i := range s.items {
		items = append(items, fmt.Sprintf(`{"uri":"x:%s","name":%q}`, i, i))
	}
	cursor := map[int]string{last: "", nullEnd: `,"nextCursor":null`, refused: `,"nextCursor":"bad"`}
	if s.next >= 0 {
		cursor[s.next] = fmt.Sprintf(`,"nextCursor":"p%d"`, s.next)
	}
	return `{"resources":[` + strings.Join(items, ",") + `]` + cursor[s.next] + `}`
}

// trail is what following the cursors of a book comes to: the pages in order, up to
// the first that was seen before in the same form, or the bound, and how it ends.
func trail(book []sheet, bound int) (pages []sheet, end string) {
	seen := map[string]bool{}
	for at := 0; ; {
		s := book[at]
		pages = append(pages, s)
		form := fmt.Sprint(s.items, s.next)
		switch {
		case s.next == last || s.next == nullEnd:
			return pages, "done"
		case seen[form]:
			return pages, "cycle"
		case len(pages) == bound:
			return pages, "bound"
		case s.next == refused:
			return pages, "refused"
		}
		seen[form] = true
		at = s.next
	}
}

// defects are the requirements that a trail breaks.
func defects(pages []sheet, end string) []string {
	var all []string
	if slices.ContainsFunc(pages, func(s sheet) bool { return s.next == nullEnd }) {
		all = append(all, "PAGE-01")
	}
	if end == "cycle" {
		all = append(all, "PAGE-02")
	}
	if end == "refused" {
		all = append(all, "PAGE-03")
	}
	seen := map[string]bool{}
	stuck := false
	for i, s := range pages {
		fresh := len(s.items) == 0
		for _, item := range s.items {
			fresh = fresh || !seen[item]
			seen[item] = true
		}
		again := i > 0 && len(s.items) > 0 && slices.Equal(s.items, pages[i-1].items)
		stale := i > 0 && !fresh && !(end == "cycle" && i == len(pages)-1)
		stuck = stuck || again || stale
	}
	if stuck {
		all = append(all, "PAGE-04")
	}
	return all
}

// However pages lead to each other, a walk ends, and its verdicts name the defects.
func TestWalksEnd(t *testing.T) {
	const bound = 5
	rapid.Check(t, func(rt *rapid.T) {
		book := make([]sheet, rapid.IntRange(1, 7).Draw(rt, "pages"))
		for i := range book {
			book[i].items = rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "b", "c", "d", "e", "f",
				"g"}), 0, 3, rapid.ID).Draw(rt, "items")
			book[i].next = rapid.IntRange(refused, len(book)-1).Draw(rt, "next")
			if rapid.IntRange(0, 2).Draw(rt, "onwards") > 0 && i+1 < len(book) {
				book[i].next = i + 1
			}
		}
		rec, asked := walked(t, book, bound)
		pages, end := trail(book, bound)
		steps := rec.Steps("page")
		want := len(pages)
		if end == "refused" {
			want++ // the refusal is an exchange, too
		}
		if len(steps) != want || asked != want || steps[len(steps)-1].Tags["end"] != end {
			rt.Fatalf("%v: %d pages, %d asked, end %q; want %d, %q", book, len(steps), asked,
				steps[len(steps)-1].Tags["end"], want, end)
		}
		for _, id := range []string{"PAGE-01", "PAGE-02", "PAGE-03", "PAGE-04"} {
			if got, want := judged(rec, id).Red(), slices.Contains(defects(pages, end), id); got != want {
				rt.Fatalf("%v, which ends %q: %s is %s", book, end, id, judged(rec, id))
			}
		}
	})
}

// TestNothingNew: a walk is given up where a hundred pages in a row are as earlier ones, whatever their
// cursors.
func TestNothingNew(t *testing.T) {
	book := make([]sheet, 400)
	for i := range book {
		book[i] = sheet{[]string{strconv.Itoa(min(i, 150))}, (i + 1) % len(book)}
	}
	rec, asked := walked(t, book, 1000)
	if steps := rec.Steps("page"); asked != 251 || steps[len(steps)-1].Tags["end"] != "idle" ||
		judged(rec, "PAGE-02").Red() || !judged(rec, "PAGE-04").Red() {
		t.Errorf("%d pages, %v, PAGE-04 %s", asked, steps[len(steps)-1].Tags, judged(rec, "PAGE-04"))
	}
	for i := range book {
		book[i].items = nil
	}
	rec, asked = walked(t, book, 1000)
	if steps := rec.Steps("page"); asked != 101 || steps[100].Tags["end"] != "idle" ||
		judged(rec, "PAGE-02") != verdict.Warn || judged(rec, "PAGE-04").Red() {
		t.Errorf("%d empty pages, PAGE-02 %s", asked, judged(rec, "PAGE-02"))
	}
}

// walked is the recording of a walk through a book, and how many pages were asked for.
func walked(t *testing.T, book []sheet, bound int) (rec *recording.Recording, asked int) {
	srv := &scenariotest.Server{Script: func(_ int64, m gjson.Result, say func(string, ...any)) bool {
		if m.Get("method").Str == "resources/list" {
			asked++
			at := 0
			if cursor := m.Get("params.cursor"); cursor.Exists() {
				n, err := strconv.Atoi(strings.TrimPrefix(cursor.Str, "p"))
				if err != nil {
					say(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32602,"message":"no such page"}}`,
						m.Get("id").Raw)
					return true
				}
				at = n
			}
			say(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.Get("id").Raw, book[at].result())
		}
		return true
	}}
	st := scenariotest.Stage(t, srv)
	st.Facts.Declared, st.Limits.Pages = []byte(`{"capabilities":{"resources":{}}}`), bound
	sc, _ := area.BuiltIn().Scenario(recording.WalkResources)
	rec = scenario.Perform(t.Context(), st.Stage, &scenario.Scenario{Name: sc.Name,
		Script: func(p *scenario.Play) { sc.Script(p) }}, nil)
	st.Close()
	return rec, asked
}

// judged is the verdict on a requirement by a recording.
func judged(rec *recording.Recording, id string) verdict.Outcome {
	return areatest.Judge(id, rec).Outcome
}
