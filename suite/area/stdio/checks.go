// Package stdio is the area STDIO: the stdio transport (basic/transports#stdio and
// basic/transports/stdio).
package stdio

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/matcher"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
	"github.com/mcpcheck/mcpcheck/suite/wire"
	"github.com/tidwall/gjson"
)

// The scenarios of the area.
const (
	Framing recording.Name = "framing" // messages split and joined on stdio, and a long one
	Parting recording.Name = "parting" // a subscription that stands when its process ends
)

// Scenarios lists the scripts of this area.
var Scenarios = []*scenario.Scenario{framingScenario, partingScenario}

// The steps of the area's scripts.
const (
	stepJoined, stepLong, stepCRLF, stepBlankLine recording.Step = "joined", "long", "crlf", "blank-line"
	stepPart, stepSplit, stepNamed                recording.Step = "part", "split", "named"
	stepSeparators                                recording.Step = "separators"
)

// Checks lists the checks of the stdio transport.
var Checks = verdict.Checks{
	"STDIO-01": {With: verdict.Every, Probes: true,
		Judge: func(v *verdict.Verdict) {
			named := map[string]bool{}
			onlyMessages(v.Recording, named, v)
			for _, each := range v.Recordings() { // with what error handlers print while they are probed
				onlyMessages(each, named, v)
			}
		}},
	"STDIO-02": {Judge: func(v *verdict.Verdict) {
		for _, l := range linesOf(v.Recording) {
			if v.That(l.frame, !l.spread, "one complete message per line",
				"a message spread over lines, which begins %s", wire.Excerpt(l.frame.Raw, 60)).
				Hint("encode messages without indentation").Held() {
				v.That(l.frame, !l.frame.HasFlaw(wire.FlawTrailing), "one message per line",
					"more than one: %s", verdict.Detail(l.frame, wire.FlawTrailing))
			}
		}
	}},
	"STDIO-03": {With: verdict.Every, Probes: true, Endings: true,
		Judge: func(v *verdict.Verdict) {
			for _, f := range v.Incoming(0) {
				if f.Parsed().Kind != wire.KindOther {
					v.That(f, !f.HasFlaw(wire.FlawUnterminated), "a newline after each message",
						"a message at the end of the stream without one: %s", wire.Excerpt(f.Raw, 80))
				}
			}
			for _, x := range v.Exchanges {
				flushedInTime(x, v)
			}
			flushedByItself(v)
		}},
	"STDIO-05": {From: recording.Names{Framing}, With: slices.Concat(verdict.BothWalks,
		recording.Names{recording.InvalidMessages}),
		Judge: func(v *verdict.Verdict) {
			before := v.Step(recording.StepBefore)
			if before == nil || !v.Answered(before) {
				return
			}
			if whole := v.Step(stepJoined); whole != nil && whole.Failed() {
				// its lines were whole, so that what is refused here is the method, or its _meta
				before = whole
			}
			for _, x := range v.Steps(stepJoined, stepSplit) {
				expected := map[recording.Step]string{stepJoined: "two answers to two requests in one write",
					stepSplit: "one answer to a request in three writes, like the one to a request in " +
						"one write"}[x.Step]
				answers := len(v.RepliesOf(x))
				want := map[recording.Step]int{stepJoined: 2, stepSplit: 1}[x.Step]
				if x.Outcome == recording.Canceled || x.Outcome == recording.Unsent {
					v.Answered(x)
					continue
				}
				if answers > want && v.Doubles() {
					continue
				}
				failed := x.Failed() && x.Step == stepSplit && !before.Failed()
				actual := matcher.Describe(x)
				if answers > 0 && answers != want {
					actual = fmt.Sprintf("%d of %d answers", answers, want)
				}
				var frames verdict.Frames
				for _, part := range v.Steps(stepPart) {
					if x.Step == stepSplit {
						frames = append(frames, part.Request)
					}
				}
				v.That(verdict.Several{frames, x}, answers == want && !failed, expected, "%s", actual)
				if x.Step == stepSplit && answers == want && !failed {
					keptWhole(x, v, frames)
				}
			}
			oneLine(v.Step(stepSeparators), before, v)
			judgeOddEnds(before, v)
		}},
	"STDIO-06": {From: recording.Names{Framing}, Judge: verdict.Each(verdict.Steps(stepLong),
		func(x *recording.Exchange, v *verdict.Verdict) {
			if x.Outcome == recording.Silent || x.Fatal {
				v.Fail(verdict.Frames{x.Request}, "an answer to a request of a mebibyte", "%v", x)
				return
			}
			if v.Answered(x) {
				v.Holds()
			}
		})},
	"STDIO-08": {With: recording.Names{Parting}, Endings: true,
		Judge: endsWithItsInput},
}

