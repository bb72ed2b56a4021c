package clientcheck

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/mcpcheck/mcpcheck/suite/judge/schema"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/trace"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
	"github.com/mcpcheck/mcpcheck/suite/wire"
	"github.com/tidwall/gjson"
)

// Served is what a trace shows of the server in one session.
//
// Nobody chose what the client sent, and what a trace does not show may have happened. So a session is
// judged up to the first message of the client that breaks the schema. An answer that is missing is laid
// to the trace.
type Served struct {
	*recording.Facts
	// Parts are judged one by one. The first has all but the further walks through lists, which stand alone.
	Parts []verdict.Recordings
	// Shown says that it is known what the server declares, to a client without extensions.
	Shown bool
}

// undeclared stands for a declaration that a trace does not show: there may be any.
const undeclared = `{"capabilities":{"resources":{"subscribe":true,"listChanged":true},"logging":{},` +
	`"completions":{},"experimental":{"x":{}}}}`

// scenes are the steps of the scripts in which a method is asked for, and the recordings that they make.
var scenes = map[string]struct {
	recording.Step
	recording.Name
}{
	methodDiscover:    {recording.StepDiscover, recording.Discovery},
	methodInitialized: {Step: recording.StepInitialized},
	methodList:        {recording.StepPage, recording.WalkResources},
	methodTemplates:   {recording.StepPage, recording.WalkTemplates},
	methodRead:        {recording.StepRead, recording.Reads},
	methodComplete:    {recording.StepComplete, recording.TemplateCompletions},
}

// Sessions makes recordings of the sessions in which a server has served something, and all frames.
func Sessions(entries []*trace.Entry) (all []*Served, frames []wire.Frame, err error) {
	var own []*entry
	for _, e := range entries {
		own = append(own, &entry{Entry: *e})
	}
	r := newRecord(own, Options{})
	for _, e := range r.entries {
		frames = append(frames, r.served(e))
	}
	for _, c := range r.conversations {
		served := recording.Keep(c.requests(), func(m *message) bool { return m.succeeded().Exists() })
		switch m := first(served); {
		case m == nil: // it may be about a revision that the server does not have
		case c.guessed:
			return nil, nil, fmt.Errorf("nothing says the revision of the session in which %s with the "+
				"id %s is asked for: give it with --revision", m.method, m.ID)
		default:
			all = append(all, c.served(frames))
		}
	}
	if all == nil {
		return nil, nil, errors.New("there is nothing to judge in it: no request of a client has a result")
	}
	return all, frames, nil
}

// served is the entry as a frame of a recording of the server.
func (r *record) served(e *entry) wire.Frame {
	f, q := e.frame(), e
	f.Keep()
	if c := cmp.Or(e.owner, e.of); c != nil && c.Recording != nil {
		f.Session = string(c.Scenario)
	}
	switch e.Direction {
	case in:
		f.Dir, f.Channel = wire.Out, "stdin"
	case out:
		q, f.Dir, f.Channel = r.noted[place{e.journal, e.RequestSeq}], wire.In, "stdout"
		if f.Event = e.Event; e.Stream != "" && f.Event == nil {
			f.Event = &wire.Event{ID: e.EventID, HasID: e.EventID != ""}
		}
		if e.Kind == kindEvent || e.Kind == kindUnreadable && e.Stream != "" {
			f.Raw = nil // it is not the data of the event
		} else if len(f.Raw) > 0 && !f.Truncated {
			f.Flaws = wire.Merge(e.Flaws, wire.Inspect(f.Raw))
		}
	}
	if e.Transport != requirement.Stdio && q != nil && q.HTTP != nil {
		f.Channel = fmt.Sprint(strings.ToLower(q.HTTP.Method), ":", q.Seq)
	}
	return f
}

// served makes the recordings of a conversation.
func (c *conversation) served(frames []wire.Frame) *Served {
	t := &Served{Facts: &recording.Facts{Combination: c.Combination, Declared: []byte(undeclared),
		Served: []requirement.Revision{c.Revision}, Notes: map[string]string{}}}
	s := &recording.Session{ID: string(c.Scenario), Kind: recording.Clean}
	for _, m := range c.fromClient() {
		if !c.inOrder(m) {
			frames = frames[:m.Seq-1]
			break
		}
		x := c.exchange(m)
		s.Exchanges = append(s.Exchanges, x)
		if x.Method == methodInitialize {
			s.Initialize = x
		}
		declares := x.Method == methodInitialize || x.Method == methodDiscover
		if declares && x.Succeeded() && t.DeclaredIn == nil {
			t.Declared, t.DeclaredIn = []byte(x.Result().Raw), x.Evidence()
			t.Shown = !bytes.Contains(x.Params, []byte(`"ext`)) && !bytes.Contains(x.Params, []byte(`"exp`))
		}
	}
	all := &recording.Recording{Scenario: recording.Everything, Combination: c.Combination, Facts: t.Facts,
		Exchanges: s.Exchanges, Sessions: []*recording.Session{s}}
	all.Frames = recording.Keep(frames, func(f wire.Frame) bool { return f.Session == s.ID })
	t.divide(all)
	return t
}

