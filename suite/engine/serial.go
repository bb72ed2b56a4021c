package engine

import (
	"fmt"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/wire"
	"github.com/tidwall/gjson"
)

// What makes it plain that a server handles one request at a time: how long a response was open, and how many requests
// waited beside it.
const (
	openLong    = 2 * time.Second
	waitedAtAll = 3
)

// exchange is an HTTP request of a kind, which is its methods, with the time of the first and of the last frame of its
// response; answered is 0 if there is none.
type exchange struct {
	kind                  string
	sent, answered, ended time.Duration
}

// serial says in a sentence that a server over HTTP handles one request at a time, by which a run takes many times as long: while
// one response was open, as a stream is, no request beside it was answered, and several were when it had ended. It is empty if
// that was not seen, or if there are several endpoints.
func (r *Run) serial() string {
	if len(r.endpoints) != 1 || r.endpoints[0].transport == requirement.Stdio {
		return ""
	}
	return serial(r.transcript.Since(0))
}

func serial(frames []wire.Frame) string {
	all := exchanges(frames)
	quickest := map[string]time.Duration{} // by kind: what always takes long waits for nobody
	for _, x := range all {
		if took, known := quickest[x.kind]; x.answered > 0 && (!known || x.ended-x.sent < took) {
			quickest[x.kind] = x.ended - x.sent
		}
	}
	for _, open := range all {
		if open.answered == 0 || open.ended-open.answered < openLong {
			continue
		}
		waited, beside := 0, false
		for _, x := range all {
			beside = beside || x != open && x.answered > open.answered && x.answered < open.ended
			took, known := quickest[x.kind]
			if x.sent > open.sent && x.sent < open.ended-openLong/2 && x.answered >= open.ended && // some are never answered, whatever else is open
				known && took < (open.ended-x.sent)/2 {
				waited++
			}
		}
		if !beside && waited >= waitedAtAll {
			return fmt.Sprintf("while one response was open, for %.1f s, %d requests beside it got no answer, and then they did: the server handles one request at a time; give it more workers, if it can have them",
				(open.ended - open.answered).Seconds(), waited)
		}
	}
	return ""
}

// hung says in a sentence that a server over HTTP answers nothing any more; empty if that was not seen, or if there are several
// endpoints.
func (r *Run) hung() string {
	if len(r.endpoints) != 1 || r.endpoints[0].transport == requirement.Stdio {
		return ""
	}
	closed := time.Duration(0)
	for t := range r.played() {
		for _, rec := range t.Recordings {
			for _, x := range rec.Exchanges {
				if x.Outcome == recording.Lost && x.Took < r.cfg.Timeout {
					closed = max(closed, x.Sent)
				}
			}
		}
	}
	return hung(r.transcript.Since(0), closed, r.took, r.cfg.Timeout)
}

// hung is [Run.hung] for what was seen in a run that took so long, with the time for one request, and when the last one was sent
// over which the connection was closed: that one was not waited for.
func hung(frames []wire.Frame, closed, took, timeout time.Duration) string {
	last, waited := time.Duration(0), 0
	for i := range frames {
		if f := &frames[i]; f.Dir == wire.In {
			last = max(last, f.At)
		}
	}
	for _, x := range exchanges(frames) {
		if x.sent > last && took-x.sent >= timeout {
			waited++
		}
	}
	if waited < waitedAtAll || closed > last {
		return ""
	}
	return fmt.Sprintf("nothing came from the server in the last %.0f s, in which %d requests were waited for in full: it hangs, and has to be started again; look for what it waits for then",
		(took - last).Seconds(), waited)
}

// exchanges lists the HTTP requests of a transcript.
func exchanges(frames []wire.Frame) []*exchange {
	type key struct{ session, channel string }
	var all []*exchange
	open := map[key]*exchange{}
	for i := range frames {
		f := &frames[i]
		at := key{f.Session, f.Channel}
		x := open[at]
		switch {
		case f.Dir == wire.Out && f.HTTP != nil:
			x = &exchange{kind: f.HTTP.Method + " " + gjson.GetBytes(f.Raw, "method").Str, sent: f.At}
			open[at], all = x, append(all, x)
		case x != nil && f.Dir == wire.In && x.answered == 0:
			x.answered, x.ended = f.At, f.At
		case x != nil && x.answered > 0:
			x.ended = f.At
		}
	}
	return all
}
