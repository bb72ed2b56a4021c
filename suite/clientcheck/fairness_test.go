package clientcheck_test

import (
	"fmt"
	"net/http"
	"strconv"
	"testing"

	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/mcpcheck/mcpcheck/reference/journal"
	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/mcpcheck/mcpcheck/suite/clientcheck"
)

// TestEnoughPages: a client that can follow cursors may leave a long list; one that never
// follows them, or follows one in a circle, cannot.
func TestEnoughPages(t *testing.T) {
	const (
		one   = `>{"jsonrpc":"2.0","id":1,"method":"resources/list"}`
		oneIs = `<{"jsonrpc":"2.0","id":1,"result":{"resources":[],"nextCursor":"a"}}`
		two   = `>{"jsonrpc":"2.0","id":2,"method":"resources/list","params":{"cursor":"a"}}`
		twoIs = `<{"jsonrpc":"2.0","id":2,"result":{"resources":[{"uri":"note:b","name":"b"}],` +
			`"nextCursor":"b"}}`
		empty   = `<{"jsonrpc":"2.0","id":2,"result":{"resources":[],"nextCursor":"b"}}`
		again   = `>{"jsonrpc":"2.0","id":3,"method":"resources/list","params":{"cursor":"a"}}`
		thatIs  = `<{"jsonrpc":"2.0","id":3,"result":{"resources":[],"nextCursor":"b"}}`
		altered = `>{"jsonrpc":"2.0","id":5,"method":"resources/list","params":{"cursor":"a%3D"}}`
		refused = `<{"jsonrpc":"2.0","id":5,"error":{"code":-32602,"message":"Invalid cursor"}}`
		fresh   = `>{"jsonrpc":"2.0","id":4,"method":"resources/list"}`
		newIs   = `<{"jsonrpc":"2.0","id":4,"result":{"resources":[],"nextCursor":"a"}}`
	)
	for name, test := range map[string]struct {
		said     []string
		want     reports.Verdict
		remarked int
	}{
		"the first page only":         {[]string{one, oneIs}, reports.Warn, 0},
		"two of three pages":          {[]string{one, oneIs, two, twoIs}, reports.Pass, 1},
		"an empty second page":        {[]string{one, oneIs, two, empty}, reports.Warn, 0},
		"one page again and again":    {[]string{one, oneIs, two, twoIs, again, thatIs}, reports.Warn, 0},
		"an altered cursor":           {[]string{one, oneIs, altered, refused}, reports.NotApplicable, 0},
		"from the beginning, no more": {[]string{one, oneIs, two, twoIs, fresh, newIs}, reports.Warn, 0},
	} {
		t.Run(name, func(t *testing.T) {
			r := due(t, "CL-13", name, test.want, lines(test.said...))
			if len(r.Observations) != test.remarked {
				t.Errorf("%+v", r.Observations)
			}
		})
	}
}

// TestCutOff: who ends while it sends has said nothing wrong by that.
func TestCutOff(t *testing.T) {
	const (
		list = `>{"jsonrpc":"2.0","id":1,"method":"resources/list"}`
		page = `<{"jsonrpc":"2.0","id":1,"result":{"resources":[]}}`
		half = `>{"jsonrpc":"2.0","id":2,"method":"resources/re`
		next = `>{"jsonrpc":"2.0","id":3,"method":"resources/list"}`
		word = `>bye`
	)
	posted := func(length string) []journal.Entry {
		all := lines(list, page, half)
		for i := range all {
			all[i].Transport, all[i].HTTP = hook.HTTP, &journal.HTTP{}
		}
		all[0].HTTP = &journal.HTTP{Method: http.MethodPost, Path: "/mcp"}
		all[2].HTTP = &journal.HTTP{Path: "/mcp", Method: http.MethodPost,
			Header: http.Header{"Content-Length": {length}}}
		return all
	}
	for name, test := range map[string]struct {
		said []journal.Entry
		want reports.Verdict
	}{
		"the last line":        {lines(list, page, half), reports.Pass},
		"a line before others": {lines(list, page, half, next), reports.Fail},
		"another last line":    {lines(list, page, word), reports.Fail},
		"a batch":              {lines(list, page, `>[{"jsonrpc":"2.0","id":2,"meth`), reports.Pass},
		"a body":               {posted("80"), reports.Pass},
		"a body in chunks":     {posted(""), reports.Pass},
		"a body that is whole": {posted(strconv.Itoa(len(half) - 1)), reports.Fail},
	} {
		t.Run(name, func(t *testing.T) {
			due(t, "CL-24", name, test.want, test.said)
		})
	}
}

