package control

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"slices"

	"github.com/mcpcheck/mcpcheck/reference/hook"
)

// ConnectionFailure is a way in which a connection fails beneath the protocol. It
// breaks no requirement of a server: networks do that. Rules name it like a fault.
type ConnectionFailure struct {
	Name string
	// Summary says in one clause what happens.
	Summary string
	// Client says in a sentence what a good client does.
	Client string
	// Transports are those on which it can happen.
	Transports []string
	Hooks      hook.Hooks
}

// ConnectionFailures lists the failures of the connection.
func ConnectionFailures() []ConnectionFailure {
	return slices.Clone(connectionFailures)
}

var (
	everywhere = []string{hook.Stdio, hook.HTTP, hook.SSE}
	overHTTP   = []string{hook.HTTP, hook.SSE}
)

var connectionFailures = []ConnectionFailure{
	{
		Name: "reset", Transports: everywhere,
		Summary: "the connection is reset instead of an answer (on stdio it ends)",
		Client: "Reports that the connection was lost, and repeats only what can be repeated without " +
			"harm (lists, reads), a bounded number of times.",
		Hooks: hook.Join(onRequest(reset), abortStdio),
	},
	{
		Name: "empty-reply", Transports: everywhere,
		Summary: "the connection closes without a byte of an answer (on stdio the answer is an empty line)",
		Client:  "Takes the missing answer for a failure of the connection, not for an empty result.",
		Hooks: hook.Join(
			onRequest(func(_ http.ResponseWriter, r *http.Request) { hook.Cut(r.Context()) }),
			onStdioAnswer(func(_ context.Context, w io.Writer, _ []byte) error {
				_, err := w.Write([]byte{'\n'})
				return err
			}),
		),
	},
	{
		Name: "truncated-body", Transports: everywhere,
		Summary: "the connection ends in the middle of the answer",
		Client:  "Fails the request; it never hands on a part of an answer as the whole.",
		Hooks: halfway(
			func(e hook.Event) bool { return e.Response },
			cutOff,
			func(context.Context) error { return errTruncated },
		),
	},
	{
		Name: "stalled-stream", Transports: everywhere,
		Summary: "the answer stops in its middle, and the connection stays open",
		Client:  "Gives up at its time limit, closes the connection, and says so.",
		Hooks: halfway(carries, stall, func(ctx context.Context) error {
			<-ctx.Done()
			return ctx.Err()
		}),
	},
	{
		Name: "dropped-sse", Transports: overHTTP,
		Summary: "event streams break off before the next message on them, which a client can resume to get",
		Client:  "Resumes the stream with the last event id, or repeats the request.",
		Hooks: hook.Join(hook.Hooks{EventStreams: hook.Always}, hook.OnEvent(func(e hook.Streaming) error {
			if carries(e.Event) && once(e) {
				hook.Cut(e)
			}
			return e.Next()
		})),
	},
	{
		Name: "half-closed-stdio", Transports: []string{hook.Stdio},
		Summary: "the server closes its output instead of answering, and goes on reading its input",
		Client:  "Notices that the output has ended, ends the process, and reports what was not answered.",
		Hooks: onStdioAnswer(func(_ context.Context, w io.Writer, _ []byte) error {
			if c, ok := w.(io.Closer); ok {
				return errors.Join(hook.ErrOutputClosed, c.Close())
			}
			return hook.ErrOutputClosed
		}),
	},
}

// carries reports whether an event has a message in it.
func carries(e hook.Event) bool { return len(e.Data) > 0 && e.Type != "endpoint" }

// halfway writes half of an answer, or of an event of those that are meant, and then ends it as is said, on
// stdio in its own way.
func halfway(meant func(e hook.Event) bool, end, endStdio func(ctx context.Context) error) hook.Hooks {
	return hook.Join(onBody(func(r *http.Request, w http.ResponseWriter, p []byte) (int, error) {
		if err := push(w, p[:len(p)/2]); err != nil {
			return 0, err
		}
		return 0, end(r.Context())
	}), hook.OnEvent(func(e hook.Streaming) error {
		if !meant(e.Event) || !once(e) {
			return e.Next()
		}
		p := hook.EncodeEvent(e.Event)
		if err := e.Write(hook.Event{Raw: p[:len(p)/2], Stream: e.Stream}); err != nil {
			return err
		}
		return end(e)
	}), onStdioAnswer(func(ctx context.Context, w io.Writer, framed []byte) error {
		if _, err := w.Write(framed[:len(framed)/2]); err != nil {
			return err
		}
		return endStdio(ctx)
	}))
}

// cutOff ends the connection of a request.
func cutOff(ctx context.Context) error {
	hook.Cut(ctx)
	return nil
}

var errTruncated = errors.New("the connection was made to end in the middle of a message")

// broken is the key of what has been decided about the stream of a message.
var broken = new(byte)

// once reports whether the stream of a message is to fail: a client that resumes it
// gets what it missed.
func once(ctx context.Context) bool {
	t := hook.TraceOf(ctx)
	if t == nil {
		return true
	}
	first := false
	t.Once(broken, func() any { first = true; return nil })
	return first
}

// onRequest acts instead of the handling of an HTTP request.
func onRequest(act func(w http.ResponseWriter, r *http.Request)) hook.Hooks {
	return hook.OnHTTP(nil, func(x hook.Serving) { act(x.W, x.Request) })
}

// onBody acts instead of the writing of a response that is no event stream.
func onBody(write func(r *http.Request, w http.ResponseWriter, p []byte) (int, error)) hook.Hooks {
	return hook.OnHTTP(nil, func(x hook.Serving) {
		x.Serve(&hook.Writer{ResponseWriter: x.W, Body: func(p []byte) (int, error) {
			if hook.Streams(x.W) {
				return x.W.Write(p)
			}
			return write(x.Request, x.W, p)
		}}, x.Request)
	})
}

// onStdioAnswer acts instead of the writing of a response on stdio.
func onStdioAnswer(write func(ctx context.Context, w io.Writer, framed []byte) error) hook.Hooks {
	return hook.EditResponse("", func(m *hook.Message) {
		if m.Transport == hook.Stdio {
			m.Write = write
		}
	})
}

// abortStdio ends the connection of a request on stdio.
var abortStdio = hook.OnMethod("", func(c hook.Calling) *hook.Reply {
	if c.Transport != hook.Stdio || c.Notification() {
		return c.Next()
	}
	hook.Abort(c, c.Session)
	return nil
})

// reset resets a TCP connection; any other just ends.
func reset(w http.ResponseWriter, r *http.Request) {
	if !hook.Acts(r.Context()) {
		return
	}
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler) // HTTP/2, or no network at all
	}
	raw := conn
	if secured, ok := conn.(interface{ NetConn() net.Conn }); ok {
		raw = secured.NetConn()
	}
	if tcp, ok := raw.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0) // closing then resets; a connection that is gone needs nothing
	}
	_ = raw.Close()
}

// stall waits until the client leaves or the server ends.
func stall(ctx context.Context) error {
	hook.Hang(ctx)
	hook.Cut(ctx)
	return nil
}

// push writes and sends at once.
func push(w http.ResponseWriter, p []byte) error {
	_, err := w.Write(p)
	_ = http.NewResponseController(w).Flush() // a writer that cannot flush sends by itself
	return err
}
