package session

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/transport"
	"github.com/tidwall/gjson"
)

// serving is a server of some legacy revisions that calls discover for the rest.
func serving(discover server, legacy ...string) server {
	return func(m gjson.Result, say teller) bool {
		switch id := m.Get("id").Raw; m.Get("method").Str {
		case "initialize":
			if len(legacy) == 0 {
				say(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no"}}`, id)
				return true
			}
			version := m.Get("params.protocolVersion").Str
			if !slices.Contains(legacy, version) {
				version = legacy[len(legacy)-1]
			}
			say(`{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":%q,"capabilities":{}}}`, id, version)
		case "server/discover", "resources/list":
			return discover(m, say)
		}
		return true
	}
}

func refuse(m gjson.Result, say teller) bool {
	say(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no such method"}}`, m.Get("id").Raw)
	return true
}

func silent(gjson.Result, func(string, ...any)) bool { return true }

// echo sends every message back before a server has it, with what a terminal ends lines by.
func echo(p server, end ...string) server {
	return func(m gjson.Result, say teller) bool {
		say("%s%s", m.Raw, strings.Join(end, ""))
		return p(m, say)
	}
}

// behind is a server that takes a while to start: its first answer is late.
func behind(start time.Duration, p server) server {
	return func(m gjson.Result, say teller) bool {
		if method := m.Get("method").Str; method == "initialize" || method == "server/discover" {
			time.Sleep(start) // what is sent first finds it starting
		}
		return p(m, say)
	}
}

// An error without id to server/discover is kept, and the server is one of the revisions with a handshake.
func TestDetectKeepsAnErrorWithoutID(t *testing.T) {
	for answer, kept := range map[string]bool{`{"jsonrpc":"2.0","id":%s,"error":{"code":-32600,` +
		`"message":"no"}}`: false, `{"jsonrpc":"2.0","error":{"code":-32600,"message":"no"}}%.0s`: true} {
		synctest.Test(t, func(t *testing.T) {
			refusing := serving(func(m gjson.Result, say teller) bool {
				say(answer,
					m.Get("id").Raw)
				return true
			}, "2025-11-25")
			found, err := Detect(t.Context(), refusing.pipe(), options(""),
				[]requirement.Revision{requirement.R20251125, requirement.R20260728}, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer found.Close()
			if len(found.Nameless) > 0 != kept ||
				!slices.Equal(found.Served, []requirement.Revision{requirement.R20251125}) {
				t.Errorf("%s: kept %v; served: %v", answer, found.Nameless, found.Served)
			}
		})
	}
}

// TestDetectNamesAnEcho: of a program that sends back what it is sent it is said what
// it does, whatever was asked.
func TestDetectNamesAnEcho(t *testing.T) {
	for _, rev := range requirement.Revisions() {
		synctest.Test(t, func(t *testing.T) {
			_, err := Detect(t.Context(), echo(silent).pipe(), options(""), []requirement.Revision{rev}, 0)
			if err == nil || err.Error() != echoReason {
				t.Errorf("%s: %v", rev, err)
			}
		})
	}
}

// modern answers server/discover with a list of versions, and lists resources.
func modern(versions string) server {
	return func(m gjson.Result, say teller) bool {
		member := `"resources":[]`
		if m.Get("method").Str == "server/discover" {
			member = `"supportedVersions":` + versions
		}
		say(`{"jsonrpc":"2.0","id":%s,"result":{"resultType":"complete",%s}}`, m.Get("id").Raw, member)
		return true
	}
}

// versioned answers initialize with a protocolVersion of its own making.
func versioned(version func(asked string) string) server {
	return func(m gjson.Result, say teller) bool {
		if m.Get("method").Str != "initialize" {
			return refuse(m, say)
		}
		say(`{"jsonrpc":"2.0","id":%s,"result":{%s"capabilities":{}}}`, m.Get("id").Raw,
			version(m.Get("params.protocolVersion").Str))
		return true
	}
}

func TestDetect(t *testing.T) {
	ask := append(requirement.Legacy(), requirement.R20260728)
	for name, c := range map[string]struct {
		server server
		served string
		code   recording.Code
		within time.Duration
	}{
		"legacy": {serving(refuse, "2024-11-05", "2025-03-26"), "2024-11-05 2025-03-26", "",
			0},
		"deaf to discover":   {serving(silent, "2025-11-25"), "2025-11-25", "", time.Second},
		"modern":             {serving(modern(`["2026-07-28"]`)), "2026-07-28", "", 0},
		"a version, no list": {serving(modern(`"2026-07-28"`)), "2026-07-28", "", 0},
		"both eras": {serving(modern(`["2025-11-25","2026-07-28"]`), "2025-11-25"),
			"2025-11-25 2026-07-28", "", 0},
		"not in its list": {serving(modern(`["2025-11-25"]`), "2025-11-25"), "2025-11-25 2026-07-28",
			"", 0},
		"legacy, asked unknown": {serving(refuse, "2025-06-18", "2099-01-01"), "2025-06-18", "", 0},
		"a number": {versioned(func(string) string { return `"protocolVersion":20250618,` }),
			"2025-06-18", "", 0},
		"numbers": {versioned(func(v string) string {
			return `"protocolVersion":` + digits(v) + `,`
		}), "2024-11-05 2025-03-26 2025-06-18 2025-11-25", "", 0},
		"another number": {versioned(func(string) string { return `"protocolVersion":1,` }),
			"2025-11-25", "", 0},
		"no version": {versioned(func(string) string { return "" }), "2025-11-25", "", 0},
		"once without": {versioned(func(v string) string {
			return map[string]string{"2025-03-26": ""}[v] +
				map[bool]string{true: `"protocolVersion":"2024-11-05",`}[v != "2025-03-26"]
		}), "2024-11-05", "", 0},
		"nothing": {serving(refuse), "", recording.CodeNoHandshake, 0},
		"silent":  {silent, "", recording.CodeNoAnswer, 33 * time.Second},
		"dies": {func(gjson.Result, teller) bool {
			return false
		}, "", recording.CodeDied, 0},
		"echoes":                {echo(silent), "", recording.CodeNoHandshake, 10 * time.Second},
		"a terminal, no server": {echo(silent, "\r"), "", recording.CodeNoHandshake, 33 * time.Second},
		"a wrapper, slow server": {echo(behind(3*time.Second, serving(refuse, "2025-06-18"))), "2025-06-18",
			"", 8 * time.Second},
		"a terminal, very slow": {echo(behind(20*time.Second, serving(refuse, "2025-06-18")), "\r"),
			"2025-06-18", "", 25 * time.Second},
		"echoed by a terminal": {echo(serving(refuse, "2025-06-18", "2025-11-25")), "2025-06-18 2025-11-25",
			"", 0},
		"talks": {func(_ gjson.Result, say teller) bool {
			say(
				"ready!")
			return true
		}, "", recording.CodeUnreadable, 33 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				begin := time.Now()
				found, err := Detect(t.Context(), c.server.pipe(), options(""), ask, 0)
				if took := time.Since(begin); took > c.within {
					t.Errorf("it took %v", took)
				}
				var open *OpenError
				if errors.As(err, &open) != (c.code != "") || open != nil && open.Code != c.code {
					t.Errorf("got %v, want code %q", err, c.code)
				}
				var served []string
				for _, rev := range found.Served {
					served = append(served, string(rev))
					if found.Open[rev] == nil || !found.Open[rev].Alive() {
						t.Errorf("no session is open in %s", rev)
					}
					found.shut(rev)
				}
				if got := strings.Join(served, " "); got != c.served {
					t.Errorf("got %q, want %q; %v", got, c.served, found.Reasons)
				}
			})
		})
	}
}

