package fault

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/mcpcheck/mcpcheck/reference/hook"
)

var rpcCode = code{
	"rpc-14-dies-of-garbage": func() hook.Hooks {
		return hook.Hooks{Receive: func(next hook.Receiver) hook.Receiver {
			return func(ctx context.Context, in hook.Incoming) {
				if in.Peer != nil && !json.Valid(in.Raw) {
					in.Peer.Abort()
					return
				}
				next(ctx, in)
			}
		}}
	},
	"rpc-04-strings-become-numbers": func() hook.Hooks {
		return hook.EditEnvelope("", func(envelope hook.Object) {
			if id, ok := envelope["id"].(string); ok {
				digits := len(id) - len(strings.TrimLeft(id, "0123456789"))
				n, err := strconv.ParseInt(id[:digits], 10, 64)
				if err != nil {
					n = 0
				}
				envelope["id"] = hook.Number(n)
			}
		})
	},
	"rpc-09-not-flushed": func() hook.Hooks {
		return hook.OnEvent(func(ctx context.Context, e hook.Event, next hook.EventWriter) error {
			if e.Stream != "post" || !e.Response || !strings.Contains(string(e.Data), `"resourceTemplates"`) {
				return next(ctx, e)
			}
			<-ctx.Done()
			return ctx.Err()
		})
	},
	"rpc-14-dies-of-alien-bytes": func() hook.Hooks {
		return onIncoming(func(in hook.Incoming) bool {
			if in.Transport != hook.Stdio || in.Peer == nil || utf8.Valid(in.Raw) {
				return true
			}
			in.Peer.Abort()
			return false
		})
	},
	"rpc-02-counts-its-responses": countedResponses,
	"rpc-12-ready-event": func() hook.Hooks {
		return atStart(`{"jsonrpc":"2.0","event":"ready"}` + "\n")
	},
	"rpc-15-numeric-method-kills": func() hook.Hooks {
		return onIncoming(func(in hook.Incoming) bool {
			o, ok := hook.DecodeObject(in.Raw)
			_, text := o["method"].(string)
			if ok && o["method"] != nil && !text && in.Peer != nil {
				in.Peer.Abort()
				return false
			}
			return true
		})
	},
	"rpc-17-mixes-up-reads": mixedReads,
	"rpc-20-latin-1": func() hook.Hooks {
		return hook.OnMessage(func(hook.Message) bool { return true }, func(ctx context.Context, m hook.Message, next hook.Emitter) error {
			return next(ctx, m.With(bytes.ReplaceAll(m.Raw, []byte("ü"), []byte{0xfc})))
		})
	},
	"rpc-20-byte-order-mark": func() hook.Hooks {
		return atStart("\xef\xbb\xbf")
	},
}

// atStart writes text to standard output before anything else.
func atStart(text string) hook.Hooks {
	return hook.Hooks{Streams: hook.Streams{Start: func(_ context.Context, w io.Writer) {
		_, _ = io.WriteString(w, text) // a client that has gone already sees nothing of it
	}}}
}

// onIncoming looks at raw messages before they are parsed; those for which it
// returns false go no further.
func onIncoming(pass func(in hook.Incoming) bool) hook.Hooks {
	return hook.Hooks{Receive: func(next hook.Receiver) hook.Receiver {
		return func(ctx context.Context, in hook.Incoming) {
			if pass(in) {
				next(ctx, in)
			}
		}
	}}
}

func countedResponses() hook.Hooks {
	var mu sync.Mutex
	n := int64(0)
	return hook.EditEnvelope(hook.MethodList, func(envelope hook.Object) {
		mu.Lock()
		defer mu.Unlock()
		n++
		envelope["id"] = hook.Number(n)
	})
}

// mixedReads answers a read with the result of the one before if both came within
// a millisecond.
func mixedReads() hook.Hooks {
	var mu sync.Mutex
	var last hook.Object
	var at time.Time
	return hook.OnMethod(hook.MethodRead, func(ctx context.Context, c *hook.Call, next hook.Handler) *hook.Reply {
		r := next(ctx, c)
		if r == nil || r.Error != nil {
			return r
		}
		mu.Lock()
		defer mu.Unlock()
		if before := last; before != nil && time.Since(at) < time.Millisecond {
			last, at = r.Result, time.Now()
			return &hook.Reply{Result: before}
		}
		last, at = r.Result, time.Now()
		return r
	})
}
