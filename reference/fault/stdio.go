package fault

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/tidwall/gjson"
)

func stdioCode() code {
	return code{
		"stdio-01-banner":           atStart("Server running, press Ctrl+C to stop\n"),
		"stdio-02-pretty-handshake": overStdio("initialize|"+hook.MethodDiscover, indented),
		"stdio-02-pretty-printed":   overStdio(hook.MethodTemplates, indented),
		"stdio-03-errors-not-flushed": hook.Join(hook.Writing(func(out io.Writer) (io.Writer, func()) {
			held := &holdingWriter{Writer: out}
			return releasingWriter{held}, held.flush
		}), overStdio("", func(m *hook.Message) {
			if gjson.GetBytes(m.Raw, "error").Exists() {
				m.Write = hold
			}
		})),
		"stdio-03-not-flushed": hook.Join(hook.Writing(func(out io.Writer) (io.Writer, func()) {
			held := &holdingWriter{Writer: out}
			return held, held.flush
		}), overStdio(hook.MethodTemplates, func(m *hook.Message) { m.Write = hold })),
		"stdio-03-no-last-newline": hook.Writing(func(out io.Writer) (io.Writer, func()) {
			return out, func() {
				// A client that has gone misses it.
				_, _ = io.WriteString(
					out,
					`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info",`+
						`"data":"bye"}}`,
				)
			}
		}),
		"stdio-05-decodes-chunks": hook.Reading(func(_ context.Context, in io.Reader) io.Reader {
			return &lossyReader{r: in}
		}),
		"stdio-05-read-is-message": hook.Reading(func(_ context.Context, in io.Reader) io.Reader {
			return &chunkReader{r: in}
		}),
		"stdio-05-unicode-line-ends": hook.OnIncoming(func(in hook.Receiving) error {
			if in.Transport != hook.Stdio || !bytes.ContainsAny(in.Raw, "\u2028\u2029") {
				return in.Next()
			}
			for _, line := range bytes.FieldsFunc(in.Raw, func(c rune) bool {
				return c == '\u2028' || c == '\u2029'
			}) {
				in.Raw = line
				_ = in.Next()
			}
			return nil
		}),
		"stdio-06-long-lines-lost": hook.OnIncoming(func(in hook.Receiving) error {
			if in.Transport == hook.Stdio && len(in.Raw) > 64<<10 {
				return nil
			}
			return in.Next()
		}),
		"stdio-08-kept-by-subscriptions": keptBySubscriptions(),
		"stdio-08-ignores-the-end": hook.Reading(func(ctx context.Context, in io.Reader) io.Reader {
			return &endlessReader{r: in, done: ctx.Done()}
		}),
	}
}

// keptBySubscriptions reads on behind the end of the input while something is subscribed.
func keptBySubscriptions() hook.Hooks {
	var mu sync.Mutex
	open := map[string]bool{} // ids of listen requests, and URIs
	return hook.Join(
		hook.OnMethod(
			strings.Join(
				[]string{hook.MethodListen, methodCancelled, methodSubscribe, methodUnsubscribe},
				"|",
			),
			func(c hook.Calling) *hook.Reply {
				r := c.Next()
				mu.Lock()
				defer mu.Unlock()
				switch c.Method {
				case hook.MethodListen:
					open[string(c.ID)] = r != nil && r.Open
				case methodCancelled:
					delete(open, string(hook.Encode(c.Param("requestId"))))
				case methodSubscribe:
					open[string(hook.Encode(c.Param("uri")))] = r != nil && r.Error == nil
				case methodUnsubscribe:
					delete(open, string(hook.Encode(c.Param("uri"))))
				}
				return r
			},
		),
		hook.Reading(func(ctx context.Context, in io.Reader) io.Reader {
			return &endlessReader{r: in, done: ctx.Done(), until: func() bool {
				mu.Lock()
				defer mu.Unlock()
				return !slices.Contains(slices.Collect(maps.Values(open)), true)
			}}
		}),
	)
}

// overStdio changes answers on stdio to some methods.
func overStdio(pattern string, change func(m *hook.Message)) hook.Hooks {
	return hook.EditResponse(pattern, func(m *hook.Message) {
		if m.Transport == hook.Stdio {
			change(m)
		}
	})
}

// indented writes a message over many lines.
func indented(m *hook.Message) {
	var b bytes.Buffer
	if json.Indent(&b, m.Raw, "", "  ") == nil {
		m.Raw = b.Bytes()
	}
}

// holdingWriter keeps what it is told to hold until it is flushed.
type holdingWriter struct {
	io.Writer
	mu   sync.Mutex
	held []byte
}

// releasingWriter writes what is held before anything else.
type releasingWriter struct{ *holdingWriter }

func (r releasingWriter) Write(p []byte) (int, error) {
	r.flush()
	return r.holdingWriter.Write(p)
}

// hold is a [hook.Message.Write].
func hold(_ context.Context, w io.Writer, framed []byte) error {
	if r, ok := w.(releasingWriter); ok {
		w = r.holdingWriter
	}
	h, ok := w.(*holdingWriter)
	if !ok { // the connection is older than the rule
		_, err := w.Write(framed)
		return err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.held = append(h.held, framed...)
	return nil
}

func (h *holdingWriter) flush() {
	h.mu.Lock()
	defer h.mu.Unlock()
	_, _ = h.Write(h.held) // a client that has gone misses it
	h.held = nil
}

// chunkReader ends each chunk with a newline.
type chunkReader struct {
	r       io.Reader
	pending bool
}

func (c *chunkReader) Read(p []byte) (int, error) {
	if c.pending && len(p) > 0 {
		p[0], c.pending = '\n', false
		return 1, nil
	}
	n, err := c.r.Read(p)
	// A full buffer is the middle of a long message.
	c.pending = n > 0 && n < len(p) && p[n-1] != '\n'
	return n, err
}

// lossyReader decodes each chunk by itself: bytes that are no UTF-8 without those of the next one are
// replaced.
type lossyReader struct {
	r    io.Reader
	rest []byte
}

func (l *lossyReader) Read(p []byte) (int, error) {
	if len(l.rest) == 0 {
		n, err := l.r.Read(p)
		if l.rest = bytes.ToValidUTF8(p[:n], []byte("\ufffd")); n == 0 {
			return 0, err
		}
	}
	n := copy(p, l.rest)
	l.rest = l.rest[n:]
	return n, nil
}

// endlessReader does not report the end of its input, unless it may.
type endlessReader struct {
	r     io.Reader
	done  <-chan struct{}
	until func() bool // nil if it never may
}

func (e *endlessReader) Read(p []byte) (int, error) {
	n, err := e.r.Read(p)
	if e.until != nil && e.until() {
		return n, err
	}
	if err == io.EOF && n == 0 {
		<-e.done
	} else if err == io.EOF {
		err = nil
	}
	return n, err
}
