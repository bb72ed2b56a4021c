package areatest

import (
	"strconv"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	rt "github.com/mcpcheck/mcpcheck/suite/recording/recordtest"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
)

// Sent is a notification of a subscription; an empty id leaves it out.
func Sent(method, id, params string) string {
	if id != "" {
		if params != "" {
			params += ","
		}
		params += `"_meta":{"io.modelcontextprotocol/subscriptionId":` + id + `}`
	}
	return `{"jsonrpc":"2.0","method":"` + method + `","params":{` + params + `}}`
}

// Script counts frames, so that listen requests can name the one of their
// acknowledgment.
type Script struct {
	Lines  []rt.Line
	frames int
}

// Add adds a line and counts its frames.
func (s *Script) Add(l rt.Line) *Script {
	s.Lines = append(s.Lines, l)
	s.frames += len(l.Incoming) + len(l.More)
	if l.Method != "" || l.Step != "" {
		s.frames++
	}
	if l.Reply != "" || l.Result != "" || l.Error != "" {
		s.frames++
	}
	return s
}

// Listen is a request for a filter that is acknowledged with another one.
func (s *Script) Listen(id, name, asked, granted string, tags ...string) *Script {
	return s.Acked(id, name, asked, Sent(verdict.Acked, id, `"notifications":`+granted), tags...)
}

// Acked is a listen request followed by a message that passes for its
// acknowledgment.
func (s *Script) Acked(id, name, asked, ack string, tags ...string) *Script {
	l := rt.Line{Step: recording.StepListen, Method: "subscriptions/listen", ID: id, Params: `{"notifications":` + asked + `}`, Outcome: recording.Sent,
		Incoming: []string{ack}, Tags: Pairs("name", name, "who", "watcher", "uri", "a:1", "other", "b:2", "ack", strconv.Itoa(s.frames+2))}
	return s.Add(And(l, tags...))
}

// Hears adds messages that come after a mark.
func (s *Script) Hears(mark recording.MarkName, messages ...string) *Script {
	return s.Add(rt.Line{Mark: mark, Incoming: messages})
}

// URIFilter asks for updates of one resource.
const URIFilter = `{"resourceSubscriptions":["a:1"]}`
