package admin

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"strings"
	"testing"
	"time"

	"github.com/mcpcheck/mcpcheck/reference"
	"github.com/mcpcheck/mcpcheck/reference/control"
)

func TestListenIsForThisMachineOnly(t *testing.T) {
	for _, addr := range []string{"127.0.0.1:0", "localhost:0"} {
		l, err := Listen(t.Context(), addr, Options{})
		if err != nil {
			t.Errorf("%s: %v", addr, err)
			continue
		}
		_ = l.Close()
	}
	for _, addr := range []string{":0", "0.0.0.0:0", "192.0.2.1:0", "[::]:0", "example.org:80", "127.0.0.1",
		""} {
		l, err := Listen(t.Context(), addr, Options{})
		if err == nil {
			_ = l.Close()
			t.Errorf("%q is listened on", addr)
		} else if !strings.Contains(err.Error(), "127.0.0.1:0") {
			t.Errorf("%q: %v", addr, err)
		}
	}
}

func TestRequestsAreReadStrictly(t *testing.T) {
	s := reference.Start(t, reference.DefaultWorld())
	api := New(s.Server, Options{})
	for _, test := range []struct {
		method, path, body string
		status             int
		code, field        string
	}{
		{"PUT", "/resource", `{"uri":"a:b","name":"n","colour":1}`, 422, CodeUnknownField, "colour"},
		{"PUT", "/resource", `{"uri":"a:b","name":"n","annotations":{"colour":1}}`, 422, CodeUnknownField,
			"colour"},
		{"PUT", "/resource", `{"name":"n"}`, 422, CodeInvalid, "uri"},
		{"PUT", "/resource", `{"uri":"a:b","uri":"a:c","name":"n"}`, 400, CodeInvalidJSON, "uri"},
		{"PUT", "/resource", `uri: a`, 400, CodeInvalidJSON, ""},
		{"PUT", "/resource", `[]`, 422, CodeInvalid, ""},
		{"PUT", "/resource", `null`, 422, CodeInvalid, ""},
		{"PUT", "/resource", ``, 400, CodeInvalidJSON, ""},
		{"PUT", "/resource", `{"uri":"a:b","name":"n","file":"/etc/passwd"}`, 422, CodeInvalid, "file"},
		{"PATCH", "/resource?uri=note:shopping", `{"title":1,"colour":2}`, 422, CodeUnknownField, "colour"},
		{"PATCH", "/resource", `{}`, 400, CodeParameter, "uri"},
		{"PATCH", "/resource?uri=none:1", `{}`, 404, CodeNotFound, "uri"},
		{"PATCH", "/template?uriTemplate=none", `{}`, 404, CodeNotFound, "uriTemplate"},
		{"GET", "/resource?uri=a&colour=b", "", 400, CodeParameter, "colour"},
		{"GET", "/resource?uri=a&uri=b", "", 400, CodeParameter, "uri"},
		{"GET", "/resources?limit=-1", "", 400, CodeParameter, "limit"},
		{"POST", "/reset", `{"world":1}`, 422, CodeUnknownField, "world"},
		{"POST", "/touch", `{}`, 422, CodeInvalid, "uri"},
		{"POST", "/touch", `{"uri":1}`, 422, CodeInvalid, "uri"},
		{"POST", "/rules", `{"fault":"nothing"}`, 422, CodeInvalid, "fault"},
		{"POST", "/rules", `{"fault":"page-01-null-cursor","colour":1}`, 422, CodeUnknownField, "colour"},
		{"POST", "/rules", `{"fail":{"cod":1}}`, 422, CodeUnknownField, "fail.cod"},
		{"POST", "/rules", `{"delay":"soon"}`, 422, CodeInvalid, "delay"},
		{"POST", "/rules", `{"delay":"1s","count":-1}`, 422, CodeInvalid, "count"},
		{"PUT", "/states", `{"states":{"a b":"c"}}`, 422, CodeInvalid, "states"},
		{"POST", "/rules", `{}`, 422, CodeInvalid, ""},
		{"POST", "/rules", `{"do":[{"silence":true},{"set":"params.a"}]}`, 422, CodeInvalid, "do.1.set"},
		{"POST", "/rules", `{"do":[{"silence":true,"when":[{"at":"result","type":"text"}]}]}`, 422,
			CodeInvalid, "do.0.when.0.type"},
		{"POST", "/rules", `{"do":[{"silnce":true}]}`, 422, CodeUnknownField, "do.0.silnce"},
		{"POST", "/rules", `{"do":[{"on":"request","delay":"soon"}]}`, 422, CodeInvalid, "do.0.delay"},
		{"POST", "/rules", `{"do":[{"silence":true}],"fault":"reset"}`, 422, CodeInvalid, ""},
		{"GET", "/rules/none", "", 404, CodeNotFound, "id"},
		{"DELETE", "/sessions/none", "", 404, CodeNotFound, "id"},
		{"GET", "/journal?direction=up", "", 400, CodeParameter, "direction"},
		{"GET", "/journal?kind=other", "", 400, CodeParameter, "kinds"},
		{"GET", "/journal?since=x", "", 400, CodeParameter, "since"},
		{"GET", "/journal?newest=x", "", 400, CodeParameter, "newest"},
		{"POST", "/journal/wait", `{"query":{"kinds":["x"]}}`, 422, CodeInvalid, "query.kinds"},
		{"POST", "/journal/wait", `{"timeout":"2h"}`, 422, CodeInvalid, "timeout"},
		{"POST", "/journal/wait", `{"timeout":5}`, 422, CodeInvalid, "timeout"},
		{"POST", "/journal/assert", `{}`, 422, CodeInvalid, ""},
		{"POST", "/journal/assert", `{"inOrder":[{"limit":-1}]}`, 422, CodeInvalid, "inOrder.0.limit"},
		{"POST", "/verify", `{"strict":true,"lenient":true}`, 422, CodeUnknownField, "lenient"},
		{"POST", "/verify", `{}`, 404, CodeNotFound, ""}, // nobody is there to judge
		{"GET", "/verify", "", 405, CodeMethod, ""},
		{"POST", "/namespaces", `{"name":"a/b"}`, 422, CodeInvalid, ""},
		{"POST", "/namespaces", `{"name":"a","world":"./secret.yaml"}`, 422, CodeInvalid, "world"},
		{"POST", "/namespaces", `{"name":"a","world":7}`, 422, CodeInvalid, "world"},
		{"POST", "/namespaces",
			`{"name":"a","world":{"resources":[{"uri":"a:b","name":"b","file":"/etc/passwd"}]}}`, 422,
			CodeInvalid, "world.resources[0].file"},
		{"POST", "/namespaces", `{"name":"a","world":{"colour":1}}`, 422, CodeUnknownField, "world.colour"},
		{"POST", "/namespaces", `{"name":"a","faults":["nothing"]}`, 422, CodeInvalid, ""},
		{"GET", "/oauth/grants", "", 404, CodeNotFound, ""},
		{"POST", "/oauth/expire", `{}`, 404, CodeNotFound, ""},
		{"GET", "/namespaces/a", "", 404, CodeNotFound, "name"},
		{"GET", "/namespaces/a/rules", "", 404, CodeNotFound, "name"},
		{"GET", "/", "", 404, CodeNotFound, ""},
	} {
		r := httptest.NewRequest(test.method, test.path, strings.NewReader(test.body))
		r.Host = "localhost:1"
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		api.ServeHTTP(w, r)
		var got Refusal
		if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil {
			t.Errorf("%s %s: %v", test.method, test.path, err)
		}
		if w.Code != test.status || got.Error.Code != test.code || got.Error.Field != test.field ||
			got.Error.Message == "" {
			t.Errorf("%s %s %s: %d %+v", test.method, test.path, test.body, w.Code, got.Error)
		}
	}
}

