package quirk

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
	"unicode/utf16"

	"github.com/mcpcheck/mcpcheck/reference/hook"
)

// The quirks of messages and their framing.
func init() {
	over := Needs{Transports: []string{hook.HTTP, hook.SSE}}
	Register(
		Quirk{
			Name: "answers-out-of-order", Permits: []string{"RPC-17"},
			Summary: "of several requests the later ones may be answered first",
			Make:    overtaking,
		},
		Quirk{
			Name: "escaped-characters", Permits: []string{"RPC-20"},
			Summary: "all but ASCII is written with escapes, and so are slashes",
			Hooks: hook.OnMessage(func(hook.Message) bool { return true }, func(ctx context.Context, m hook.Message, next hook.Emitter) error {
				return next(ctx, m.With(escape(m.Raw)))
			}),
		},
		Quirk{
			Name: "generous-spacing", Permits: []string{"STDIO-02", "RPC-20"}, Aspect: "spacing",
			Summary: "the JSON of answers has white space wherever there may be some; over HTTP also line breaks",
			Hooks: hook.OnResponse("", func(ctx context.Context, m hook.Message, next hook.Emitter) error {
				return next(ctx, m.With(spread(m.Raw, m.Transport != hook.Stdio)))
			}),
		},
		Quirk{
			Name: "batches-answered-apart", Permits: []string{"BATCH-01"},
			Summary: "over stdio the answers to a batch come as messages of their own",
			Needs:   Needs{Revisions: []string{hook.R20250326}, Transports: []string{hook.Stdio}},
			Hooks: hook.OnResponse("", func(ctx context.Context, m hook.Message, next hook.Emitter) error {
				var all []json.RawMessage
				if m.Transport != hook.Stdio || json.Unmarshal(m.Raw, &all) != nil {
					return next(ctx, m)
				}
				for _, raw := range all {
					if err := next(ctx, m.With(raw)); err != nil {
						return err
					}
				}
				return nil
			}),
		},
		Quirk{
			Name: "data-on-errors", Permits: []string{"RPC-07"},
			Summary: "errors carry data of any kind where none is laid down",
			Hooks: hook.EditError("", func(e hook.Object) {
				if _, there := e["data"]; !there {
					e["data"] = []any{"see the log", nil}
				}
			}),
		},
		Quirk{
			Name: "metadata-on-notifications", Permits: []string{"META-01", "RPC-12"},
			Summary: "notifications carry metadata of the server's own",
			Hooks: hook.EditNotification("", func(n hook.Object) {
				hook.MakeObjectAt(n, "params", "_meta")["com.example/sent-by"] = "worker 7"
			}),
		},
		Quirk{
			Name: "pings", Permits: []string{"LIFE-14", "RPC-21"},
			Summary: "up to 2025-11-25 the server pings the client, with ids that are strings",
			Needs:   Needs{Transports: []string{hook.Stdio, hook.SSE}},
			Make:    pinging,
		},
		Quirk{
			Name: "log-messages", Permits: []string{"CAP-12"},
			Summary: "up to 2025-11-25 the server sends log messages without having been asked for a level",
			Hooks: besideLists(hook.Object{"jsonrpc": "2.0", "method": "notifications/message",
				"params": hook.Object{"level": "emergency", "data": nil}}),
		},
		Quirk{
			Name: "legacy-after-handshake", Permits: []string{"DISC-15"},
			Summary: "over stdio a handshake selects the legacy rules for all that follows, modern metadata or not",
			Needs:   Needs{Transports: []string{hook.Stdio}},
			Hooks: hook.EditResultOf("", func(c *hook.Call, result hook.Object) {
				if c.Modern && c.Peer != nil && c.Peer.Revision() != "" {
					for _, member := range []string{"resultType", "ttlMs", "cacheScope"} {
						delete(result, member)
					}
				}
			}),
		},
		Quirk{
			Name: "mute-before-handshake", Permits: []string{"LIFE-11"}, Aspect: "before-handshake",
			Summary: "what comes before the handshake is ignored",
			Needs:   Needs{Transports: []string{hook.Stdio, hook.SSE}},
			Hooks:   beforeHandshake(func(*hook.Call) *hook.Reply { return &hook.Reply{Silent: true} }),
		},
		Quirk{
			Name: "open-before-handshake", Permits: []string{"LIFE-11"}, Aspect: "before-handshake",
			Summary: "lists are served before the handshake",
			Needs:   Needs{Transports: []string{hook.Stdio, hook.SSE}},
			Hooks: beforeHandshake(func(c *hook.Call) *hook.Reply {
				if c.Method != hook.MethodList {
					return nil
				}
				return &hook.Reply{Result: hook.Object{"resources": []any{}}}
			}),
		},
		Quirk{
			Name: "ends-when-idle", Permits: []string{"STDIO-09"},
			Summary: "over stdio the server closes its output and ends after 15 s without input",
			Needs:   Needs{Transports: []string{hook.Stdio}},
			Hooks: hook.Hooks{Streams: hook.Streams{Reader: func(ctx context.Context, r io.Reader) io.Reader {
				return newIdleReader(ctx, r, 15*time.Second)
			}}},
		},
		Quirk{
			Name: "noise-on-standard-error", Permits: []string{"STDIO-07"},
			Summary: "over stdio the server writes to its standard error, also what looks like messages",
			Needs:   Needs{Transports: []string{hook.Stdio}, Process: true},
			Hooks:   noisy(),
		},
		Quirk{
			Name: "spelled-media-types", Permits: []string{"HTTP-07"}, Needs: over,
			Summary: "media types of bodies have parameters and capital letters",
			Hooks: hook.EditHead(func(_ *http.Request, status int, h http.Header) int {
				switch h.Get("Content-Type") {
				case "application/json":
					h.Set("Content-Type", "Application/JSON; charset=UTF-8")
				case "text/event-stream":
					h.Set("Content-Type", "text/event-stream;charset=utf-8")
				}
				return status
			}),
		},
		Quirk{
			Name: "errors-with-status", Permits: []string{"ERR-13"}, Needs: over,
			Summary: "over HTTP invalid params of a call come with the status 400, and internal errors with 500",
			Hooks: hook.EditReply("resources/*|"+hook.MethodComplete, func(c *hook.Call, r *hook.Reply) {
				if c.Transport != hook.HTTP || r.Error == nil || r.Status != 0 {
					return
				}
				switch r.Error["code"] {
				case hook.Number(-32602):
					r.Status = http.StatusBadRequest
				case hook.Number(-32603):
					r.Status = http.StatusInternalServerError
				}
			}),
		},
		Quirk{
			Name: "data-over-several-lines", Permits: []string{"SSE-01"}, Needs: over,
			Summary: "the data of events is spread over several lines",
			Hooks: hook.EditEvent(func(e *hook.Event) {
				if e.Type != "endpoint" {
					e.Data = bytes.ReplaceAll(spread(e.Data, true), []byte("\n "), []byte("\n"))
				}
			}),
		},
	)
}

