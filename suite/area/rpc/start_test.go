package rpc_test

import (
	"testing"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/area/areatest"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	rt "github.com/mcpcheck/mcpcheck/suite/recording/recordtest"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
)

// TestEndAtTheStart: a program that cannot be started any more has left no request unanswered. One that ends
// over a request has: it had said something before, or others that were started later do.
func TestEndAtTheStart(t *testing.T) {
	lost := func(session, method string) rt.Line {
		return rt.Line{Step: "page", Session: session, Method: method, Outcome: recording.Lost,
			Reason: "the process ended: exit status 7"}
	}
	answered := func(session string) rt.Line {
		return rt.Line{Step: "page", Session: session, Method: "resources/list", Result: `{"resources":[]}`}
	}
	opening, list, read := "initialize", "resources/list", "resources/read"
	for name, c := range map[string]struct {
		revision requirement.Revision
		foreign  bool
		lines    []rt.Line
		want     verdict.Outcome
	}{
		"no handshake": {requirement.R20251125, false, []rt.Line{lost("s1", opening)},
			verdict.Blocked},
		"no process of ours": {requirement.R20251125, true, []rt.Line{lost("s1", opening)},
			verdict.Fail},
		"it had spoken": {requirement.R20251125, false,
			[]rt.Line{{Step: "log", Session: "s1", Incoming: []string{`{}`}, Method: opening,
				Outcome: recording.Lost}}, verdict.Fail},
		"a later request": {requirement.R20251125, false, []rt.Line{answered("s1"), lost("s1", list)},
			verdict.Fail},
		"modern, three": {requirement.R20260728, false,
			[]rt.Line{lost("s1", list), lost("s2", read), lost("s3", list)}, verdict.Blocked},
		"modern, two": {requirement.R20260728, false,
			[]rt.Line{lost("s1", list), lost("s2", read)}, verdict.Fail},
		"modern, one request": {requirement.R20260728, false,
			[]rt.Line{lost("s1", read), lost("s2", read), lost("s3", read)}, verdict.Fail},
		"modern, others go on": {requirement.R20260728, false,
			[]rt.Line{lost("s1", list), lost("s2", read), lost("s3", list), answered("s4")}, verdict.Fail},
		"modern, after a session": {requirement.R20260728, false, []rt.Line{answered("s1"), lost("s2", list),
			lost("s3", read), lost("s4", list)}, verdict.Pass},
	} {
		facts := areatest.Stdio(c.revision, `{"resources":{}}`)
		facts.Owned = !c.foreign
		rec := rt.New(recording.Everything, facts, c.lines...)
		for i, s := range rec.Sessions {
			s.Opened = time.Duration(i+1) * time.Second
			for _, x := range rec.Exchanges {
				if x.Session == s.ID && x.Outcome == recording.Lost {
					s.Lost = x.Reason
				}
				if x.Session == s.ID && x.Method == opening {
					s.Initialize = x
				}
			}
		}
		areatest.Due(t, "RPC-09", name, c.want, rec)
	}
}
