package mrtr

import (
	"strconv"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/session"
	"github.com/mcpcheck/mcpcheck/suite/target"
	"github.com/tidwall/gjson"
)

// A resource whose read asks for input, on one connection that begins with an
// ordinary request, "plain": "bare" declares no
// client capabilities, "ask" all of them, "lingering" none again, "roots-only" the
// one for roots. "retry-empty" answers nothing of what "ask" asked for, and
// "after-abandoned" is an ordinary request after all these reads were given up.
//
// "ask-again" begins the whole flow; "retry" (tag "round") goes on with it on a
// second connection. Tag "unanswered" on the last of them names a key for which
// the target file has no answer, "text" is the text that is expected at the end.
//
// "tampered" and "other-caller" are retries with all answers and a state that was
// altered, or was made for another caller. Tag "matters" says that the target file
// declares that the state matters, "required" (on "bare") which capabilities it says are needed.
var inputReadsScenario = &scenario.Scenario{
	Name:  recording.InputReads,
	Title: "reading what asks for input",
	Sends: "Reads of a resource that asks for input, with and without the capabilities for it; answers in " +
		"several rounds, an empty answer, an altered state, and the state of another caller.",
	When: scenario.All(scenario.InModern, scenario.Where(func(p *scenario.Play) bool {
		return p.Target.Subjects.Input != nil
	},
		recording.CodeNeedsConfig,
		"name a resource whose read asks for input in the target file (subjects.input)")),
	Script: scenario.OnClean(func(c *scenario.Client) {
		f := &inputFlow{p: c.Play, in: c.Target.Subjects.Input}
		c.Do(c.Ordinary(scenario.StepPlain))
		bare := f.read(c, stepBare, nil, nil)
		for i, name := range f.in.Requires {
			bare.Tags[tagRequired(i)] = name
		}
		asked := f.read(c, stepAsk, scenario.RichCapabilities, nil)
		f.read(c, stepLingering, nil, nil)
		f.read(c, "roots-only", map[string]any{"roots": map[string]any{}}, nil)
		if scenario.Required(asked) && asked.Value("inputRequests").IsObject() {
			f.read(c, stepRetryEmpty, scenario.RichCapabilities, again(asked, map[string]any{}))
		}
		c.Do(c.Ordinary(stepAfterAbandoned))
		f.whole(c)
		f.tamper()
		f.otherCaller(c)
	}),
}

// inputFlow plays the reads of the resource that asks for input.
type inputFlow struct {
	p  *scenario.Play
	in *target.Input
}

// read reads the resource; further params are those of a retry.
func (f *inputFlow) read(c *scenario.Client, step recording.Step, capabilities any,
	further map[string]any) *recording.Exchange {
	params := map[string]any{"uri": f.in.URI}
	for k, v := range further {
		params[k] = v
	}
	tags := recording.Tags{recording.TagURI: f.in.URI}
	if f.in.StateMatters {
		tags[tagMatters] = "yes"
	}
	return c.Do(session.Request{Step: step, Method: "resources/read", Params: params,
		Capabilities: capabilities, Tags: tags})
}

// again is what a retry adds to the params: the answers, and the state if there
// was one. Nil answers are left out.
func again(x *recording.Exchange, answers map[string]any) map[string]any {
	further := map[string]any{}
	if answers != nil {
		further["inputResponses"] = answers
	}
	if state := x.Value("requestState"); state.Type == gjson.String {
		further["requestState"] = state.Str
	}
	return further
}

// answers are the configured answers to what a result asks for; missing names the
// first key that has none. Where nothing is asked for the answers are nil.
func (f *inputFlow) answers(x *recording.Exchange) (answers map[string]any, missing string) {
	x.Value("inputRequests").ForEach(func(key, _ gjson.Result) bool {
		answer, ok := f.in.Answers[key.String()]
		if !ok {
			answer, ok = f.in.Answers["*"]
		}
		if !ok {
			missing = key.String()
			return false
		}
		if answers == nil {
			answers = map[string]any{}
		}
		answers[key.String()] = answer
		return true
	})
	return answers, missing
}

// maxRounds bounds the rounds of input of one read.
const maxRounds = 5

// whole answers everything, beginning on one connection and going on on another.
func (f *inputFlow) whole(c *scenario.Client) {
	x := f.read(c, stepAskAgain, scenario.RichCapabilities, nil)
	if !scenario.Required(x) {
		return
	}
	second, ok := f.p.Fresh(session.Options{})
	if !ok {
		return
	}
	for round := 1; round <= maxRounds && scenario.Required(x); round++ {
		answers, missing := f.answers(x)
		if missing != "" {
			x.Tags[tagUnanswered] = missing
			return
		}
		x = f.read(second, stepRetry, scenario.RichCapabilities, again(x, answers))
		x.Tags["round"] = strconv.Itoa(round)
		if f.in.Text != nil {
			x.Tags[recording.TagText] = *f.in.Text
		}
	}
}

// tamper answers everything, but alters the state.
func (f *inputFlow) tamper() {
	c, ok := f.p.Expendable()
	if !ok {
		return
	}
	x := f.read(c, stepAskToTamper, scenario.RichCapabilities, nil)
	answers, missing := f.answers(x)
	further := again(x, answers)
	state, _ := further["requestState"].(string)
	if !scenario.Required(x) || missing != "" || state == "" {
		return
	}
	further["requestState"] = flip(state)
	f.read(c, stepTampered, scenario.RichCapabilities, further)
}

// flip changes one character in the middle of a state. The last character of a
// part in Base64 may have bits without a meaning, so it is left alone.
func flip(state string) string {
	b := []byte(state)
	at := len(b) / 2
	for i := range b {
		j := (at + i) % len(b)
		if alphanumeric(b[j]) && (j+1 == len(b) || alphanumeric(b[j+1])) {
			at = j
			break
		}
	}
	if b[at] == 'A' {
		b[at] = 'Q'
	} else {
		b[at] = 'A'
	}
	return string(b)
}

func alphanumeric(c byte) bool {
	return '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z'
}

// otherCaller finishes as another caller what one has begun.
func (f *inputFlow) otherCaller(c *scenario.Client) {
	if !f.p.OnHTTP() {
		return
	}
	other := f.p.Target.WithRights(target.RightsEqual)
	if other == nil {
		return
	}
	x := f.read(c, stepAskForOther, scenario.RichCapabilities, nil)
	answers, missing := f.answers(x)
	further := again(x, answers)
	if !scenario.Required(x) || missing != "" || further["requestState"] == nil {
		return
	}
	if second, ok := f.p.As(other); ok {
		f.read(second, stepOtherCaller, scenario.RichCapabilities, further)
	}
}