// oneLine: a line goes on where a character stands that only other formats end lines with.
func oneLine(x, before *recording.Exchange, v *verdict.Verdict) {
	if x == nil || before.Failed() || x.Outcome == recording.Canceled || x.Outcome == recording.Unsent ||
		x.Outcome == recording.Refused {
		return
	}
	v.That(x, x.Succeeded(), "an answer to a request whose id has the characters U+2028, U+2029 and U+0085 "+
		"in it, like that to one without them", "%v", x).
		Hint("end a line at the newline (U+000A), and at no other character: the line readers of several " +
			"languages end it at others as well")
}

// keptWhole: a character that was cut in two by the end of a write came back in the id as it was.
func keptWhole(x *recording.Exchange, v *verdict.Verdict, parts verdict.Frames) {
	sent, got := gjson.ParseBytes(x.ID), x.Message().Get("id")
	v.That(verdict.Several{parts, x}, sent.Type != gjson.String || got.String() == sent.Str,
		"the id "+string(x.ID)+" of a request that was cut in the middle of a character",
		"it came back as %v", got).Cause("a character cut by the end of a write").
		Hint("collect bytes until a newline has come, and decode the whole line as UTF-8, not each piece " +
			"that is read")
}

// onlyMessages: nothing but messages comes on standard output. The lines that were told are named.
func onlyMessages(r *recording.Recording, named map[string]bool, v *verdict.Verdict) {
	for _, l := range linesOf(r) {
		switch {
		case l.stray && named[string(l.frame.Raw)]: // the same line of another session
		case l.spread || l.frame.HasFlaw(wire.FlawUnterminated) && !l.frame.Parsed().Valid:
		case l.frame.HasFlaw(wire.FlawBlank):
			if !named[""] {
				v.Fail(l.frame, "nothing but messages on standard output", "a blank line").
					Warn("clients pass over blank lines").
					Hint("write one newline after each message, and no more")
			}
			named[""] = true
		default:
			if !v.That(l.frame, !l.stray, "nothing but messages on standard output", "the line %s",
				wire.Excerpt(l.frame.Raw, 120)).Held() {
				named[string(l.frame.Raw)] = true
			}
		}
	}
}

// judgeOddEnds: the end of a message is a newline, and nothing else; that a carriage return
// before it, or an empty line, is passed over is robustness.
func judgeOddEnds(before *recording.Exchange, v *verdict.Verdict) {
	for _, odd := range []struct {
		step      recording.Step
		id, about string
	}{
		{stepCRLF, "crlf-refused",
			"a request that ends in a carriage return and a newline, as some clients on Windows write it"},
		{stepBlankLine, "blank-line-refused", "a request after an empty line"},
	} {
		x := v.Step(odd.step)
		if x == nil || x.Succeeded() || before.Failed() || x.Outcome == recording.Canceled ||
			x.Outcome == recording.Unsent {
			continue
		}
		if odd.step == stepBlankLine && x.Fatal && v.DiesOfText(v.Input(recording.InvalidMessages)) {
			continue
		}
		v.Observe(x, odd.id, "%s: %s", odd.about, verdict.Reaction(x))
	}
}

// line is a line of standard output.
type line struct {
	frame *wire.Frame
	// stray says that it is no message, spread that it is a part of one that
	// goes over several lines.
	stray, spread bool
}

func linesOf(r *recording.Recording) []line {
	var all []line
	bySession := map[string][]int{}
	for i := range r.Frames {
		f := &r.Frames[i]
		if f.Dir != wire.In || f.Channel != "stdout" || f.Truncated {
			continue
		}
		bySession[f.Session] = append(bySession[f.Session], len(all))
		all = append(all, line{frame: f, stray: stray(f)})
	}
	for _, places := range bySession {
		for i := 0; i < len(places); i++ {
			n := spreadOver(all, places[i:])
			for _, at := range places[i : i+n] {
				all[at].spread, all[at].stray = true, false
			}
			i += max(n-1, 0)
		}
	}
	return all
}

// stray reports whether a line is no message of the protocol: no JSON, or an object
// that has nothing of a message, such as the line of a log.
func stray(f *wire.Frame) bool {
	if f.HasFlaw(wire.FlawNotJSON) || f.HasFlaw(wire.FlawNotObject) {
		return true
	}
	return f.Parsed().Stray() // two messages in a line are judged elsewhere
}

// spreadOver is how many of the lines, from the first on, make up one message
// together; 0 if the first is no part of one.
func spreadOver(all []line, places []int) int {
	const most = 20_000
	first := all[places[0]].frame
	text := bytes.TrimSpace(first.Raw)
	if !first.HasFlaw(wire.FlawNotJSON) || len(text) == 0 || text[0] != '{' && text[0] != '[' {
		return 0
	}
	var joined []byte
	for i, at := range places[:min(len(places), most)] {
		raw := all[at].frame.Raw
		joined = append(append(joined, raw...), '\n')
		// Only a closing bracket can be the end, and only the outermost one
		// stands at the margin.
		end := bytes.TrimRight(raw, " \t\r")
		if i > 0 && len(end) > 0 && (end[len(end)-1] == '}' || end[len(end)-1] == ']') &&
			(end[0] == '}' || end[0] == ']') && wire.Valid(joined) {
			return i + 1
		}
	}
	return 0
}

