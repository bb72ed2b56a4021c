package journal_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"testing"

	"github.com/mcpcheck/mcpcheck/reference/journal"
)

// came notes a request of a client, and left what the server says.
func came(j *journal.Journal, path, body string, header http.Header) {
	e := &journal.Entry{Direction: journal.In, HTTP: &journal.HTTP{Method: "POST", Path: path,
		Header: header}}
	e.Classify([]byte(body))
	j.Note(e, []byte(body))
}

func left(j *journal.Journal, body string, header http.Header) {
	e := &journal.Entry{Direction: journal.Out, HTTP: &journal.HTTP{Status: 200, Header: header}}
	e.Classify([]byte(body))
	j.Note(e, []byte(body))
}

// kept is all that a journal keeps, which must be the same as what it writes and shows.
func kept(t *testing.T, fill func(j *journal.Journal)) string {
	t.Helper()
	var written, seen bytes.Buffer
	watched := journal.New(journal.Options{Writer: &written,
		Tap: func(e *journal.Entry, message []byte) { fmt.Fprintf(&seen, "%v%s%s", e.HTTP, e.Raw, message) }})
	plain := journal.New(journal.Options{})
	fill(watched)
	fill(plain)
	without := func(b []byte) string { // the time
		var lines []string
		for line := range strings.Lines(string(b)) {
			var e map[string]any
			if err := json.Unmarshal([]byte(line), &e); err != nil {
				t.Fatalf("%v: %s", err, line)
			}
			delete(e, "time")
			lines = append(lines, fmt.Sprint(e))
		}
		return strings.Join(lines, "\n")
	}
	var shown bytes.Buffer
	if _, err := plain.WriteTo(&shown); err != nil {
		t.Fatal(err)
	}
	if without(shown.Bytes()) != without(written.Bytes()) {
		t.Errorf("shown is\n%s\nwritten\n%s", without(shown.Bytes()), without(written.Bytes()))
	}
	return shown.String() + written.String() + seen.String()
}

// TestNamesThatTell: what has such a name is hidden from either side, and nothing else.
func TestNamesThatTell(t *testing.T) {
	const value = "abcdef-123456"
	rpc := func(params string) string {
		return `{"jsonrpc":"2.0","id":1,"method":"x","params":{` + params + `}}`
	}
	for _, test := range []struct {
		hidden     bool
		path, body string
		header     http.Header
	}{
		{true, "", "", http.Header{"x-auth-token": {value}}},
		{true, "", "", http.Header{"X-AUTH-TOKEN": {"a", value}}},
		{true, "", "", http.Header{"Set-Cookie": {"sid=" + value}}},
		{true, "", "", http.Header{"Location": {"http://x.example/cb?state=1&code=" + value + "&x=y"}}},
		{true, "", "", http.Header{"Location": {"https://x.example/#access_token=" + value}}},
		{true, "", "", http.Header{"Www-Authenticate": {`Bearer realm="x", token="` + value +
			`", error="y"`}}},
		{true, "", "", http.Header{"Www-Authenticate": {`Bearer resource_metadata="http://x.example/m?key=` +
			value + `"`}}},
		{true, "", "", http.Header{"Link": {"<http://x.example/?sig=" + value + ">; rel=next"}}},
		{true, "", "", http.Header{"Referer": {"http://" + value + "@x.example/"}}},
		{true, "/mcp?x=1&ACCESS_TOKEN=" + value, "", nil},
		{true, "/mcp?token=a,b;" + value, "", nil},
		{true, "/mcp?auth%255Btoken%255D=" + value, "", nil},
		{true, "", "/message?sessionId=1&token=" + value, nil}, // the endpoint event of HTTP+SSE
		{true, "", "client_id=x&client_secret=" + value, nil},
		{true, "", rpc(`"Api-Key":"` + value + `"`), nil},
		{true, "", rpc(`"\u0074oken":"` + value + `"`), nil},
		{true, "", rpc(`"password" : [ "a" , "` + value + `" ]`), nil},
		{true, "", `[` + rpc(`"token":"x"`) + `,` + rpc(`"token":"`+value+`"`) + `]`, nil},
		{true, "", `{"access_token":"` + value + `","token_type":"Bearer"}`, nil},
		{true, "", `{"code":"` + value + `"}`, nil},
		{true, "", `{"token":"` + value + strings.Repeat("x", journal.DefaultMaxRaw), nil},
		{true, "", `no JSON: "secret": "` + value + `"`, nil},
		{false, "", "", http.Header{"Mcp-Session-Id": {value}, "X-Total-Keys": {value}, "Etag": {value}}},
		{false, "", "", http.Header{"Www-Authenticate": {`Bearer resource_metadata="http://` + value +
			`/m"`}}},
		{false, "/message?sessionId=" + value + "&max_tokens=" + value, "", nil},
		{false, "", rpc(`"cursor":"` + value + `"`), nil},
		{false, "", rpc(`"uri":"note:` + value + `?token=` + value + `"`), nil},
		{false, "", rpc(`"_meta":{"progressToken":"` + value + `"}`), nil},
		{false, "", rpc(`"tokenCount":"` + value + `","max_tokens":"` + value + `"`), nil},
		{false, "", rpc(`"token":{"type":"string","title":"` + value + `"}`), nil}, // a schema
		{false, "", rpc(`"author":"` + value + `","code":"` + value + `"`), nil},
		{false, "", `{"jsonrpc":"2.0","id":1,"result":{"nextCursor":"` + value +
			`","contents":[{"text":"{\"a\": \"` + value + `\"}"}]}}`, nil},
		{false, "", `{"authorization_servers":["` + value + `"],"token_endpoint":"` + value + `"}`, nil},
	} {
		for side, note := range map[string]func(*journal.Journal){
			"in": func(j *journal.Journal) { came(j, test.path, test.body, test.header) },
			"out": func(j *journal.Journal) {
				if test.path == "" {
					left(j, test.body, test.header)
				}
			},
		} {
			if side == "out" && test.path != "" {
				continue
			}
			got := kept(t, note)
			if strings.Contains(got, value) == test.hidden {
				t.Errorf("%s: %s %s %v became\n%s", side, test.path, test.body[:min(200, len(test.body))],
					test.header, got[:min(400, len(got))])
			}
		}
	}
}

