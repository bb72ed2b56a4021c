package sub_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/mcpcheck/mcpcheck/suite/area/areatest"
	"github.com/mcpcheck/mcpcheck/suite/area/sub"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	rt "github.com/mcpcheck/mcpcheck/suite/recording/recordtest"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
	"github.com/mcpcheck/mcpcheck/suite/wire"
)

// Of several resources in one filter every one is watched; which are not shows on a stream that works.
func TestSeveralResources(t *testing.T) {
	up := func(id, uri string) string { return areatest.Sent(verdict.Updated, id, `"uri":"`+uri+`"`) }
	play := func(granted string, got ...string) []rt.Line {
		s := new(areatest.Script).Listen("7", "uris", areatest.URIFilter, areatest.URIFilter).
			Listen(`"off"`, "off", `{"resourceSubscriptions":["b:2","a:1"],"resourcesListChanged":false}`,
				granted)
		return s.Hears(scenario.MarkOther).Hears(recording.MarkUpdate, got...).Lines
	}
	below := func(lines []rt.Line) []rt.Line {
		for i, l := range lines {
			for _, text := range []*string{&lines[i].Params, &lines[i].Result} {
				*text = strings.ReplaceAll(*text, "b:2", "a:")
			}
			for k := range l.Incoming {
				l.Incoming[k] = strings.ReplaceAll(l.Incoming[k], "b:2", "a:")
			}
			if l.Tags["other"] != "" {
				lines[i].Tags = l.Tags.With(areatest.Pairs("other", "a:"))
			}
		}
		return lines
	}
	const both = `{"resourceSubscriptions":["b:2","a:1"]}`
	one, other, changed := up("7", "a:1"), up(`"off"`, "b:2"), up(`"off"`, "a:1")
	areatest.WalkRunsIn(t, recording.Changes, subscribing, []areatest.Run{
		areatest.Pass("SUB-28", play(both, one, other, changed)...),
		areatest.Fail("SUB-28", play(both, one, other)...),
		areatest.Fail("SUB-28", play(both, one, changed)...),
		// parts
		areatest.Pass("SUB-28", play(both, up("7", "a:1/x"), up(`"off"`, "b:2/x"), up(`"off"`, "a:1/x"))...),
		areatest.Fail("SUB-28", play(both, up("7", "a:1/x"), up(`"off"`, "b:2/x"))...),
		areatest.Pass("SUB-28", play(areatest.URIFilter, one, changed)...), // it was not granted
		areatest.Pass("SUB-28", play(both, one)...),                        // that is SUB-32
		areatest.Blocked("SUB-28", append(play(both, other), rt.Line{Over: true})...),
		areatest.Pass("SUB-28", below(play(both, one, other))...), // it may name either
		areatest.Pass("SUB-31", play(both, one, other, changed)...),
		areatest.Fail("SUB-31", play(both, one, other, changed, up("7", "b:2"))...),
		areatest.Pass("SUB-32", play(both, one, other, changed)...),
		areatest.Pass("SUB-32", play(both, one, other)...), // that is SUB-28
		areatest.Fail("SUB-32", play(both, one)...),
	}, requirement.R20260728)
}

// So it is where resources change by themselves.
func TestSeveralThatChangeByThemselves(t *testing.T) {
	up := func(id, uri string) rt.Line {
		return rt.Line{Incoming: []string{areatest.Sent(verdict.Updated, id, `"uri":"`+uri+`"`)}}
	}
	while := rt.Line{Method: "server/discover", Result: `{}`} // a millisecond for each frame
	play := func(all ...rt.Line) []rt.Line {
		const both, second = `{"resourceSubscriptions":["a:1","b:2"]}`, `{"resourceSubscriptions":["b:2"]}`
		s := new(areatest.Script).Listen("7", "full", both, both).Listen("8", "unsupported", second, second)
		return slices.Concat(s.Lines, all, slices.Repeat([]rt.Line{while}, 40), all)
	}
	areatest.WalkRunsIn(t, recording.Listening, subscribing, []areatest.Run{
		areatest.Pass("SUB-28", play(up("7", "a:1"), up("7", "b:2"), up("8", "b:2"))...),
		areatest.Fail("SUB-28", play(up("7", "a:1"), up("8", "b:2"))...),
		areatest.NotApplicable("SUB-28", play(up("7", "a:1"))...),
		areatest.Pass("SUB-28", play(up("7", "a:1"), up("7", "b:2/x"), up("8", "b:2"))...),
		// that stream may be behind
		areatest.Pass("SUB-28", append(play(up("8", "b:2")), up("7", "a:1"))...),
		areatest.Pass("SUB-32", play(up("7", "a:1"), up("8", "b:2"))...), // that is SUB-28
		areatest.Fail("SUB-32", play(up("8", "b:2"))...),
	}, requirement.R20260728)
}

