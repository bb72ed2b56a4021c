// Package recordtest makes recordings for tests of checks: a few lines of script
// instead of a conversation.
package recordtest

import (
	"cmp"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/wire"
	"github.com/tidwall/gjson"
)

// Line is one exchange, or, with only Incoming set, something that the target
// sent unasked.
type Line struct {
	Step    recording.Step
	Tags    recording.Tags
	Session string         // default "s1"
	Kind    recording.Kind // default clean
	Method  string
	Params  string // JSON
	// ID is the id of the request; default a number of its own. "-" stands
	// for a notification.
	ID string
	// Reply is the whole answer; Result and Error are its members instead,
	// and leave jsonrpc and id to the package. More lists further answers.
	Reply, Result, Error string
	More                 []string
	// Outcome is the outcome; default replied if there is an answer, else
	// silent.
	Outcome recording.Outcome
	Reason  string
	Fatal   bool
	Status  int
	Header  http.Header
	// Incoming lists messages that the target sent before the answer.
	Incoming []string
	// Channel is the channel of the frames; default "stdout".
	Channel string
	// HeldBack is for how long the answer was held back.
	HeldBack time.Duration
	// Event is put on the incoming frames.
	Event *wire.Event
	// Flaws replaces what the strict reader finds in the answer.
	Flaws []wire.Flaw
	// Mark names the instant before the line; one that begins with "!" is an
	// instant at which a trigger failed, which breaks the script.
	Mark recording.MarkName
	// Over says that the run ended at the line.
	Over bool
}

// Facts are the facts of a target that declares these capabilities (JSON) and
// serves these revisions; none means the one of the combination.
func Facts(c requirement.Combination, capabilities string, served ...requirement.Revision) *recording.Facts {
	if len(served) == 0 {
		served = []requirement.Revision{c.Revision}
	}
	declared := json.RawMessage(`{"capabilities":` + capabilities + `}`)
	return &recording.Facts{Combination: c, Declared: declared, Served: served, Local: true,
		Configured: map[string]bool{}, Allowed: map[string]bool{}, Notes: map[string]string{}}
}

// New makes a recording of a scenario from its lines.
func New(name recording.Name, f *recording.Facts, lines ...Line) *recording.Recording {
	b := &builder{rec: &recording.Recording{Scenario: name, Combination: f.Combination, Facts: f},
		sessions: map[string]*recording.Session{}}
	for i, l := range lines {
		b.line(i, l)
	}
	return b.rec
}

type builder struct {
	rec      *recording.Recording
	sessions map[string]*recording.Session
	now      time.Duration
}

func (b *builder) frame(l *Line, dir wire.Direction, raw string) int {
	b.now += time.Millisecond
	f := wire.Frame{Number: len(b.rec.Frames) + 1, Session: l.Session, Channel: l.Channel, Dir: dir,
		At: b.now, Raw: []byte(raw), Size: len(raw)}
	if dir == wire.In {
		f.Flaws = wire.Inspect(f.Raw)
		f.Event = l.Event
		if l.Status > 0 {
			f.HTTP = &wire.HTTP{Status: l.Status, Header: l.Header}
		}
	}
	b.rec.Frames = append(b.rec.Frames, f)
	return f.Number
}

func (b *builder) line(i int, l Line) {
	l.Session = cmp.Or(l.Session, "s1")
	l.Kind = cmp.Or(l.Kind, recording.Clean)
	l.Channel = cmp.Or(l.Channel, "stdout")
	s := b.sessions[l.Session]
	if s == nil {
		s = &recording.Session{ID: l.Session, Kind: l.Kind}
		b.sessions[l.Session] = s
		b.rec.Sessions = append(b.rec.Sessions, s)
	}
	if l.Mark != "" {
		name, failed := strings.CutPrefix(string(l.Mark), "!")
		b.rec.Marks = append(b.rec.Marks, recording.Mark{Name: recording.MarkName(name), At: b.now,
			After: len(b.rec.Frames), Failed: failed})
		if failed {
			b.rec.Broken = &recording.Broken{Code: recording.CodeTrigger,
				Reason: "the trigger failed: exit status 1"}
		}
	}
	if l.Over {
		b.rec.Broken = &recording.Broken{Code: recording.CodeInterrupted, Reason: "the run ended"}
	}
	if l.Method == "" && l.Step == "" {
		for _, m := range l.Incoming {
			b.frame(&l, wire.In, m)
		}
		return
	}
	x := b.exchange(i, l)
	s.Exchanges = append(s.Exchanges, x)
	if l.Method == "initialize" {
		s.Initialize = x
	}
	b.rec.Exchanges = append(b.rec.Exchanges, x)
}

func (b *builder) exchange(i int, l Line) *recording.Exchange {
	x := &recording.Exchange{Step: l.Step, Tags: l.Tags, Session: l.Session, Kind: l.Kind, Method: l.Method,
		Params: json.RawMessage(l.Params), Status: l.Status, Header: l.Header, Fatal: l.Fatal,
		Reason: l.Reason, Outcome: l.Outcome, Sent: b.now}
	switch l.ID {
	case "":
		x.ID = json.RawMessage(strconv.Itoa(100 + i))
	case "-":
	default:
		x.ID = json.RawMessage(l.ID)
	}
	request := `{"jsonrpc":"2.0"`
	if x.ID != nil {
		request += `,"id":` + string(x.ID)
	}
	request += `,"method":` + strconv.Quote(l.Method)
	if l.Params != "" {
		request += `,"params":` + l.Params
	}
	x.Request = b.frame(&l, wire.Out, request+"}")
	for _, m := range l.Incoming {
		x.Others = append(x.Others, b.frame(&l, wire.In, m))
	}
	id := cmp.Or(string(x.ID), "null")
	switch {
	case l.Result != "":
		l.Reply = `{"jsonrpc":"2.0","id":` + id + `,"result":` + l.Result + `}`
	case l.Error != "":
		l.Reply = `{"jsonrpc":"2.0","id":` + id + `,"error":` + l.Error + `}`
	}
	replies := l.More
	if l.Reply != "" {
		replies = append([]string{l.Reply}, l.More...)
		x.Attach(wire.ObjectOf(l.Reply))
	}
	for _, m := range replies {
		n := b.frame(&l, wire.In, m)
		if l.Flaws != nil {
			b.rec.Frames[n-1].Flaws = l.Flaws
		}
		x.Replies = append(x.Replies, n)
	}
	if x.Outcome == "" {
		x.Outcome = recording.Silent
		if gjson.Valid(l.Reply) {
			x.Outcome = recording.Replied
		}
	}
	x.Took, x.HeldBack = cmp.Or(l.HeldBack, b.now-x.Sent), l.HeldBack > 0
	return x
}