// TestProgressThatWasAskedFor: the token may be that of a request of which not all is known any more.
func TestProgressThatWasAskedFor(t *testing.T) {
	const (
		hello = `>{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"_meta":{"progressToken":1}}}`
		ready = `<{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18"}}`
		asked = `<{"jsonrpc":"2.0","id":1,"method":"roots/list","params":{"_meta":{"progressToken":"%s"}}}`
		some  = `>{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"a",` +
			`"progress":1}}`
	)
	for token, want := range map[string]reports.Verdict{"a": reports.Pass, "b": reports.Fail,
		"cut": reports.Pass} {
		said := lines(hello, ready, fmt.Sprintf(asked, token), some)
		if token == "cut" {
			said[2].Raw = said[2].Raw[:20]
		}
		due(t, "CL-33", token, want, said)
	}
}

// TestNeighbours: who reads a listed URI as it is may read one that resembles it as well, as
// long as it is no other way to write the same.
func TestNeighbours(t *testing.T) {
	const (
		list   = `>{"jsonrpc":"2.0","id":1,"method":"resources/list"}`
		listed = `<{"jsonrpc":"2.0","id":1,"result":{"resources":[{"uri":"https://example.com/a%20b",` +
			`"name":"a"}]}}`
		read = `>{"jsonrpc":"2.0","id":2,"method":"resources/read",` +
			`"params":{"uri":"https://example.com/a%20b"}}`
		text  = `<{"jsonrpc":"2.0","id":2,"result":{"contents":[]}}`
		query = `>{"jsonrpc":"2.0","id":3,"method":"resources/read",` +
			`"params":{"uri":"https://example.com/a%20b?page=2"}}`
		decoded = `>{"jsonrpc":"2.0","id":3,"method":"resources/read",` +
			`"params":{"uri":"https://example.com/a b"}}`
		nothing = `<{"jsonrpc":"2.0","id":3,"error":{"code":-32002,"message":"not found"}}`
	)
	for name, test := range map[string]struct {
		said []string
		want reports.Verdict
	}{
		"a query instead":           {[]string{list, listed, query, nothing}, reports.Warn},
		"a query as well":           {[]string{list, listed, read, text, query, nothing}, reports.Pass},
		"another encoding instead":  {[]string{list, listed, decoded, nothing}, reports.Warn},
		"another encoding as well":  {[]string{list, listed, read, text, decoded, nothing}, reports.Warn},
		"the query, and then as is": {[]string{list, listed, query, nothing, read, text}, reports.Pass},
	} {
		t.Run(name, func(t *testing.T) {
			due(t, "CL-15", name, test.want, lines(test.said...))
		})
	}
}