// counted counts the connections that stand at once.
type counted struct {
	io.ReadWriteCloser
	once sync.Once
	now  *atomic.Int64
}

func (c *counted) Close() error {
	c.once.Do(func() { c.now.Add(-1) })
	return c.ReadWriteCloser.Close()
}

func TestDetectKeepsToTheInstances(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var now, most atomic.Int64
		inner := serving(modern(`["2026-07-28"]`), "2025-03-26", "2025-11-25").pipe()
		dialer := &transport.Pipe{Open: func(ctx context.Context) (io.ReadWriteCloser, error) {
			if n := now.Add(1); n > most.Load() {
				most.Store(n)
			}
			c, err := inner.Open(ctx)
			return &counted{ReadWriteCloser: c, now: &now}, err
		}}
		found, err := Detect(t.Context(), dialer, options(""), requirement.Revisions(), 1)
		if err != nil || len(found.Served) != 3 || len(found.Open) != 0 {
			t.Errorf("got %v, %d open, %v", found.Served, len(found.Open), err)
		}
		if now.Load() != 0 || most.Load() != 1 {
			t.Errorf("%d connections are left, %d stood at once", now.Load(), most.Load())
		}
	})
}

func TestNamesAnother(t *testing.T) {
	for _, c := range []struct {
		versions []string
		want     bool
	}{
		{nil, false}, {[]string{"2025-11-25"}, false}, {[]string{"2026-07-28"}, true},
		{[]string{"2026-07-28", "2027-01-01"}, false}, {[]string{"9999-01-01"}, false},
	} {
		if got := namesAnother(c.versions, "2027-01-01"); got != c.want {
			t.Errorf("%v: got %t", c.versions, got)
		}
	}
}
