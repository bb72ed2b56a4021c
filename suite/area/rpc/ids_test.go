package rpc_test

import (
	"strings"
	"testing"

	"github.com/mcpcheck/mcpcheck/suite/area/areatest"
	"github.com/mcpcheck/mcpcheck/suite/area/rpc"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	rt "github.com/mcpcheck/mcpcheck/suite/recording/recordtest"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
	"github.com/mcpcheck/mcpcheck/suite/wire"
)

// TestACutCharacterIsOneFinding: an id that comes back broken because its bytes came in two chunks breaks two
// requirements, and both say what would help, over HTTP+SSE as well.
func TestACutCharacterIsOneFinding(t *testing.T) {
	for _, transport := range []requirement.Transport{requirement.HTTP, requirement.SSE} {
		facts := rt.Facts(requirement.Combination{Revision: requirement.R20241105, Transport: transport},
			`{"resources":{}}`)
		reply := `{"jsonrpc":"2.0","id":"cafe\ufffd\ufffd in chunks","result":{"resources":[]}}`
		lines := []rt.Line{{Step: "id", Method: "resources/list", ID: "0", Channel: "post:1",
			Reply: `{"jsonrpc":"2.0","id":0,"result":{"resources":[]}}`}}
		cut := rt.Line{Step: "chunked", Method: "resources/list", ID: `"cafe\u0301 in chunks"`,
			Channel: "post:2"}
		if transport == requirement.HTTP {
			cut.Reply = reply
			lines = append(lines, cut)
		} else {
			cut.Outcome = recording.Silent
			lines = append(lines, cut, rt.Line{Incoming: []string{reply},
				Event: &wire.Event{Type: "message"}},
				rt.Line{Step: "chunked-plainly", Method: "resources/list", ID: "1", Channel: "post:3",
					Reply: `{"jsonrpc":"2.0","id":1,"result":{"resources":[]}}`})
		}
		rec := rt.New(rpc.RequestIDs, facts, lines...)
		for _, id := range []string{"RPC-02", "RPC-04"} {
			got := areatest.Judge(id, rec, rt.New(recording.Everything, facts))
			if got.Outcome != verdict.Fail || !got.SharedCause || !strings.Contains(got.Hint, "whole body") ||
				got.Cause != verdict.CauseCode("a character cut by the end of a chunk") {
				t.Errorf("%s on %s: %+v", id, transport, got)
			}
		}
	}
}

// A notification that is refused over HTTP is no request, so that the error in the body belongs to none.
func TestARefusedNotificationHasNoID(t *testing.T) {
	facts := areatest.HTTP(requirement.R20250618, `{}`)
	for status, want := range map[int]verdict.Outcome{200: verdict.Fail, 400: verdict.Pass} {
		rec := rt.New(recording.Everything, facts, rt.Line{Method: "resources/list", ID: "1",
			Channel: "post:1", Reply: `{"jsonrpc":"2.0","id":1,"result":{"resources":[]}}`},
			rt.Line{Method: "notifications/initialized", ID: "-", Channel: "post:2", Status: status,
				Outcome: recording.Sent,
				Reply: `{"jsonrpc":"2.0","id":"server-error","error":{"code":-32600,"message":"no ` +
					`session"}}`})
		areatest.Due(t, "RPC-02", status, want, rec)
	}
}