// TestTheRightMemberIsNamed: a misspelt member is told with the one that was meant, also within others.
func TestTheRightMemberIsNamed(t *testing.T) {
	for body, want := range map[string]string{
		`{"fualt":"reset"}`:        `unknown member "fualt": did you mean fault?`,
		`{"do":[{"silnce":true}]}`: "did you mean silence?",
		`{"delay":5}`: `delay must be a string with a unit, such as ` +
			`"3s" or "500ms", not a number`,
		`{"do":[{"delay":5}]}`:                          `do.0.delay must be a string with a unit`,
		`{"delay":"1s","whle":{"a":"b"}}`:               "did you mean while?",
		`{"do":[{"on":"request","answer":{"rwa":""}}]}`: "did you mean raw?",
	} {
		err := decode([]byte(body), &control.Rule{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, not %q", body, err, want)
		}
	}
}

func TestWhoMayCall(t *testing.T) {
	s := reference.Start(t, reference.DefaultWorld())
	for _, test := range []struct {
		name   string
		host   string
		header map[string]string
		want   int
	}{
		{"loopback", "127.0.0.1:9", nil, 200},
		{"IPv6", "[::1]:9", nil, 200},
		{"name", "localhost", nil, 200},
		{"rebound", "evil.example:9", nil, 403},
		{"other address", "192.0.2.1:9", nil, 403},
		{"own page", "localhost:9", map[string]string{"Origin": "http://localhost:9"}, 200},
		{"other page", "localhost:9", map[string]string{"Origin": "http://evil.example"}, 403},
		{"opaque", "localhost:9", map[string]string{"Origin": "null"}, 403},
		{"cross-site", "localhost:9", map[string]string{"Sec-Fetch-Site": "cross-site"}, 403},
	} {
		r := httptest.NewRequest("GET", "/health", nil)
		r.Host = test.host
		for name, value := range test.header {
			r.Header.Set(name, value)
		}
		w := httptest.NewRecorder()
		New(s.Server, Options{}).ServeHTTP(w, r)
		if w.Code != test.want {
			t.Errorf("%s: %d", test.name, w.Code)
		}
		if w.Header().Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s: CORS", test.name)
		}
		w = httptest.NewRecorder()
		r.Header.Set("Authorization", "Bearer wrong")
		New(s.Server, Options{Token: "right"}).ServeHTTP(w, r)
		if want := max(test.want, 401); w.Code != want || want == 401 &&
			w.Header().Get("WWW-Authenticate") == "" {
			t.Errorf("%s with a wrong token: %d", test.name, w.Code)
		}
	}
	r := httptest.NewRequest("PUT", "/resource", io.LimitReader(endless{}, MaxBody+1))
	r.Host = "localhost"
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	New(s.Server, Options{}).ServeHTTP(w, r)
	if w.Code != http.StatusRequestEntityTooLarge {
		t.Errorf("a long body: %d", w.Code)
	}
}