// TestEchoesInJournals: what a client sent as a secret is hidden later, and in other sessions, without
// blotting out what the conversation is read by.
func TestEchoesInJournals(t *testing.T) {
	const token = "abcdef-123456"
	said := `{"jsonrpc":"2.0","id":"` + token + `","result":{"` + token +
		`":1,"n":12345678,"protocolVersion":"2025-11-25","text":"` + token + ` short resources/list"}}`
	for _, test := range []struct{ header, want string }{
		{token, `{"jsonrpc":"2.0","id":"***","result":{"` + token +
			`":1,"n":12345678,"protocolVersion":"2025-11-25","text":"*** short resources/list"}}`},
		{"short", said}, {"12345678", said}, {`"jsonrpc":"2.0"`, said}, {`:1,"n":12`, said},
		{"2025-11-25", said},
	} {
		got := kept(t, func(j *journal.Journal) {
			came(j, "/mcp", `{"jsonrpc":"2.0","id":1,"method":"resources/list"}`,
				http.Header{"X-Token": {test.header, "resources/list", "application/json"}})
			for range 3 {
				left(j, said, http.Header{"Content-Type": {"application/json"}, "Mcp-Session-Id": {token}})
			}
		})
		want := test.want
		if test.header != token {
			want = strings.ReplaceAll(said, "resources/list", "***")
		} else {
			want = strings.ReplaceAll(want, "resources/list", "***")
		}
		for _, part := range []string{want, `"method":"resources/list"`,
			`"Content-Type":["application/json"]`, `"Mcp-Session-Id":["` + token} {
			if !strings.Contains(got, part) {
				t.Errorf("%s: no %s in\n%s", test.header, part, got)
			}
		}
	}
}

// TestSharedAnswersHaveNoEchoes: they were rendered before somebody sent a secret that is in them.
func TestSharedAnswersHaveNoEchoes(t *testing.T) {
	rest := journal.NewShared([]byte(`"result":{"text":"abcdef-123456","password":"hunter2"}}`))
	j := journal.New(journal.Options{})
	note := func() {
		j.NoteAnswer(&journal.Entry{Kind: journal.Response, Direction: journal.Out,
			Raw: []byte(`{"jsonrpc":"2.0","id":1,`)}, rest)
	}
	note()
	came(j, "", "", http.Header{"Authorization": {"Bearer abcdef-123456"}})
	note()
	var b bytes.Buffer
	if _, err := j.WriteTo(&b); err != nil || strings.Count(b.String(), "abcdef-123456") != 1 ||
		strings.Contains(b.String(), "hunter2") ||
		!strings.Contains(b.String(), `{"text":"***","password":"***"}`) ||
		strings.Contains(b.String(), "truncated") {
		t.Errorf("%v\n%s", err, &b)
	}
	if string(rest.Bytes()) != `"result":{"text":"abcdef-123456","password":"hunter2"}}` {
		t.Errorf("the answer was changed: %s", rest.Bytes())
	}
}

// TestSecretsAreBounded: of many the newest are known, in bounded memory.
func TestSecretsAreBounded(t *testing.T) {
	j := journal.New(journal.Options{})
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for i := range 500 {
		token := fmt.Sprintf("token-%08d", i)
		came(j, "/mcp?key="+token, "", http.Header{"Authorization": {"Bearer " + token}})
		left(j, `{"jsonrpc":"2.0","id":1,"result":{"text":"`+token+`"}}`, nil)
	}
	// of which no depth is looked at
	for _, nested := range []string{"a=", "a=+", "a=%61", `{"a":"`, `"`, `\"`, "[", "https://a@"} {
		came(j, strings.Repeat(nested, 20_000), strings.Repeat(nested, 20_000), nil)
	}
	for range 20 {
		came(j, "/mcp", "", http.Header{"Cookie": {strings.Repeat("a=0123456789abcdef; ", 1000)},
			"X-Token": {strings.Repeat("x", 1<<20)}})
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 100<<20 {
		t.Errorf("%d bytes", grown)
	}
	var b bytes.Buffer
	if _, err := j.WriteTo(&b); err != nil || strings.Contains(b.String(), "token-0") {
		t.Errorf("%v, and a token is in it", err)
	}
}
