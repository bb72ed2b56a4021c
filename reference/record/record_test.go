package record

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/mcpcheck/mcpcheck/reference"
	"github.com/mcpcheck/mcpcheck/reference/control"
	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/mcpcheck/mcpcheck/reference/operation"
	"github.com/mcpcheck/mcpcheck/reference/world"
)

// file is what a recorder writes to.
type file struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (f *file) Write(p []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.b.Write(p)
}

func (f *file) String() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.b.String()
}

func initialize(revision string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"` + revision +
		`","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`
}

// talk sends lines to a connection one by one and returns the answers, and with them the
// notifications that came before.
func talk(t *testing.T, conn io.ReadWriter, lines ...string) []string {
	t.Helper()
	var got []string
	dec := json.NewDecoder(conn)
	for _, line := range lines {
		if _, err := io.WriteString(conn, line+"\n"); err != nil {
			t.Fatal(err)
		}
		var sent struct{ ID json.RawMessage }
		if err := json.Unmarshal([]byte(line), &sent); err != nil {
			t.Fatal(err)
		}
		for sent.ID != nil {
			var raw json.RawMessage
			if err := dec.Decode(&raw); err != nil {
				t.Fatal(err)
			}
			got = append(got, string(raw))
			var m struct{ ID json.RawMessage }
			if json.Unmarshal(raw, &m) == nil && string(m.ID) == string(sent.ID) {
				break
			}
		}
	}
	return got
}

// recorded records a conversation over stdio with a server.
func recorded(t *testing.T, s *reference.TestServer, masks []*regexp.Regexp, lines ...string) (got []string,
	recording string) {
	t.Helper()
	var f file
	rec, err := NewRecorder(&f, Header{Server: "test", Transport: hook.Stdio}, masks)
	if err != nil {
		t.Fatal(err)
	}
	server, err := s.Pipe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	clientIn, toRecorder := io.Pipe()
	fromRecorder, clientOut := io.Pipe()
	done := make(chan error, 1)
	go func() {
		done <- rec.Stdio(t.Context(), clientIn, clientOut, halfCloser{server}, server)
		_ = clientOut.Close()
	}()
	got = talk(t, struct {
		io.Reader
		io.Writer
	}{fromRecorder, toRecorder}, lines...)
	_ = toRecorder.Close()
	go func() { _, _ = io.Copy(io.Discard, fromRecorder) }()
	if err := <-done; err != nil {
		t.Error(err)
	}
	_ = server.Close()
	return got, f.String()
}

type halfCloser struct{ reference.Conn }

func (h halfCloser) Close() error { return h.CloseWrite() }