// The streams of two clients have nothing to do with each other, whatever their ids.
func TestSameID(t *testing.T) {
	update := `{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"a:1",` +
		`"_meta":{"io.modelcontextprotocol/subscriptionId":"off"}}}`
	play := func(foreign rt.Line, heard ...string) []rt.Line {
		s := new(areatest.Script)
		for _, one := range []struct{ id, name string }{{"7", "uris"}, {`"off"`, "off"}} {
			s.Listen(one.id, one.name, areatest.URIFilter, areatest.URIFilter)
			s.Lines[len(s.Lines)-1].Channel = "post:" + one.name
		}
		s.Add(rt.Line{Step: "busy", Method: "server/discover", Result: `{}`, Session: "s2", Channel: "post:1",
			Tags: areatest.Pairs("who", "bystander")})
		s.Hears(recording.MarkUpdate)
		for _, one := range []string{"uris", "off"} {
			s.Add(rt.Line{Channel: "post:" + one, Incoming: []string{update}})
		}
		foreign.Step, foreign.Method, foreign.ID, foreign.Session, foreign.Channel = "listen",
			"subscriptions/listen", `"off"`, "s2", "post:foreign"
		s.Add(foreign).Hears(scenario.MarkShared)
		for _, channel := range heard {
			session := map[string]string{"post:foreign": "s2"}[channel]
			s.Add(rt.Line{Channel: channel, Session: session, Incoming: []string{update}})
		}
		return s.Lines
	}
	ended := func(lines []rt.Line) []rt.Line {
		for i, l := range lines {
			if l.Tags["name"] == "off" {
				lines[i].Tags = l.Tags.With(areatest.Pairs("ended", "900"))
			}
		}
		return lines
	}
	granted := rt.Line{Outcome: recording.Sent,
		Incoming: []string{areatest.Sent(verdict.Acked, `"off"`, `"notifications":`+areatest.URIFilter)},
		Tags:     areatest.Pairs("name", "foreign", "who", "bystander", "uri", "a:1", "ack", "10")}
	refused := rt.Line{Error: `{"code":-32600,"message":"the id is in use"}`,
		Tags: areatest.Pairs("name", "foreign", "who", "bystander", "uri", "a:1")}
	for _, x := range []struct {
		id   string
		want verdict.Outcome
		rec  []rt.Line
	}{
		{"SUB-32", pass, play(granted, "post:off", "post:foreign")},
		{"SUB-32", fail, play(granted, "post:foreign")},
		{"SUB-32", fail, play(granted, "post:off")},
		{"SUB-32", warn, ended(play(granted, "post:foreign"))}, // any transport may end a stream
		{"SUB-32", pass, play(granted)},                        // none came at all
		{"SUB-32", warn, play(refused, "post:off")},
		{"SUB-43", pass, play(granted, "post:off", "post:foreign")},
	} {
		judgeHTTP(t, x.id, recording.Changes, x.rec, x.want)
	}
	// Whoever comes with credentials may be known by them, and its ids be taken for those of one sender.
	facts := areatest.HTTP(requirement.R20260728, subscribing)
	rec := rt.New(recording.Changes, facts, play(granted, "post:foreign")...)
	for i := range rec.Frames {
		if rec.Frames[i].Dir == wire.Out {
			rec.Frames[i].HTTP = &wire.HTTP{Header: http.Header{"Authorization": {"Bearer secret"}}}
		}
	}
	areatest.Due(t, "SUB-32", "with credentials", warn, rec)
}

// What follows the result of a subscription was not to come.
func TestAfterTheResult(t *testing.T) {
	const result = `{"jsonrpc":"2.0","id":7,"result":{"resultType":"complete",` +
		`"_meta":{"io.modelcontextprotocol/subscriptionId":7}}}`
	late, other := areatest.Sent(verdict.Updated, "7", `"uri":"a:1"`), areatest.Sent(verdict.Updated, "8",
		`"uri":"a:1"`)
	play := func(messages ...string) []rt.Line {
		return new(areatest.Script).Listen("7", "uris", areatest.URIFilter,
			areatest.URIFilter).Add(rt.Line{Incoming: messages}).Lines
	}
	for _, name := range []recording.Name{recording.Changes, recording.Listening, sub.Shutdown} {
		areatest.WalkRunsIn(t, name, subscribing, []areatest.Run{
			areatest.Pass("SUB-35", play(late, result)...),
			areatest.Pass("SUB-35", play(result, other)...),
			areatest.Warn("SUB-35", play(result, late)...),
		}, requirement.R20260728)
	}
}

// A filter may ask for nothing, and nothing is what it brings.
func TestEmptyFilter(t *testing.T) {
	asked := func(granted string) []rt.Line {
		l := new(areatest.Script).Listen("7", "", "{}", granted).Lines
		l[0].Step, l[0].Kind = "empty-filter", recording.Probe
		return l
	}
	answered := func(l rt.Line) []rt.Line {
		l.Step, l.Method, l.Params, l.Kind = "empty-filter", "subscriptions/listen", `{"notifications":{}}`,
			recording.Probe
		return areatest.Lines(l)
	}
	areatest.WalkRuns(t, sub.BadSubscriptions, subscribing,
		areatest.Pass("SUB-20", asked(`{}`)...),
		areatest.Warn("SUB-20", answered(rt.Line{Error: `{"code":-32602,"message":"empty"}`})...),
		areatest.Warn("SUB-20", answered(rt.Line{Status: 500, Outcome: recording.HTTPOnly})...),
		areatest.Warn("SUB-20", answered(rt.Line{Result: `{"resultType":"complete"}`})...),
		areatest.Fail("SUB-20", answered(rt.Line{Outcome: recording.Silent})...),
		areatest.NotApplicable("SUB-20", answered(rt.Line{Error: `{"code":-32601,"message":"?"}`})...),
		areatest.Blocked("SUB-20", answered(rt.Line{Outcome: recording.Lost})...),
		areatest.Pass("SUB-21", asked(`{}`)...),
		areatest.NotApplicable("SUB-21", answered(rt.Line{Result: `{"resultType":"complete"}`})...),
		areatest.Pass("SUB-24", asked(`{}`)...),
		areatest.Fail("SUB-24", asked(areatest.URIFilter)...),
	)
	nothing := new(areatest.Script).Listen("7", "uris", areatest.URIFilter, areatest.URIFilter).Listen("9",
		"none", "{}", "{}").
		Hears(recording.MarkUpdate, areatest.Sent(verdict.Updated, "9", `"uri":"a:1"`)).Lines
	areatest.WalkRuns(t, recording.Changes, subscribing,
		areatest.Fail("SUB-30", nothing...))
}
