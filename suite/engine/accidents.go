package engine

import (
	"bytes"
	"fmt"
	"net/http"
	"slices"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/tidwall/gjson"
)

// sent is a message of a script: the line of it, what tells it from others of that line, such as the type of its id, and what it says.
type sent struct {
	step  recording.Step
	apart string
	message
}

func sentBy(x *recording.Exchange) sent {
	return sent{x.Step, fmt.Sprint(x.Tags, bytes.HasPrefix(x.ID, []byte(`"`))), messageOf(x)}
}

// message is what a message is about: its method, and what it names, or else all that it says besides metadata.
type message string

func messageOf(x *recording.Exchange) message {
	about, names := x.Method, false
	for _, name := range gjson.GetManyBytes(x.Params, "uri", "cursor", "ref", "argument", "level") {
		about += " " + name.Raw
		names = names || name.Exists()
	}
	if !names {
		gjson.ParseBytes(x.Params).ForEach(func(name, value gjson.Result) bool {
			if name.Str != "_meta" {
				about += " " + name.Raw + value.Raw
			}
			return true
		})
	}
	return message(about)
}

// blamed are the messages of single scenarios that a red verdict blames for an error of the target's own.
func (r *Run) blamed(j *Judgement) map[sent]bool {
	all := map[sent]bool{}
	for x := range judgedExchanges(j.From, r.takes[j.Combination]) {
		if r.failedItself(x, j.Frames) {
			all[sentBy(x)] = true
		}
	}
	return all
}

// failAgain are those of some messages that failed in a round as well, and were not also served in it. What was not sent from the same line of
// the script is looked for in the others.
func (r *Run) failAgain(blamed map[sent]bool, round *Take) map[sent]bool {
	type answers struct{ failed, served bool }
	exact, any := map[sent]answers{}, map[message]answers{}
	for name, rec := range round.Recordings {
		if name == recording.Everything {
			continue
		}
		for _, x := range rec.Exchanges {
			if !answered(x) {
				continue
			}
			m, fails := sentBy(x), r.failedItself(x, nil)
			note := func(a answers) answers { return answers{a.failed || fails, a.served || !fails} }
			exact[m], any[m.message] = note(exact[m]), note(any[m.message])
		}
	}
	left := map[sent]bool{}
	for m := range blamed {
		a, asked := exact[m]
		if !asked {
			a = any[m.message]
		}
		if a.failed && !a.served {
			left[m] = true
		}
	}
	return left
}

// likeServed reports whether a target serves what some messages are about, in whatever way it is asked.
func (r *Run) likeServed(c requirement.Combination, blamed map[sent]bool) bool {
	about := map[message]bool{}
	for m := range blamed {
		about[m.message] = true
	}
	for _, rec := range r.takes[c].Recordings {
		if slices.ContainsFunc(rec.Exchanges, func(x *recording.Exchange) bool { return x.Succeeded() && about[messageOf(x)] }) {
			return true
		}
	}
	return false
}

// erratic reports whether an endpoint has answered the same message by an error of its own and otherwise as well, in whatever
// revision. Messages whose tags differ are not the same: their ids or headers may.
func (r *Run) erratic(c requirement.Combination) bool {
	failed := map[string]bool{} // or else answered
	for take := range r.played() {
		if !r.sameEndpoint(take.Facts.Combination, c) {
			continue
		}
		for _, rec := range take.Recordings {
			for _, x := range rec.Exchanges {
				if !answered(x) {
					continue
				}
				same, fails := fmt.Sprint(take.Facts.Combination, sentBy(x), string(x.Params)), r.failedItself(x, nil)
				if was, known := failed[same]; known && was != fails {
					return true
				}
				failed[same] = fails
			}
		}
	}
	return false
}

// answered reports whether a request was answered, in whatever way. How a cancelled one ends is a matter of who is quicker.
func answered(x *recording.Exchange) bool {
	return x.Method != "" && x.Tags[recording.TagCancelled] == "" && (x.Outcome == recording.Replied || x.Outcome == recording.HTTPOnly)
}

// failedItself reports whether a message was answered by an error of the target's own, in one of some frames if there are any. HTTP 202 is
// one where nothing else comes: it answers notifications, and all messages on HTTP+SSE.
func (r *Run) failedItself(x *recording.Exchange, frames []int) bool {
	return x.Method != "" && x.Tags[recording.TagCancelled] == "" && slices.ContainsFunc(x.Evidence(), func(n int) bool {
		return (len(frames) == 0 || slices.Contains(frames, n)) && r.ownError(n) && (!r.accepted(n) || len(x.ID) > 0 && x.Outcome == recording.HTTPOnly)
	})
}

// ownError reports whether a frame says that the target itself has failed, as an internal error does, and may one whose code is the
// application's own: JSON-RPC leaves it all that are not reserved, and -32000 is what many say of anything. With 0 the SDK for Python tells
// of whatever went wrong in a handler. Where the HTTP status says that the request is at fault the application was not asked, and a request
// that is accepted like a notification has lost its response, perhaps to another one.
func (r *Run) ownError(number int) bool {
	f, ok := r.transcript.Frame(number)
	if !ok {
		return false
	}
	code := gjson.GetBytes(f.Raw, "error.code")
	status := 0
	if f.HTTP != nil {
		status = f.HTTP.Status
	}
	applications := code.Type == gjson.Number && (code.Num >= -32000 || code.Num < -32768) && status < http.StatusBadRequest
	return applications || code.Type == gjson.Number && code.Num == -32603 || status >= http.StatusInternalServerError || r.accepted(number)
}

// accepted reports whether a frame is a response by HTTP 202.
func (r *Run) accepted(number int) bool {
	f, ok := r.transcript.Frame(number)
	return ok && f.HTTP != nil && f.HTTP.Status == http.StatusAccepted
}
