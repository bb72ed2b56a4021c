package write

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpcheck/mcpcheck/internal/group"
	"github.com/mcpcheck/mcpcheck/reports"
)

// pageData is what the page's script makes the matrix, and what opens in it, from.
type pageData struct {
	Columns      []pageColumn       `json:"columns"`
	Areas        []pageAreaName     `json:"areas"`
	Requirements []*pageRequirement `json:"requirements"`
}

type pageAreaName struct {
	Key  string `json:"key"`
	Name string `json:"name"`
}

type pageRequirement struct {
	ID        string         `json:"id"`
	Area      string         `json:"area"`
	Title     string         `json:"title"`
	Level     string         `json:"level"`
	Section   string         `json:"section"`
	Link      string         `json:"link,omitempty"`
	Text      string         `json:"text,omitempty"`
	Tolerated string         `json:"tolerated,omitempty"`
	Results   []*pageVerdict `json:"results"`

	counts reports.Counts
	// alike finds the entry of verdicts without evidence that say the same.
	alike map[pageWords]*pageVerdict
}

// pageVerdict is a verdict in one column or, without evidence, in several.
type pageVerdict struct {
	pageWords
	In     []int `json:"in"` // columns
	Frames []int `json:"frames,omitempty"`
}

// pageWords is what is said of a verdict.
type pageWords struct {
	Verdict  reports.Verdict `json:"v"`
	Code     string          `json:"code,omitempty"`
	Reason   string          `json:"reason,omitempty"`
	Expected string          `json:"expected,omitempty"`
	Actual   string          `json:"actual,omitempty"`
	Hint     string          `json:"hint,omitempty"`
	SDK      string          `json:"sdk,omitempty"`
	Excused  string          `json:"excused,omitempty"`
	Rerun    string          `json:"rerun,omitempty"`
	// Paste is what sends the one message of the verdict by hand.
	Paste string `json:"paste,omitempty"`
}

// wordsOf says it of a result.
func wordsOf(r *reports.Report, x *reports.Result) pageWords {
	w := pageWords{Verdict: x.Verdict, Code: clean(x.ReasonCode, 100), Reason: cleanLines(x.Reason),
		Expected: cleanLines(x.Expected),
		Actual:   cleanLines(x.Actual), Hint: cleanLines(x.Hint), SDK: cleanLines(x.SDK),
		Excused: cleanLines(excuse(x))}
	if x.Verdict.Red() || x.Verdict == reports.Blocked {
		w.Rerun = repeated(x)
		_, w.Paste = pasted(r, x)
	}
	return w
}

// matrix returns the data of the script, requirements in the order of their areas, and
// where among the verdicts of its requirement each result stands. It fills the list for
// readers without scripts.
func (p *pageView) matrix() (*pageData, map[*reports.Result]int) {
	data := &pageData{Columns: slices.Concat([]pageColumn{}, p.Columns), Areas: []pageAreaName{},
		Requirements: []*pageRequirement{}}
	places := map[*reports.Result]int{}
	for _, same := range group.By(p.Report.Rows(), func(x *reports.Result) string { return title(x.ID) }) {
		q := p.requirement(same[0])
		for _, x := range same {
			if i := p.column(x); i >= 0 {
				places[x] = q.add(p.Report, x, i)
			}
		}
		data.Requirements = append(data.Requirements, q)
	}
	for _, a := range p.Areas {
		data.Areas = append(data.Areas, pageAreaName{title(a.Name), title(cmp.Or(a.Title, a.Name))})
	}
	slices.SortStableFunc(data.Requirements, func(a, b *pageRequirement) int {
		return p.byArea(a.Area, b.Area)
	})
	p.Rows = data.Requirements
	return data, places
}

// Anchor is the id of the element of a requirement in the list for readers without scripts.
func (q *pageRequirement) Anchor() string { return strings.Join(strings.Fields(q.ID), "_") }

// Verdicts says how often there is each: "failed 2, passed 3".
func (q *pageRequirement) Verdicts() string {
	var parts []string
	for _, v := range reports.WorstFirst() {
		if n := q.counts.Of(v); n > 0 {
			parts = append(parts, fmt.Sprintf("%s %d", looks[v].word, n))
		}
	}
	return strings.Join(parts, ", ")
}

func (v view) requirement(x *reports.Result) *pageRequirement {
	q := &pageRequirement{ID: title(x.ID), Area: title(x.Area()), Title: title(x.Title), Level: word(x.Level),
		Section: title(x.Section), Link: safeLink(x), Results: []*pageVerdict{},
		alike: map[pageWords]*pageVerdict{}}
	text, tolerated := v.describe(x.ID)
	q.Text, q.Tolerated = cleanLines(text), cleanLines(tolerated)
	return q
}

// add notes a verdict and returns its place. Those without evidence that say the same
// share an entry.
func (q *pageRequirement) add(r *reports.Report, x *reports.Result, column int) int {
	q.counts.Add(x.Verdict)
	v := &pageVerdict{In: []int{column}, Frames: x.Evidence, pageWords: wordsOf(r, x)}
	if len(v.Frames) == 0 {
		if same := q.alike[v.pageWords]; same != nil {
			same.In = append(same.In, column)
			return slices.Index(q.Results, same)
		}
		q.alike[v.pageWords] = v
	}
	q.Results = append(q.Results, v)
	return len(q.Results) - 1
}
