package quirk

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"
	"sync/atomic"
	"time"
	"unicode/utf16"

	"github.com/mcpcheck/mcpcheck/reference/hook"
)

func messagesCode() code {
	return code{
		"pings":        pinging(),
		"late-batches": lateBatches(),
		"empty-subscriptions-end": hook.EditReply(hook.MethodListen, func(c *hook.Call, r *hook.Reply) {
			if filter, ok := c.Param("notifications").(hook.Object); ok && len(filter) == 0 && r.Open {
				*r = hook.Reply{Result: hook.Object{"resultType": "complete", "_meta": hook.Object{
					"io.modelcontextprotocol/subscriptionId": c.IDValue(),
					"io.modelcontextprotocol/serverInfo": hook.Object{
						"name":    "mockserver",
						"version": "1",
					}}}}
			}
		}),
		"escaped-characters": hook.EditMessage(func(m *hook.Message) { m.Raw = escape(m.Raw) }),
		"generous-spacing": hook.EditResponse(
			"",
			func(m *hook.Message) { m.Raw = spread(m.Raw, m.Transport != hook.Stdio) },
		),
		"batches-answered-apart": hook.OnResponse("", func(m hook.Sending) error {
			var all []json.RawMessage
			if m.Transport != hook.Stdio || json.Unmarshal(m.Raw, &all) != nil {
				return m.Next()
			}
			for _, raw := range all {
				if err := m.Send(m.With(raw)); err != nil {
					return err
				}
			}
			return nil
		}),
		"ends-when-idle": hook.Reading(func(ctx context.Context, in io.Reader) io.Reader {
			return untilIdle(ctx, in, 15*time.Second)
		}),
		"noise-on-standard-error": noisy(),
		"data-over-several-lines": hook.EditEvent(func(e *hook.Event) {
			if e.Type != "endpoint" {
				e.Data = bytes.ReplaceAll(spread(e.Data, true), []byte("\n "), []byte("\n"))
			}
		}),
	}
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

// pinging sends a ping after each answer of a legacy session, and one more a little later, when
// the client may be in the midst of its next message.
func pinging() hook.Hooks {
	const later = 10 * time.Millisecond
	var n atomic.Int64
	return hook.OnResponse("*", func(m hook.Sending) error {
		if err := m.Next(); err != nil || m.Call.Modern || m.Session == nil || m.Session.Revision() == "" ||
			!hook.Acts(m) {
			return err
		}
		ping := func() {
			raw := hook.Encode(
				hook.Object{
					"jsonrpc": "2.0",
					"id":      "ping-" + strconv.FormatInt(n.Add(1), 10),
					"method":  "ping",
				},
			)
			_ = m.Session.Send(context.WithoutCancel(m), raw) // lost without a stream to send it on
		}
		ping()
		time.AfterFunc(later, ping)
		return nil
	})
}

type batchKey struct{}

// lateBatches takes batches apart whatever the revision, and answers each request in
// an array.
func lateBatches() hook.Hooks {
	return hook.Join(hook.OnIncoming(func(in hook.Receiving) error {
		v, err := hook.Decode(in.Raw)
		late := in.Session != nil && in.Session.Revision() > hook.R20250326
		if members, ok := v.([]any); late && err == nil && ok && len(members) == 1 {
			in.Context, in.Raw = context.WithValue(in.Context, batchKey{}, true), hook.Encode(members[0])
		}
		return in.Next()
	}), hook.OnResponse("", func(m hook.Sending) error {
		if m.Value(batchKey{}) == nil {
			return m.Next()
		}
		return m.Send(m.With(append(append([]byte{'['}, m.Raw...), ']')))
	}))
}

// noisy writes to the standard error of the process at the beginning of a
// connection, and again for each list.
func noisy() hook.Hooks {
	noise := func() {
		// Nobody has to listen.
		_, _ = io.WriteString(os.Stderr, "listening\n\x1b[31mERROR\x1b[0m nothing is wrong\n"+
			`{"jsonrpc":"2.0","id":1,"result":{"resources":null}}`+"\n\xff\xfe no line break")
	}
	return hook.Join(
		hook.Writing(func(out io.Writer) (io.Writer, func()) {
			noise()
			return out, nil
		}),
		hook.OnMethod(hook.MethodList, func(c hook.Calling) *hook.Reply {
			if c.Transport == hook.Stdio && hook.Acts(c) {
				noise()
			}
			return c.Next()
		}))
}

// untilIdle is an input that ends when nothing has come for a while.
func untilIdle(ctx context.Context, r io.Reader, idle time.Duration) io.Reader {
	from, to := io.Pipe()
	timer := time.AfterFunc(idle, func() { _ = to.Close() }) // never fails
	context.AfterFunc(ctx, func() { _ = to.CloseWithError(ctx.Err()) })
	go func() {
		_, err := io.Copy(to, &delaying{r, timer, idle})
		timer.Stop()
		_ = to.CloseWithError(err)
	}()
	return from
}

// delaying is a reader that puts a timer off whenever something has come.
type delaying struct {
	io.Reader
	timer *time.Timer
	idle  time.Duration
}

// Read implements [io.Reader].
func (d *delaying) Read(p []byte) (int, error) {
	n, err := d.Reader.Read(p)
	d.timer.Reset(d.idle)
	return n, err
}
