package reference_test

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/mcpcheck/mcpcheck/internal/leaktest"
	"github.com/mcpcheck/mcpcheck/reference"
	"github.com/mcpcheck/mcpcheck/reference/journal"
)

// get opens an event stream.
func get(t *testing.T, url string, header ...string) (*bufio.Reader, func()) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Accept", "text/event-stream")
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatal(resp, err)
	}
	return bufio.NewReader(resp.Body), func() { _ = resp.Body.Close() }
}

// data is the data of the next event that has some.
func data(t *testing.T, in *bufio.Reader) string {
	t.Helper()
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		if text, ok := strings.CutPrefix(line, "data: "); ok && strings.TrimSpace(text) != "" {
			return strings.TrimSpace(text)
		}
	}
}

func TestHTTPAndSSEIsJournalled(t *testing.T) {
	leaktest.Check(t)
	s := reference.Start(t, notes())
	in, leave := get(t, s.SSEURL())
	endpoint := strings.TrimSuffix(s.SSEURL(), "/sse") + data(t, in)
	for _, message := range []string{strings.Replace(hello, "2025-11-25", "2024-11-05", 1), readNote} {
		if resp, _, err := post(t, endpoint, "", message); err != nil ||
			resp.StatusCode != http.StatusAccepted {
			t.Fatal(resp, err)
		}
		data(t, in)
	}
	session := s.Sessions()[0].ID
	for _, q := range []journal.Query{
		{Direction: journal.In, Transport: "sse", Session: session, Method: "resources/read", URI: "note:1",
			Match: func(e *journal.Entry) bool { return e.Revision == "2024-11-05" }},
		{Direction: journal.Out, Kinds: []journal.Kind{journal.Response}, Transport: "sse", Session: session,
			Method: "resources/read", Match: func(e *journal.Entry) bool {
				return e.Stream == "sse" && e.Failure() == nil
			}},
		{Kinds: []journal.Kind{journal.Event}, Session: session},
		{Kinds: []journal.Kind{journal.Opened}, Session: session, Match: func(e *journal.Entry) bool {
			return e.Scope == journal.ScopeConnection
		}},
	} {
		if err := s.Journal().Exactly(q, 1); err != nil {
			t.Error(err)
		}
	}
	leave()
	s.WaitForEntries(journal.Query{Kinds: []journal.Kind{journal.Closed}, Session: session,
		Match: func(e *journal.Entry) bool {
			return e.Reason == "client" && e.Scope == journal.ScopeConnection
		}}, 1)
}

func TestADroppedStreamCanBeResumed(t *testing.T) {
	leaktest.Check(t)
	s := reference.Start(t, notes())
	session := opened(t, s.URL())
	s.Fault("dropped-sse:method=resources/read:count=1")
	_, body, err := post(t, s.URL(), session, readNote)
	id := regexp.MustCompile(`id: (\S+)`).FindStringSubmatch(body)
	if err == nil || id == nil || strings.Contains(body, "one") {
		t.Fatal(body, err)
	}
	in, leave := get(t, s.URL(), "Mcp-Session-Id", session, "Last-Event-ID", id[1])
	defer leave()
	if got := data(t, in); !strings.Contains(got, `"text":"one"`) {
		t.Error(got)
	}
	if _, err := io.Copy(io.Discard, in); err != nil {
		t.Error(err)
	}
	s.WaitForEntries(journal.Query{Kinds: []journal.Kind{journal.Closed},
		Match: func(e *journal.Entry) bool { return e.Scope == journal.ScopeStream && e.Reason == "abort" }},
		1)
	s.WaitForEntries(journal.Query{Kinds: []journal.Kind{journal.Closed},
		Match: func(e *journal.Entry) bool { return e.Scope == journal.ScopeStream && e.Reason == "server" }},
		1)
	if err := s.Journal().Exactly(journal.Query{Direction: journal.In,
		Kinds: []journal.Kind{journal.HTTPRequest}, Match: func(e *journal.Entry) bool {
			return e.HTTP.Method == http.MethodGet && e.Header("Last-Event-ID") == id[1]
		}}, 1); err != nil {
		t.Error(err)
	}
}

