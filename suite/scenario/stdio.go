package scenario

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/session"
)

// Step "before" is an ordinary request. Step "joined" is two requests in a single
// write. Steps "part" and, with the rest and the newline, "split" are one request
// in three writes with short pauses, cut in the middle of a character. Step "crlf" is
// a request that ends in a carriage return and a newline, "blank-line" one after an
// empty line. Step "long" is a request of more than a mebibyte.
var _ = register(&Scenario{
	Name:  recording.Framing,
	Title: "messages split, joined, oddly ended and long",
	Sends: "Two requests in a single write, one request in three writes cut in the middle of a character, one that ends in a carriage return and a newline, one after an empty line, and one of more than a mebibyte.",
	Phase: Read,
	When: func(p *Play) *recording.Skipped {
		if p.Combination.Transport != requirement.Stdio {
			return skip(recording.CodeCombination, "it is about stdio")
		}
		return nil
	},
	Script: func(ctx context.Context, p *Play) {
		c, ok := p.Fresh(ctx, session.Options{Kind: recording.Probe})
		if !ok {
			return
		}
		c.note(c.s.Do(ctx, ordinary(p, "before")))
		joined := append(lifeline(p, 920001, "joined"), '\n')
		c.note(c.s.Do(ctx, session.Request{Step: "joined", Body: append(joined, lifeline(p, 920002, "joined")...), Answers: 2}))
		split(ctx, c, lifeline(p, 920003, "naïve"))
		if c.s.Alive() {
			c.Probes(ctx, oddEnds(p)...)
			c.Do(ctx, session.Request{Step: "long", ID: json.RawMessage("920004"), Body: lifeline(p, 920004, strings.Repeat("mcpcheck ", 120_000))})
		}
	},
})

// oddEnds are requests that are framed in ways which only robustness lets a server
// take.
func oddEnds(p *Play) []session.Request {
	return []session.Request{
		{Step: "crlf", Method: lifeMethod(p), ID: json.RawMessage("920005"), Body: append(lifeline(p, 920005, "crlf"), '\r')},
		{Step: "blank-line", Method: lifeMethod(p), ID: json.RawMessage("920006"), Body: append([]byte("\n"), lifeline(p, 920006, "blank line")...)},
	}
}

// split sends a message in three writes, the first of which ends inside the "ï".
func split(ctx context.Context, c *Client, message []byte) {
	const pause = 25 * time.Millisecond
	a := bytes.Index(message, []byte("ï")) + 1
	b := a + (len(message)-a)/2
	for _, part := range [][]byte{message[:a], message[a:b]} {
		c.note(c.s.Do(ctx, session.Request{Step: "part", Body: part, Unframed: true, NoAwait: true}))
		c.s.Quiet(ctx, pause)
	}
	c.note(c.s.Do(ctx, session.Request{Step: "split", ID: json.RawMessage("920003"), Body: message[b:]}))
}

// lifeMethod is the method of a request that every target serves.
func lifeMethod(p *Play) string {
	if p.Modern() {
		return "server/discover"
	}
	return "ping"
}

// lifeline is a request that every target serves, as bytes, with a remark of the
// client's own in its metadata.
func lifeline(p *Play, id int, remark string) []byte {
	meta := map[string]any{"mcpcheck/remark": remark}
	if p.Modern() {
		meta[session.MetaVersion] = string(p.Revision())
		meta[session.MetaClientInfo] = session.ClientInfo
		meta[session.MetaCapabilities] = map[string]any{}
	}
	params, err := json.Marshal(map[string]any{"_meta": meta})
	if err != nil {
		panic(err) // strings and maps of them always have a JSON form
	}
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, id, lifeMethod(p), params)
}