// inOrder reports whether a message of the client is as the revision has it, or was cut.
func (c *conversation) inOrder(m *message) bool {
	set := schema.For(c.Revision)
	switch {
	case m.whole && m.kind == kindRequest:
		return len(set.RequestIn(m.Result)) == 0
	case m.whole && m.kind == kindNotification:
		return len(set.NotificationIn(m.Result)) == 0
	}
	return m.kind == kindResponse || !m.whole
}

// exchange is a message of the client with what came for it.
func (c *conversation) exchange(m *message) *recording.Exchange {
	x := &recording.Exchange{Session: string(c.Scenario), Kind: recording.Clean, Request: m.Seq, Sent: m.at,
		Step: cmp.Or(scenes[m.method].Step, recording.Step(m.method)), Method: m.method,
		Outcome: recording.Sent, ID: []byte(m.Get("id").Raw), Params: []byte(m.Get("params").Raw),
		Tags: recording.Tags{recording.TagURI: m.Get("params.uri").Str}}
	for _, a := range m.answers {
		x.Replies = append(x.Replies, a.Seq)
	}
	if e := m.reply; e != nil {
		x.Status, x.Header = e.HTTP.Status, e.HTTP.Header
		if !slices.Contains(x.Replies, e.Seq) {
			x.Others = []int{e.Seq}
		}
	}
	switch {
	case m.kind == kindResponse:
		x.Step, x.Method, x.ID, x.Tags[recording.TagMethod] = recording.StepAnswer, "", nil, "request"
	case m.kind != kindRequest:
	case m.answer != nil && m.answer.whole:
		x.Outcome = recording.Replied
		x.Attach(m.answer.Object)
	case x.Status >= http.StatusMultipleChoices:
		x.Outcome = recording.HTTPOnly
	default: // the trace shows no answer
		x.Outcome, x.Tags[recording.TagCancelled] = recording.Canceled, "yes"
	}
	return x
}

// divide makes the parts of a session. A page goes on with a walk if the page before it has handed out its
// cursor.
func (t *Served) divide(all *recording.Recording) {
	t.Parts = []verdict.Recordings{{recording.Everything: all}}
	walks := map[recording.Name]int{}
	for _, x := range all.Exchanges {
		name := scenes[x.Method].Name
		if name == "" || !x.Succeeded() {
			continue
		}
		r := t.Parts[walks[name]][name]
		if x.Step == recording.StepPage && r != nil {
			next, cursor := last(r.Exchanges).Value("nextCursor"), x.Param("cursor")
			if !cursor.Exists() || next.Type != gjson.String || cursor.String() != next.Str {
				if walks[name]++; walks[name] == len(t.Parts) {
					t.Parts = append(t.Parts, verdict.Recordings{})
				}
				r = nil
			}
		}
		if r == nil {
			r = &recording.Recording{Scenario: name, Combination: all.Combination, Facts: all.Facts,
				Sessions: all.Sessions}
			t.Parts[walks[name]][name] = r
		}
		same := func(y *recording.Exchange) bool { return y.Result().Raw == x.Result().Raw }
		if x.Value("nextCursor").Type != gjson.String {
			x.Tags[recording.TagEnd] = "done"
		} else if slices.ContainsFunc(r.Exchanges, same) {
			x.Tags[recording.TagEnd] = "cycle"
		}
		for _, n := range x.Evidence() {
			if f := all.Frame(n); f != nil {
				r.Frames = append(r.Frames, *f)
			}
		}
		r.Exchanges = append(r.Exchanges, x)
		x.Tags[recording.TagPage] = fmt.Sprint(len(r.Exchanges))
	}
	for _, part := range t.Parts {
		for _, r := range part {
			slices.SortFunc(r.Frames, func(a, b wire.Frame) int { return a.Number - b.Number })
		}
	}
}