// flushedInTime: an answer did not wait for the end of the session.
func flushedInTime(x *recording.Exchange, v *verdict.Verdict) {
	s := v.Session(x.Session)
	if x.Outcome == recording.Replied {
		v.Holds()
	}
	if x.Outcome != recording.Silent || len(x.Replies) == 0 || s == nil || s.Ending == nil ||
		s.Ending.By != "us" {
		return
	}
	if atTheEnd(v, x) && !asLateAsOthers(v, x) {
		v.Fail(x, "an answer that is written out at once", "the answer to %s came when the session was ended",
			x.Method).Hint("flush standard output after each message")
	}
}

// atTheEnd reports whether the answer to a request that was given up came when its session was ended.
func atTheEnd(v *verdict.Verdict, x *recording.Exchange) bool {
	s, f := v.Session(x.Session), v.Frame(x.Replies[0])
	return s != nil && s.Ending != nil && f != nil && f.At >= s.Closed-s.Ending.Took
}

// asLateAsOthers reports whether other requests of the method were answered about as late while their
// sessions stood, so that the end of this one's may have had nothing to do with it.
func asLateAsOthers(v *verdict.Verdict, x *recording.Exchange) bool {
	took := func(x *recording.Exchange) time.Duration { return v.Frame(x.Replies[0]).At - x.Sent }
	const part = 5 // by which it may differ, one in so many
	slack, sooner, later := took(x)/part, false, false
	for _, y := range v.Exchanges {
		if y.Method == x.Method && y.Outcome == recording.Silent && len(y.Replies) > 0 &&
			v.Frame(y.Replies[0]) != nil && !atTheEnd(v, y) {
			sooner, later = sooner || took(y) <= took(x)+slack, later || took(y) >= took(x)-slack
		}
	}
	return sooner && later
}

// flushedByItself: no answer waits until the server writes another one. A slow server may answer just when it
// is sent another request, but not after two different times.
func flushedByItself(v *verdict.Verdict) {
	const apart = 500 * time.Millisecond
	var held []*recording.Exchange
	for _, r := range v.Recordings() {
		held = append(held, recording.Keep(r.Exchanges, func(x *recording.Exchange) bool {
			return x.HeldBack
		})...)
	}
	if len(held) == 0 {
		return
	}
	took := func(a, b *recording.Exchange) int { return cmp.Compare(a.Took, b.Took) }
	least, most := slices.MinFunc(held, took), slices.MaxFunc(held, took)
	if most.Took-least.Took > apart {
		v.Fail(verdict.Several{most, least}, "an answer that is written out at once",
			"the answer to %s came only when another request was answered", v.What(most)).
			Hint("flush standard output after each message, errors included")
	}
}

// endsWithItsInput: a process ends when its standard input is closed.
func endsWithItsInput(v *verdict.Verdict) {
	if !v.Facts.Owned {
		v.NotExercised("the target is no process of ours")
		return
	}
	var plain, subscribed []*recording.Session
	for _, s := range v.Sessions {
		switch {
		case s.Ending == nil || s.Ending.By != "us" || s.Ending.Reason != "":
		case subscribes(v, s):
			subscribed = append(subscribed, s)
		default:
			plain = append(plain, s)
		}
	}
	if oneExits(plain, "", "", v) { // one that never does needs no other reason
		oneExits(subscribed, ", while something was subscribed",
			"let no subscription keep the process when its input has ended", v)
	}
}

// oneExits: one of some processes, at least, ended by itself. It reports false if none did, although there
// are some.
func oneExits(all []*recording.Session, when, change string, v *verdict.Verdict) bool {
	slow, took := "", time.Duration(0)
	for _, s := range all {
		switch s.Ending.How {
		case "exited":
			v.Holds()
			return true
		case "terminated", "killed":
			// Once it is known that they stay, they are not waited for in full.
			if slow == "" || s.Ending.Took > took {
				slow, took = s.Ending.How, s.Ending.Took
			}
		}
	}
	if slow != "" {
		v.Fail(nil, "a process that exits soon after its standard input was closed"+when,
			"it went on running and had to be %s, after %s", slow, took.Round(1e7).String()).Hint(change)
	}
	return slow == ""
}

// subscribes reports whether a subscription of a session stood at its end.
func subscribes(v *verdict.Verdict, s *recording.Session) bool {
	stands := map[string]bool{}
	for _, x := range v.Exchanges {
		if x.Session != s.ID {
			continue
		}
		switch x.Method {
		case "subscriptions/listen":
			stands[string(x.ID)] = x.Tags[recording.TagAck] != "" && !x.Succeeded() && !x.Failed()
		case "notifications/cancelled":
			delete(stands, x.Param("requestId").Raw)
		case "resources/subscribe":
			stands[x.Param("uri").Raw] = x.Succeeded()
		case "resources/unsubscribe":
			delete(stands, x.Param("uri").Raw)
		}
	}
	return slices.Contains(slices.Collect(maps.Values(stands)), true)
}