// TestRemote: an address that others can call is for those who have the token, by any name.
func TestRemote(t *testing.T) {
	s := reference.Start(t, reference.DefaultWorld())
	for _, test := range []struct {
		local, host   string
		token, header string
		hosts         []string
		want          int
	}{
		{"192.0.2.1", "mock:9", "right", "right", nil, 200},
		{"192.0.2.1", "mock:9", "right", "wrong", nil, 401},
		{"192.0.2.1", "mock:9", "", "", nil, 403},
		{"127.0.0.1", "mock:9", "right", "right", nil, 403},
		{"127.0.0.1", "mock:9", "right", "right", []string{"mock"}, 200},
		{"127.0.0.1", "other:9", "", "", []string{"mock"}, 403},
		{"127.0.0.1", "other:9", "", "", []string{"*"}, 200},
	} {
		at := context.WithValue(t.Context(), http.LocalAddrContextKey,
			net.Addr(&net.TCPAddr{IP: net.ParseIP(test.local)}))
		r := httptest.NewRequestWithContext(at, "GET", "/health", nil)
		r.Host = test.host
		r.Header.Set("Authorization", "Bearer "+test.header)
		w := httptest.NewRecorder()
		New(s.Server, Options{Token: test.token, AllowedHosts: test.hosts}).ServeHTTP(w, r)
		if w.Code != test.want {
			t.Errorf("%+v: %d", test, w.Code)
		}
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}

func TestServeEndsWhatWaits(t *testing.T) {
	s := reference.Start(t, reference.DefaultWorld())
	l, err := Listen(t.Context(), "127.0.0.1:0", Options{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- New(s.Server, Options{}).Serve(ctx, l) }()
	// The server asks for the body when the request is being handled.
	begun := make(chan struct{})
	trace := &httptrace.ClientTrace{Got100Continue: func() { close(begun) }}
	client := &http.Client{Transport: &http.Transport{ExpectContinueTimeout: time.Minute}}
	defer client.CloseIdleConnections()
	req, err := http.NewRequestWithContext(httptrace.WithClientTrace(t.Context(), trace), http.MethodPost,
		"http://"+l.Addr().String()+"/journal/wait", strings.NewReader(`{"timeout":"50s"}`))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Expect", "100-continue")
	answered := make(chan string, 1)
	go func() {
		resp, err := client.Do(req)
		if err != nil {
			answered <- err.Error()
			return
		}
		data, _ := io.ReadAll(resp.Body) // what was read is judged
		_ = resp.Body.Close()
		answered <- string(data)
	}()
	<-begun
	cancel()
	select {
	case err := <-done:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(5 * time.Second):
		t.Fatal("it does not end")
	}
	if got := <-answered; !strings.Contains(got, `"met":false`) {
		t.Error(got)
	}
}
