package page

import (
	"encoding/json"
	"strings"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/session"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
	"github.com/tidwall/gjson"
)

// paging is the scenario of one of the lists. Step "elsewhere" has the cursor that the first page of
// the walk before handed out, on another session; "page" is the second page of that walk.
func paging(name, walk recording.Name, method, of string) *scenario.Scenario {
	return &scenario.Scenario{
		Name:  name,
		Title: "asking for the same pages" + of + " again",
		Sends: "The first page" + of +
			", the page behind its cursor twice, and the first page in between and again, on a session of " +
			"its own.",
		After:  recording.Names{walk},
		Script: func(p *scenario.Play) { pagesAgain(p, walk, method) },
	}
}

func pagesAgain(p *scenario.Play, walk recording.Name, method string) {
	pages := p.Earlier(walk).Steps(recording.StepPage)
	if len(pages) < 2 {
		p.Skip(recording.CodeNeedsSubject, "all of "+method+" fits on one page")
		return
	}
	p.Note(pages[1])
	c, ok := p.Fresh(session.Options{})
	if !ok {
		return
	}
	list := func(step recording.Step, params map[string]any) *recording.Exchange {
		return c.Do(session.Request{Step: step, Method: method, Params: params})
	}
	first := list(stepFirst, map[string]any{})
	list(stepSecond, map[string]any{})
	cursor, more := cursorOf(first)
	if !more {
		return
	}
	list(stepNext, map[string]any{"cursor": cursor})
	list(stepNextAgain, map[string]any{"cursor": cursor})
	list(stepMiddle, map[string]any{})
	if other, more := cursorOf(pages[0]); more {
		list(stepElsewhere, map[string]any{"cursor": other})
	}
}

// cursorProbe is a cursor that a list did not hand out, or not lately.
type cursorProbe struct {
	step   recording.Step
	cursor any
}

// Step "old" has the cursor of the walk before, and "foreign" one of the other list.
var badCursorsScenario = &scenario.Scenario{
	Name:  BadCursors,
	Title: "listing with cursors that were never handed out",
	Sends: "resources/list with cursors that were never handed out: unknown, very long, garbage, a script," +
		" a number, an object and an array; a plain list before and after.",
	Phase: scenario.Destructive,
	In:    scenario.Expendable,
	After: verdict.BothWalks,
	Script: scenario.OnExpendable(func(c *scenario.Client) {
		old := map[string]string{}
		for method, walk := range map[string]recording.Name{"resources/list": recording.WalkResources,
			"resources/templates/list": recording.WalkTemplates} {
			if first := c.Earlier(walk).Step(recording.StepPage); first != nil {
				old[method], _ = cursorOf(first)
			}
		}
		badCursors(c, "resources/list", old["resources/list"], old["resources/templates/list"])
		badCursors(c, "resources/templates/list", old["resources/templates/list"], old["resources/list"])
	}),
}

func badCursors(c *scenario.Client, method, old, foreign string) {
	do := func(c *scenario.Client, step recording.Step, params map[string]any) *recording.Exchange {
		return c.Do(session.Request{Step: step, Method: method, Params: params})
	}
	before := do(c, recording.StepBefore, map[string]any{})
	if !before.Succeeded() {
		return
	}
	texts := []cursorProbe{
		{stepUnknown, "mcpcheck-no-such-cursor"},
		{stepLong, strings.Repeat("A", 4096)},
		{stepJunk, "3q2+7wD/AAECAw=="},
		{stepScript, "\u0000'\"%00/\U0001F9ED"},
		{stepBlank, " "},
		{stepEmpty, ""},
	}
	if cursor, more := cursorOf(before); more && cursor != "" {
		texts = append(texts, altered(cursor)...)
	}
	if old != "" {
		texts = append(texts, cursorProbe{stepOld, old})
	}
	if foreign != "" && foreign != old {
		texts = append(texts, cursorProbe{stepForeign, foreign})
	}
	scenario.Each(c, texts, func(_ int, bad cursorProbe, c *scenario.Client) {
		do(c, bad.step, map[string]any{"cursor": bad.cursor})
	})
	for _, bad := range []cursorProbe{{stepNumber, 123456789}, {stepObject, map[string]any{"page": 2}},
		{scenario.StepArray, []any{}}, {stepNull, nil}} {
		do(c, bad.step, map[string]any{"cursor": bad.cursor})
	}
	do(c, stepAfter, map[string]any{})
}

// altered are the cursors that a client makes of one if it meddles with it.
func altered(cursor string) []cursorProbe {
	letters := []rune(cursor)
	middle := len(letters) / 2
	changed := func(at int) string { return scenario.Changed(cursor, at) }
	probes := []cursorProbe{{stepChanged, changed(middle)}, {stepAppended, cursor + "mcpcheck"}}
	if middle > 0 {
		probes = append(probes, cursorProbe{stepTruncated, string(letters[:middle])},
			cursorProbe{stepFirstChanged, changed(0)},
			cursorProbe{stepLastChanged, changed(len(letters) - 1)})
	}
	if raised := scenario.Raised(cursor); raised != cursor {
		probes = append(probes, cursorProbe{stepRaised, raised})
	}
	return probes
}

// The last page's tag "expected" is what the target file says must be there, as a JSON array.
var completeWalksScenario = &scenario.Scenario{
	Name:  CompleteWalks,
	Title: "looking for everything that must be listed",
	Sends: "All pages of resources and templates, to be compared with the URIs that the target file says " +
		"must be there.",
	When: scenario.Where(func(p *scenario.Play) bool {
		return len(p.Target.Subjects.Complete)+len(p.Target.Subjects.CompleteTemplates) > 0
	}, recording.CodeNeedsConfig,
		"name all URIs that the list must hold in the target file (subjects.complete)"),
	Script: scenario.OnClean(func(c *scenario.Client) {
		for _, list := range []struct {
			method, member string
			step           recording.Step
			expected       []string
		}{
			{"resources/list", "resources", recording.StepPage, c.Target.Subjects.Complete},
			{"resources/templates/list", "resourceTemplates", scenario.StepTemplate,
				c.Target.Subjects.CompleteTemplates},
		} {
			if len(list.expected) == 0 {
				continue
			}
			pages := c.Walk(list.method, list.member, list.step)
			b, _ := json.Marshal(list.expected) // strings can always be encoded
			pages[len(pages)-1].Tags[tagExpected] = string(b)
		}
	}),
}

// cursorOf is the nextCursor of a page; ok is false on the last page.
func cursorOf(x *recording.Exchange) (cursor string, ok bool) {
	next := x.Value("nextCursor")
	return next.Str, x.Succeeded() && next.Type == gjson.String
}