func TestARequestThatItsClientLeavesIsJournalled(t *testing.T) {
	leaktest.Check(t)
	s := reference.Start(t, notes())
	session := opened(t, s.URL())
	s.Delay("1h:method=ping")
	in, leave := get(t, s.URL(), "Mcp-Session-Id", session)
	if line, err := in.ReadString('\n'); err != nil || !strings.HasPrefix(line, "id: ") {
		t.Fatal(line, err)
	}
	leave()
	s.WaitForEntries(journal.Query{Kinds: []journal.Kind{journal.Closed},
		Match: func(e *journal.Entry) bool { return e.Scope == journal.ScopeStream && e.Reason == "client" }},
		1)
}

func TestMembersOfABatchAreLimitedEach(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := reference.Start(t, notes(), reference.WithRevisions("2025-03-26"))
		c := dial(t, s)
		s.FailNext(1, "resources/read", -1, "no")
		if _, err := io.WriteString(c.conn, `[{"jsonrpc":"2.0","id":"a","method":"ping"},`+readNote+
			`,{"jsonrpc":"2.0","id":"b","method":"resources/read","params":{"uri":"note:2"}}]`+
			"\n"); err != nil {
			t.Fatal(err)
		}
		got := c.receive()
		want(t, got, `"id":"a","result"`)
		want(t, got, `"id":2,"error":{"code":-1`)
		want(t, got, `"text":"two"`)
		if err := s.Journal().Exactly(journal.Query{Kinds: []journal.Kind{journal.Batch}}, 2); err != nil {
			t.Error(err) // what came and what went
		}
	})
}

// TestTheJournalHasNoSecrets: neither where a client sent them nor where the server says them again, with the
// file of the journal as without.
func TestTheJournalHasNoSecrets(t *testing.T) {
	const token = "s3cr3t-of-the-client"
	var file bytes.Buffer
	for _, notes := range []*journal.Journal{journal.New(journal.Options{}),
		journal.New(journal.Options{Writer: &file})} {
		s := serve(t, reference.Options{Journal: notes})
		h := s.Handler()
		for _, came := range []struct {
			path, name, body string
		}{
			{"/mcp", "X-Auth-Token", ""}, {"/mcp?access_token=" + token, "", ""},
			{"/mcp", "Private-Token", ""},
			{"/mcp", "", `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"x:y",` +
				`"api_key":"` + token + `"}}`},
			{"/message?sessionId=x&sig=" + token, "", ""}, {"/sse?key=" + token, "Referer", ""},
		} {
			value := token
			if came.name == "Referer" {
				value = "https://app.example/?password=" + token
			}
			pairs := []string{"Accept", "application/json, text/event-stream", "Content-Type",
				"application/json", "Mcp-Session-Id", "none"}
			if came.name != "" {
				pairs = append(pairs, came.name, value)
			}
			method := http.MethodPost
			if strings.HasPrefix(came.path, "/sse") {
				method = http.MethodPut
			}
			exchange(h, method, came.path, []byte(came.body), header(pairs...))
		}
		// The server names what was not found.
		exchange(h, http.MethodPost, "/mcp",
			[]byte(strings.Replace(readNote, "note:hello", "note:"+token, 1)),
			header("Accept", "application/json, text/event-stream", "Content-Type", "application/json"))
		var shown bytes.Buffer
		if _, err := notes.WriteTo(&shown); err != nil {
			t.Fatal(err)
		}
		for what, kept := range map[string]string{"shown": shown.String(), "written": file.String()} {
			if at := strings.Index(kept, token); at >= 0 {
				t.Errorf("%s: %s", what, kept[max(0, at-300):min(len(kept), at+60)])
			}
		}
		if !strings.Contains(shown.String(), `"path":"/mcp?access_token=***"`) ||
			strings.Count(shown.String(), `"direction":"in"`) != 7 {
			t.Errorf("%s", &shown)
		}
	}
}