// overtaking holds every other answer back for a moment.
func overtaking(*rand.Rand) hook.Hooks {
	var n atomic.Int64
	return hook.OnMethod("resources/*|"+hook.MethodComplete, func(ctx context.Context, c *hook.Call, next hook.Handler) *hook.Reply {
		r := next(ctx, c)
		if n.Add(1)%2 == 0 || c.Method == methodSubscribe || c.Method == "resources/unsubscribe" {
			return r
		}
		timer := time.NewTimer(7 * time.Millisecond)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
		}
		return r
	})
}

// escape writes JSON in ASCII. What is not ASCII stands inside strings only.
func escape(raw []byte) []byte {
	var b bytes.Buffer
	for _, r := range string(raw) {
		switch {
		case r == '/':
			b.WriteString(`\/`)
		case r < 0x80:
			b.WriteRune(r)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04X\u%04x`, high, low)
		default:
			fmt.Fprintf(&b, `\u%04X`, r)
		}
	}
	return b.Bytes()
}

// spread puts white space around the tokens of JSON.
func spread(raw []byte, lines bool) []byte {
	var b bytes.Buffer
	if json.Indent(&b, raw, "", " ") != nil {
		return raw
	}
	if lines {
		return b.Bytes()
	}
	return append(bytes.ReplaceAll(b.Bytes(), []byte("\n"), []byte("\t")), ' ')
}

// pinging sends a ping after each list of a legacy session.
func pinging(*rand.Rand) hook.Hooks {
	var n atomic.Int64
	return afterLists(func() []byte {
		return hook.Encode(hook.Object{"jsonrpc": "2.0", "id": "ping-" + strconv.FormatInt(n.Add(1), 10), "method": "ping"})
	})
}

// besideLists sends a message after each list of a legacy session.
func besideLists(o hook.Object) hook.Hooks {
	raw := hook.Encode(o)
	return afterLists(func() []byte { return raw })
}

func afterLists(raw func() []byte) hook.Hooks {
	return hook.OnResponse(hook.MethodList, func(ctx context.Context, m hook.Message, next hook.Emitter) error {
		if err := next(ctx, m); err != nil {
			return err
		}
		if !m.Call.Modern && m.Peer != nil && m.Peer.Revision() != "" {
			_ = m.Peer.Send(ctx, raw()) // lost without a stream to send it on
		}
		return nil
	})
}

// beforeHandshake answers requests of sessions that have not begun; nil leaves
// the answer to the server.
func beforeHandshake(reply func(c *hook.Call) *hook.Reply) hook.Hooks {
	return hook.OnMethod("", func(ctx context.Context, c *hook.Call, next hook.Handler) *hook.Reply {
		if c.Modern || c.Notification() || c.Transport == hook.HTTP || c.Revision != "" || c.Peer.Revision() != "" ||
			c.Method == "initialize" || c.Method == "ping" || strings.HasPrefix(c.Method, "server/") {
			return next(ctx, c)
		}
		if r := reply(c); r != nil {
			return r
		}
		return next(ctx, c)
	})
}