// TestErasOnOneConnection: what has no metadata is counted to the conversation that it belongs
// to: neither a line that could not be read nor a second era draws a cancellation to itself.
func TestErasOnOneConnection(t *testing.T) {
	const (
		meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
			`"io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/` +
			`clientInfo":{"name":"x","version":"1"}}`
		mark  = ">\ufeff" + `{"jsonrpc":"2.0","id":1,"method":"server/discover"}`
		list  = `>{"jsonrpc":"2.0","id":2,"method":"resources/list","params":{` + meta + `}}`
		page  = `<{"jsonrpc":"2.0","id":2,"result":{"resources":[],"resultType":"complete"}}`
		probe = `>{"jsonrpc":"2.0","id":3,"method":"server/discover","params":{` + meta + `}}`
		hello = `>{"jsonrpc":"2.0","id":4,"method":"initialize","params":{"protocolVersion":"2025-06-18",` +
			`"capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`
		answer = `<{"jsonrpc":"2.0","id":4,"result":{"protocolVersion":"2025-06-18",` +
			`"capabilities":{"resources":{}},"serverInfo":{"name":"y","version":"1"}}}`
		ready  = `>{"jsonrpc":"2.0","method":"notifications/initialized"}`
		legacy = `>{"jsonrpc":"2.0","id":5,"method":"resources/list"}`
		pages  = `<{"jsonrpc":"2.0","id":5,"result":{"resources":[]}}`
		cancel = `>{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":`
	)
	stop := func(id string) string { return cancel + id + "}}" }
	for name, test := range map[string]struct {
		said []string
		want []string
	}{
		"an unreadable line first": {[]string{mark, list, page, stop("2")}, []string{"CL-24"}},
		"a probe that took too long": {[]string{probe, hello, answer, ready, stop("3"), legacy, pages},
			nil},
		"a request of the later era": {[]string{probe, hello, answer, ready, legacy, stop("5")}, nil},
		"what was sent in neither": {[]string{probe, hello, answer, ready, legacy, pages, stop("6")},
			[]string{"CL-22"}},
		"initialized is no request, but": {[]string{hello, answer,
			`>{"jsonrpc":"2.0","id":9,"method":"notifications/initialized"}`}, []string{"CL-24"}},
	} {
		t.Run(name, func(t *testing.T) {
			r := judged(t, lines(test.said...), clientcheck.Options{Ended: true, SingleClient: true,
				Only: []string{"CL-01", "CL-03", "CL-22", "CL-24"}})
			if got := red(r); len(got) != len(test.want) || len(got) > 0 && got[0] != test.want[0] {
				t.Errorf("red are %v", got)
			}
		})
	}
}

// TestEqualPings: two requests of a server with one id are two, and want two responses.
func TestEqualPings(t *testing.T) {
	const (
		ping = `<{"jsonrpc":"2.0","id":"p","method":"ping"}`
		pong = `>{"jsonrpc":"2.0","id":"p","result":{}}`
		list = `>{"jsonrpc":"2.0","id":%d,"method":"resources/list"}`
	)
	for name, test := range map[string]struct {
		said []string
		want reports.Verdict
	}{
		"both are answered":     {[]string{ping, ping, pong, pong}, reports.Pass},
		"one after the other":   {[]string{ping, pong, ping, pong}, reports.Pass},
		"there is one too many": {[]string{ping, ping, pong, pong, pong}, reports.Fail},
		"the second is not":     {[]string{ping, ping, pong}, reports.Fail},
	} {
		t.Run(name, func(t *testing.T) {
			said := append([]string{fmt.Sprintf(list, 100)}, test.said...)
			for i := range 4 { // by then a response is due
				said = append(said, fmt.Sprintf(list, i))
			}
			due(t, "CL-20", name, test.want, lines(said...))
		})
	}
}

// TestOfferedVersions: a client may offer what was, is or will be a version, and drafts.
func TestOfferedVersions(t *testing.T) {
	for version, want := range map[string]reports.Verdict{
		"2024-11-05": reports.Pass, "2026-07-28": reports.Pass, "2024-10-07": reports.Pass,
		"DRAFT-2026-v1": reports.Pass, "2099-01-01": reports.Pass,
		"2025-07-01": reports.Warn, "2024-01-01": reports.Warn, "1.0": reports.Warn, "latest": reports.Warn,
	} {
		hello := fmt.Sprintf(
			`>{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":%q,`+
				`"capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`, version)
		answer := `<{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18",` +
			`"capabilities":{"resources":{}},"serverInfo":{"name":"y","version":"1"}}}`
		due(t, "CL-04", version, want, lines(hello, answer))
	}
}
