// Package transport carries raw messages to a target over stdio, Streamable
// HTTP or HTTP+SSE, behind one interface.
//
// A transport has no opinion: it sends what it is told, right or wrong, and
// hands on every frame that comes back, with its flaws. What it does hold to are
// bounds (bytes per message, bytes per connection) and order: frames reach the
// sink in the order in which they were read, and nothing is lost silently.
package transport

import (
	"cmp"
	"context"
	"net/http"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/wire"
)

// Dialer opens connections to one endpoint of a target. It may be used from
// several goroutines.
type Dialer interface {
	// Transport says what the connections speak.
	Transport() requirement.Transport
	// Dial opens one connection: it starts a process, opens an event stream,
	// or (Streamable HTTP) only prepares a client. Incoming frames go to
	// sink, one at a time, from the moment Dial is called.
	Dial(ctx context.Context, sink Sink) (Conn, error)
}

// Sink takes a frame that was sent or came in. The transport fills in
// everything but number, session and time. It must not block for long.
type Sink func(wire.Frame)

// Conn is one connection. Its methods may be used from several goroutines.
type Conn interface {
	// Send sends one message. It returns once the message is written
	// (stdio) or the request is on its way (HTTP); what comes back reaches
	// the sink. The context bounds only the sending, not the answer.
	Send(ctx context.Context, m Message) (*Sent, error)
	// Close ends the connection in the order that the specification gives
	// (stdio: close stdin, wait, SIGTERM, wait, SIGKILL) and waits until
	// nothing of it is left: no process of the group, no open stream. It
	// says how the target took it. It is safe to call twice.
	Close(ctx context.Context) Ending
	// Done is closed when nothing more can come in: the process has ended,
	// the event stream was cut. Streamable HTTP connections end only by
	// Close, or when a limit of the connection is exceeded. Err then says
	// why, in one sentence.
	Done() <-chan struct{}
	Err() error
}

// Message is what to send, and how to deviate from the ordinary way of sending
// it.
type Message struct {
	// Body is the message, byte for byte. Stdio adds the newline. Whoever sends it leaves it as it
	// is from then on: the frames of the connection hold the same bytes.
	Body []byte
	// Raw suppresses the newline of stdio.
	Raw bool
	// Behind are further messages, for stdio alone: they are written behind this one in
	// the same write, so that the target can read all of them at once.
	Behind [][]byte
	// Method is the HTTP method; empty means POST. GET opens an event stream.
	Method string
	// Header is set over the transport's own headers (Content-Type, Accept);
	// Omit names headers that are not to be sent. Exact lists further header
	// lines to be written with exactly this spelling of the name (Go
	// canonicalises names otherwise).
	Header http.Header
	Omit   []string
	Exact  [][2]string
	// Chunked sends the body in two chunks, without its length (RFC 9112,
	// section 7.1); nothing but the framing differs. The first ends within a character
	// if there is one of several bytes.
	Chunked bool
	// URL replaces the URL that the connection would use: a reference that is
	// resolved against it. Stdio ignores it, and everything else about HTTP.
	URL string
}

// Sent is a message on its way.
type Sent struct {
	// Channel is what the frames of the answer bear; all messages of a
	// stdio or HTTP+SSE connection are answered on one channel.
	Channel string
	// Request is what the frames of the HTTP request and of its own HTTP
	// response bear. It differs from Channel for POST requests of HTTP+SSE
	// only, whose response says no more than "accepted"; empty on stdio.
	Request string
	// Done is closed when the HTTP response has ended; on stdio it is nil.
	Done <-chan struct{}
	// Status and Header are those of the HTTP response, once there is one;
	// 0 and nil before, and on stdio. Err is why there was none, or why it
	// was cut short; nil while it runs and when it came whole.
	Status func() int
	Header func() http.Header
	Err    func() error
	// Cancel drops the HTTP response: the stream is closed. No-op on stdio.
	Cancel func()
}

// Ending says how a connection ended, as recordings keep it.
type Ending = recording.Ending

// Limits bounds what a connection reads. The zero value means the defaults.
type Limits struct {
	Message int   // bytes of one message; default 16 MiB
	Total   int64 // bytes of one connection; default 64 MiB
	Stderr  int   // bytes of standard error kept; default 16 KiB
	Frames  int   // frames of one connection, in and out; default 200000
	// Results knows what was sent before over any connection, and counts once; may be nil.
	Results *wire.Results
	Turns   *wire.Turns // for what is long, over any connection; may be nil
	Reuse   *Reuse      // of HTTP connections; nil means that they serve one request after the other
}

// WithDefaults replaces zero members by the defaults.
func (l Limits) WithDefaults() Limits {
	l.Message = cmp.Or(l.Message, 16<<20)
	l.Total = cmp.Or(l.Total, 64<<20)
	l.Stderr = cmp.Or(l.Stderr, 16<<10)
	l.Frames = cmp.Or(l.Frames, 200_000)
	l.Reuse = cmp.Or(l.Reuse, &Reuse{})
	return l
}
