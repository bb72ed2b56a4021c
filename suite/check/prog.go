package check

import (
	"bytes"
	"strconv"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/judge"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/wire"
	"github.com/tidwall/gjson"
)

// The checks of the pages on progress.
func init() {
	everything := []recording.Name{recording.Everything}
	add(Check{
		Requirement: "PROG-01",
		From:        everything,
		Judge: func(r *recording.Recording, v *Verdict) {
			for _, p := range progressOf(r, v) {
				v.That(p.of != nil, "progress for a token that a request has given", "progress for the token "+Brief(p.token), p.frame.Number)
			}
		},
	}, Check{
		Requirement: "PROG-02",
		From:        everything,
		Judge: func(r *recording.Recording, v *Verdict) {
			for _, p := range progressOf(r, v) {
				progressTypes(p, v)
			}
		},
	}, Check{
		Requirement: "PROG-03",
		From:        everything,
		Judge: func(r *recording.Recording, v *Verdict) {
			last := map[*recording.Exchange]progress{}
			for _, p := range progressOf(r, v) {
				if p.of == nil || !judge.IsNumber(p.Get("params.progress")) {
					continue
				}
				if before, ok := last[p.of]; ok {
					a, b := before.Get("params.progress"), p.Get("params.progress")
					v.That(b.Num > a.Num, "progress greater than "+a.Raw+", which was reported before", "progress "+b.Raw, before.frame.Number, p.frame.Number)
				}
				last[p.of] = p
			}
		},
	}, Check{
		Requirement: "PROG-04",
		From:        everything,
		Judge: func(r *recording.Recording, v *Verdict) {
			for _, p := range progressOf(r, v) {
				if p.of == nil {
					continue
				}
				answer := firstReply(r, p.of)
				late := answer != nil && p.frame.Number > answer.Number
				if late && p.frame.Channel != answer.Channel && p.frame.At-answer.At < 500*time.Millisecond {
					late = false // two streams may overtake one another
				}
				v.That(!late, "no progress after the response", "progress "+Brief(p.Get("params.progress"))+" for the token "+Brief(p.token)+" after it", append(p.of.Evidence(), p.frame.Number)...)
			}
		},
	})
}

// progress is a progress notification.
type progress struct {
	message
	token gjson.Result
	// of is the request that gave the token, also with another JSON type; nil if
	// none did.
	of *recording.Exchange
}

// progressOf lists the progress notifications of a recording.
func progressOf(r *recording.Recording, v *Verdict) []progress {
	var all []progress
	for _, m := range callsOf(r) {
		if m.method() == "notifications/progress" {
			p := progress{message: m, token: m.Get("params.progressToken")}
			p.of = tokenGiver(r, p)
			all = append(all, p)
		}
	}
	if len(all) == 0 {
		v.Skip(recording.CodeNotExercised, "the target reports no progress")
	}
	return all
}

// tokenGiver is the request of the same session that gave the token: the last one
// before the notification.
func tokenGiver(r *recording.Recording, p progress) *recording.Exchange {
	var giver *recording.Exchange
	for _, x := range r.Exchanges {
		if x.Session != p.frame.Session || x.Request > p.frame.Number {
			continue
		}
		if given := x.Param("_meta.progressToken"); given.Exists() && p.token.Exists() && given.String() == p.token.String() {
			giver = x
		}
	}
	return giver
}

// progressTypes judges the members of a progress notification.
func progressTypes(p progress, v *Verdict) {
	at := p.frame.Number
	v.That(judge.IsString(p.token) || judge.IsInteger(p.token), "progressToken as a string or an integer", "progressToken is "+judge.TypeName(p.token), at)
	if p.of != nil {
		given := p.of.Param("_meta.progressToken")
		v.That(given.Type == p.token.Type, "the token "+given.Raw+" as it was given", "the token "+p.token.Raw, p.of.Request, at)
	}
	value, total, text := p.Get("params.progress"), p.Get("params.total"), p.Get("params.message")
	v.That(judge.IsNumber(value), "progress as a number", "progress is "+Brief(value), at)
	v.That(!total.Exists() || judge.IsNumber(total), "total as a number, or absent", "total is "+Brief(total), at)
	if v.Revision() >= requirement.R20250326 {
		v.That(!text.Exists() || judge.IsString(text), "message as a string, or absent", "message is "+Brief(text), at)
	}
}

// firstReply is the frame of the response to a request, or nil.
func firstReply(r *recording.Recording, x *recording.Exchange) *wire.Frame {
	if len(x.Replies) == 0 {
		return nil
	}
	return r.Frame(x.Replies[0])
}

// sameValue reports whether a JSON value is the id of an exchange, whatever its
// type.
func sameValue(v gjson.Result, id []byte) bool {
	return v.Exists() && len(id) > 0 && (bytes.Equal([]byte(v.Raw), id) || v.String() == gjson.ParseBytes(id).String())
}

// plural is a number with its noun.
func plural(n int, noun string) string {
	if n == 1 {
		return "one " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}