func serve(t *testing.T, recording string) (*reference.Server, *Recording) {
	t.Helper()
	r, err := Read("talk", strings.NewReader(recording))
	if err != nil {
		t.Fatal(err)
	}
	s, err := r.Serve(reference.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s, r
}

func connect(t *testing.T, s *reference.Server) io.ReadWriter {
	t.Helper()
	c, err := s.Pipe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

const (
	initialized = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
	list        = `{"jsonrpc":"2.0","id":2,"method":"resources/list"}`
)

func read(id int, uri string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"resources/read","params":{"uri":%q}}`, id, uri)
}

// small is a server with two resources.
func small(t *testing.T) *reference.TestServer {
	t.Helper()
	w, err := reference.NamedWorld("small")
	if err != nil {
		t.Fatal(err)
	}
	return reference.Start(t, w)
}

// TestReplayGivesWhatWasRecorded: answers in their order, the last again and again, with the
// ids of the new requests; in every legacy revision.
func TestReplayGivesWhatWasRecorded(t *testing.T) {
	for _, revision := range []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"} {
		s := small(t)
		// The first read fails, so that two answers to the same request differ.
		s.FailNext(1, "resources/read", -32603, "busy")
		lines := []string{
			initialize(revision), initialized, list,
			`{"jsonrpc":"2.0","id":3,"method":"resources/templates/list","params":{}}`,
			read(4, "note:hello"), read(5, "note:nothing"), read(6, "note:hello"), read(7, "note:dot"),
		}
		want, recording := recorded(t, s, nil, lines...)
		again, r := serve(t, recording)
		if !slices.Equal(r.revisions(), []string{revision}) {
			t.Errorf("%v", r.revisions())
		}
		if got := talk(t, connect(t, again), lines...); !slices.Equal(got, want) {
			t.Errorf("%s:\n%s\nnot\n%s", revision, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		got := talk(t, connect(t, again), initialize(revision), read(11, "note:hello"),
			read(12, "note:hello"), read(13, "note:hello"), read(14, "note:hallo"),
			`{"jsonrpc":"2.0","id":15,"method":"resource/list"}`, `{"jsonrpc":"2.0","id":16,"method":"ping"}`)
		if strings.Replace(got[3], `"id":13`, `"id":12`, 1) != got[2] || !strings.Contains(got[2], "Hello") ||
			strings.Contains(got[1], "Hello") {
			t.Errorf("%s", strings.Join(got, "\n"))
		}
		if !strings.Contains(got[4], `the nearest is resources/read {\"uri\":\"note:hello\"}`) ||
			!strings.Contains(got[5], "there are resources/list") || !strings.Contains(got[6], `"result"`) {
			t.Errorf("%s", strings.Join(got[4:], "\n"))
		}
	}
}

// TestBytesThatAreNoText: an answer that is not UTF-8 is written down and served back as it was.
func TestBytesThatAreNoText(t *testing.T) {
	odd := "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"contents\":[{\"uri\":\"a:b\",\"text\":\"x\xffy\"}]}}"
	asked := read(2, "a:b")
	s := small(t)
	s.Inject(control.Rule{Limits: control.Limits{Method: "resources/read"},
		Do: []operation.Operation{{On: operation.OnRequest,
			Answer: &operation.Stub{Base64: base64.StdEncoding.EncodeToString([]byte(odd))}}}})
	got, recording := recorded(t, s, nil, initialize(hook.R20251125), asked)
	if len(got) != 2 || got[1] != odd || !utf8.ValidString(recording) {
		t.Fatalf("%q, recorded as %q", got, recording)
	}
	again, _ := serve(t, recording)
	if replayed := talk(t, connect(t, again), initialize(hook.R20251125), asked); !slices.Equal(replayed,
		got) {
		t.Errorf("replayed %q, not %q", replayed, got)
	}
}

func TestNotificationsFollowTheirAnswer(t *testing.T) {
	s := small(t)
	conn := []string{
		initialize("2025-06-18"), initialized,
		`{"jsonrpc":"2.0","id":2,"method":"resources/subscribe","params":{"uri":"note:hello"}}`,
	}
	var f file
	rec, err := NewRecorder(&f, Header{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	server, err := s.Pipe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	clientIn, toRecorder := io.Pipe()
	fromRecorder, clientOut := io.Pipe()
	done := make(chan error, 1)
	go func() {
		done <- rec.Stdio(t.Context(), clientIn, clientOut, halfCloser{server}, server)
		_ = clientOut.Close()
	}()
	both := struct {
		io.Reader
		io.Writer
	}{fromRecorder, toRecorder}
	talk(t, both, conn...)
	go s.Touch("note:hello")
	dec := json.NewDecoder(fromRecorder)
	var raw json.RawMessage
	if err := dec.Decode(&raw); err != nil || !strings.Contains(string(raw), "resources/updated") {
		t.Fatalf("%s %v", raw, err)
	}
	_ = toRecorder.Close()
	go func() { _, _ = io.Copy(io.Discard, fromRecorder) }()
	if err := <-done; err != nil {
		t.Error(err)
	}
	_ = server.Close()
	again, _ := serve(t, f.String())
	c := connect(t, again)
	if _, err := io.WriteString(c, strings.Join(conn, "\n")+"\n"); err != nil {
		t.Fatal(err)
	}
	var order []string
	for dec := json.NewDecoder(c); len(order) < 3; order = append(order, string(raw)) {
		if err := dec.Decode(&raw); err != nil {
			t.Fatal(err)
		}
	}
	// The two answers may change places, since the client has not waited.
	at := func(part string) int {
		return slices.IndexFunc(order, func(m string) bool { return strings.Contains(m, part) })
	}
	if subscribed, updated := at(`"id":2`), at("resources/updated"); subscribed < 0 || updated < subscribed {
		t.Error(strings.Join(order, "\n"))
	}
}

func TestMasks(t *testing.T) {
	s := small(t)
	got, recording := recorded(t, s, []*regexp.Regexp{regexp.MustCompile(`Hel+o|id-\d+`)},
		initialize("2025-11-25"), initialized,
		`{"jsonrpc":"2.0","id":"id-77","method":"resources/read","params":{"uri":"note:hello"}}`)
	if !strings.Contains(got[1], "Hello") {
		t.Error("the client got a masked answer")
	}
	if strings.Contains(recording, "Hello") || strings.Contains(recording, "id-77") ||
		!strings.Contains(recording, `***, world!`) {
		t.Error(recording)
	}
}

func TestWhatIsNoRecording(t *testing.T) {
	head := `{"format":"mockserver.recording/1","started":"2026-01-01T00:00:00Z"}` + "\n"
	for _, test := range []struct{ data, want string }{
		{"", "talk is no recording, but empty"},
		{"hello\n", "talk is no recording: a recording begins"},
		{"{}\n", "talk is no recording: a recording begins"},
		{`{"seq":1,"kind":"opened"}` + "\n", "talk is a journal and no recording"},
		{`{"format":"mockserver.recording/2"}` + "\n",
			"has the format mockserver.recording/2, and only mockserver.recording/1"},
		{`{"format":"other/1"}` + "\n", "is no recording"},
		{head, "nothing was recorded in it"},
		{head + "nonsense\n", "talk:2: this is no entry"},
		{head + "{}\n", "talk:2: this is no entry of a recording: it has no kind"},
	} {
		if _, err := Read("talk", strings.NewReader(test.data)); err == nil ||
			!strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v", test.data, err)
		}
	}
	_, recording := recorded(t, small(t), nil, initialize("2025-11-25"), initialized, list)
	r, err := Read("talk", strings.NewReader(recording+`{"seq":9,"ki`))
	if err != nil || !r.Cut {
		t.Errorf("%v", err)
	}
	future := strings.ReplaceAll(recording, "2025-11-25", "2031-01-01")
	if r, err = Read("talk", strings.NewReader(future)); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Serve(reference.Options{}); err == nil || !strings.Contains(err.Error(), "2031-01-01") {
		t.Error(err)
	}
}

// TestWorldOfARecording: what is served from the world is what was recorded.
func TestWorldOfARecording(t *testing.T) {
	w := reference.DefaultWorld()
	w.PageSize = 2
	s := reference.Start(t, w)
	lines := []string{initialize("2025-11-25"), initialized}
	var reads []string
	cursor, id := "", 100
	for { // the pages, to know the cursors
		line := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"resources/list","params":{%s}}`, id, cursor)
		lines = append(lines, line)
		got, _ := recorded(t, s, nil, lines...)
		var page struct {
			Result struct {
				Resources  []struct{ URI string }
				NextCursor *string
			}
		}
		if err := json.Unmarshal([]byte(got[len(got)-1]), &page); err != nil {
			t.Fatal(err)
		}
		for _, r := range page.Result.Resources {
			id++
			reads = append(reads, read(id, r.URI))
		}
		if id++; page.Result.NextCursor == nil {
			break
		}
		cursor = fmt.Sprintf(`"cursor":%q`, *page.Result.NextCursor)
	}
	want, recording := recorded(t, s, nil, append(lines, reads...)...)
	r, err := Read("talk", strings.NewReader(recording))
	if err != nil {
		t.Fatal(err)
	}
	made, notes, err := r.World()
	if err != nil {
		t.Fatal(err)
	}
	data, err := EncodeWorld(made)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := world.Parse("made.yaml", data)
	if err != nil {
		t.Fatalf("%v\n%s", err, data)
	}
	if parsed.PageSize != 2 || len(notes) != 0 {
		t.Errorf("page size %d, %q", parsed.PageSize, notes)
	}
	again := reference.Start(t, parsed)
	conn := again.Connect()
	t.Cleanup(func() { _ = conn.Close() })
	got := talk(t, conn, append([]string{initialize("2025-11-25"), initialized}, reads...)...)
	for i, line := range got[1:] {
		if was := want[len(want)-len(reads)+i]; was != line {
			t.Errorf("%s\nnot\n%s", line, was)
		}
	}
}

// post sends a message to an endpoint and returns the body of the answer.
func post(t *testing.T, url, session, revision, body string) (answer, id string, resp *http.Response) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{
		"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
		"Authorization": "Bearer top-secret-token",
		headerSession:   session, "Mcp-Protocol-Version": revision, "Cookie": "a=top-secret-cookie",
	} {
		if value != "" {
			req.Header.Set(name, value)
		}
	}
	if revision == hook.R20260728 {
		var m struct {
			Method string
			Params struct{ URI string }
		}
		_ = json.Unmarshal([]byte(body), &m)
		req.Header.Set("Mcp-Method", m.Method)
		if m.Params.URI != "" {
			req.Header.Set("Mcp-Name", m.Params.URI)
		}
	}
	if resp, err = http.DefaultClient.Do(req); err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	if err != nil {
		t.Fatal(err)
	}
	return string(data), resp.Header.Get(headerSession), resp
}

func modern(id int, method, params string) string {
	if params != "" {
		params += ","
	}
	return fmt.Sprintf(
		`{"jsonrpc":"2.0","id":%d,"method":%q,"params":{%s"_meta":{"io.modelcontextprotocol/`+
			`protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},`+
			`"io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"}}}}`, id, method, params)
}

// proxied records what goes to a server over HTTP: at which URL, and into what file.
func proxied(t *testing.T, url string) (string, *file) {
	t.Helper()
	f := &file{}
	rec, err := NewRecorder(f, Header{Transport: hook.HTTP}, nil)
	if err != nil {
		t.Fatal(err)
	}
	proxy, err := rec.Proxy(url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(proxy.Close)
	web := httptest.NewServer(proxy)
	t.Cleanup(web.Close)
	return web.URL + proxy.Path(), f
}

// TestHTTP: both eras through a proxy, replayed over HTTP.
func TestHTTP(t *testing.T) {
	s := small(t)
	url, f := proxied(t, s.URL())
	play := func(url string) []string {
		var got []string
		say := func(session, revision, body string) string {
			answer, id, _ := post(t, url, session, revision, body)
			got = append(got, answer)
			return id
		}
		id := say("", "", initialize("2025-11-25"))
		say(id, "2025-11-25", initialized)
		say(id, "2025-11-25", list)
		say(id, "2025-11-25", read(3, "note:hello"))
		say("", hook.R20260728, modern(4, "server/discover", ""))
		say("", hook.R20260728, modern(5, "resources/read", `"uri":"note:dot"`))
		say("", hook.R20260728, modern(6, "resources/read", `"uri":"note:none"`))
		return got
	}
	want := play(url)
	recording := f.String()
	for _, secret := range []string{"top-secret-token", "top-secret-cookie"} {
		if strings.Contains(recording, secret) {
			t.Errorf("%s is in the recording", secret)
		}
	}
	again, r := serve(t, recording)
	if !slices.Equal(r.revisions(), []string{"2025-11-25", "2026-07-28"}) {
		t.Errorf("%v", r.revisions())
	}
	there := httptest.NewServer(again.Handler())
	defer there.Close()
	if got := play(there.URL + "/mcp"); !slices.Equal(got, want) {
		t.Errorf("\n%s\nnot\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if w, _, err := r.World(); err != nil || w.Server.Name == "" || len(w.Resources) != 2 {
		t.Errorf("%+v %v", w, err)
	}
	http.DefaultClient.CloseIdleConnections()
}

// TestListenStreams: what came on a listen stream comes again, with the id of the new request.
func TestListenStreams(t *testing.T) {
	s := small(t)
	url, f := proxied(t, s.URL())
	events := func(url string, id int, trigger func()) string {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, url,
			strings.NewReader(modern(id, "subscriptions/listen",
				`"notifications":{"resourceSubscriptions":["note:hello"]}`)))
		if err != nil {
			t.Fatal(err)
		}
		for name, value := range map[string]string{
			"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
			"Mcp-Protocol-Version": hook.R20260728, "Mcp-Method": "subscriptions/listen",
		} {
			req.Header.Set(name, value)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = resp.Body.Close() }()
		var all strings.Builder
		buf := make([]byte, 4096)
		for !strings.Contains(all.String(), "resources/updated") {
			n, err := resp.Body.Read(buf)
			all.Write(buf[:n])
			if err != nil {
				t.Errorf("%v after %s", err, &all)
				break
			}
			if trigger != nil && strings.Contains(all.String(), "acknowledged") {
				trigger()
				trigger = nil
			}
		}
		return all.String()
	}
	events(url, 41, func() { s.Touch("note:hello") })
	again, _ := serve(t, f.String())
	there := httptest.NewServer(again.Handler())
	defer there.Close()
	if got := events(there.URL+"/mcp", 42, nil); strings.Contains(got, "41") ||
		strings.Count(got, `subscriptionId":42`) != 2 && strings.Count(got, `subscriptionId":"42"`) != 2 {
		t.Error(got)
	}
	http.DefaultClient.CloseIdleConnections()
}
