package record

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/tidwall/gjson"

	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/mcpcheck/mcpcheck/reference/journal"
)

// maxOpen bounds the requests whose answers are waited for.
const maxOpen = 10_000

// Recorder writes a recording. Its methods may be used from several goroutines.
type Recorder struct {
	// AllowedHosts and AllowedOrigins may call a [Proxy] or [Sessions] beside those of loopback addresses, as
	// for reference.Options.
	AllowedHosts, AllowedOrigins []string

	journal *journal.Journal

	mu        sync.Mutex
	open      map[string]journal.Entry // requests without an answer, by session, direction and id
	revisions map[string]string        // by session
	endpoints map[string]string        // of HTTP+SSE: the session, by path and query
}

// NewRecorder writes the header of a recording and makes a recorder of what follows. Of
// messages, what matches a mask is replaced, in strings only, and not in the names of members:
// a message must stay what it is. So are secrets, in whatever form they come up.
func NewRecorder(w io.Writer, h Header, masks []*regexp.Regexp, secrets ...string) (*Recorder, error) {
	h.Format = Format
	if h.Started.IsZero() {
		h.Started = time.Now().UTC()
	}
	line, err := json.Marshal(h)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(append(line, '\n')); err != nil {
		return nil, fmt.Errorf("the recording could not be written: %w", err)
	}
	return &Recorder{
		journal: journal.New(journal.Options{
			Entries: 1, MaxRaw: maxMessage, Writer: w, Patterns: masks, Secrets: secrets,
		}),
		open: map[string]journal.Entry{}, revisions: map[string]string{}, endpoints: map[string]string{},
	}, nil
}

// Err is the error that ended the writing; nil if there was none.
func (r *Recorder) Err() error { return r.journal.Err() }

// note writes an entry about a message. What it answers, and in what revision, is found out.
func (r *Recorder) note(e *journal.Entry, raw []byte) {
	raw = bytes.TrimRight(raw, "\r\n")
	kind := e.Kind
	if len(raw) > 0 || kind == "" {
		e.Classify(raw)
		if e.Kind == journal.Unreadable && kind != "" {
			e.Kind = kind
		}
	}
	r.mu.Lock()
	r.relate(e, raw)
	r.mu.Unlock()
	r.journal.Note(e, raw)
	if e.Kind == journal.Request || e.Kind == journal.Batch {
		r.expect(e, raw)
	}
}

func key(e *journal.Entry, from journal.Direction, id []byte) string {
	return e.Session + "\x00" + string(from) + "\x00" + idKey(id)
}

// relate fills in what an entry has to do with those before it. The caller holds mu.
func (r *Recorder) relate(e *journal.Entry, raw []byte) {
	if version := gjson.GetBytes(raw,
		`params._meta.io\.modelcontextprotocol/protocolVersion`); e.Kind == journal.Request &&
		version.Exists() {
		e.Revision = version.String()
	}
	if e.Kind == journal.Response {
		from := journal.In
		if e.Direction == journal.In {
			from = journal.Out
		}
		k := key(e, from, e.ID)
		if q, ok := r.open[k]; ok {
			delete(r.open, k)
			e.RequestSeq, e.Method, e.URI = q.Seq, q.Method, q.URI
			e.Revision = cmp.Or(e.Revision, q.Revision)
		}
		if version := gjson.GetBytes(raw, "result.protocolVersion"); e.Method == "initialize" &&
			version.Exists() {
			e.Revision = version.String()
			if len(r.revisions) < maxOpen {
				r.revisions[e.Session] = e.Revision
			}
		}
	}
	e.Revision = cmp.Or(e.Revision, r.revisions[e.Session])
}

// expect remembers the requests of a message.
func (r *Recorder) expect(e *journal.Entry, raw []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, m := range members(e, raw) {
		if m.Kind == journal.Request && len(r.open) < maxOpen {
			m.Raw, m.HTTP = nil, nil // are not needed
			r.open[key(e, e.Direction, m.ID)] = m
		}
	}
}

// members are the messages of an entry: those of a batch, or the one that it is.
func members(e *journal.Entry, raw []byte) []journal.Entry {
	if e.Kind != journal.Batch {
		one := *e
		one.Raw, one.Size = raw, len(raw)
		return []journal.Entry{one}
	}
	var all []journal.Entry
	for _, member := range gjson.ParseBytes(raw).Array() {
		m := *e
		m.ID, m.Method, m.URI = nil, "", ""
		m.Raw, m.Size = []byte(member.Raw), len(member.Raw)
		m.Classify(m.Raw)
		all = append(all, m)
	}
	return all
}

// splitter takes a stream of bytes apart into lines.
type splitter struct {
	line []byte
	each func(line []byte)
}

// feed takes the next bytes of the stream. Of a line that is too long the beginning is kept.
func (s *splitter) feed(p []byte) {
	for len(p) > 0 {
		part, rest, ended := bytes.Cut(p, []byte("\n"))
		if room := maxMessage + 1 - len(s.line); len(part) > room {
			part = part[:room]
		}
		s.line = append(s.line, part...)
		if !ended {
			return
		}
		s.end()
		p = rest
	}
}

// end says that the line has ended.
func (s *splitter) end() {
	if len(bytes.TrimSpace(s.line)) > 0 {
		s.each(s.line)
	}
	s.line = s.line[:0]
}

// Describe is a URL without what must not be written down.
func Describe(rawURL string) string {
	rest, _, _ := strings.Cut(rawURL, "?")
	scheme, host, ok := strings.Cut(rest, "://")
	if !ok {
		return rest
	}
	if at := strings.LastIndexByte(strings.SplitN(host, "/", 2)[0], '@'); at >= 0 {
		host = host[at+1:]
	}
	return scheme + "://" + host
}

type entryKey struct{}

// entryOf is the entry of the request that a response belongs to.
func entryOf(ctx context.Context) *journal.Entry {
	e, _ := ctx.Value(entryKey{}).(*journal.Entry)
	return e
}

// adopt says that a session has another name from now on: the handshake has given it one.
func (r *Recorder) adopt(was, is string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for k, q := range r.open {
		if rest, ok := strings.CutPrefix(k, was+"\x00"); ok {
			delete(r.open, k)
			r.open[is+"\x00"+rest] = q
		}
	}
}

// learn remembers the endpoint that an event stream of HTTP+SSE has named.
func (r *Recorder) learn(path, session string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.endpoints) < maxOpen {
		r.endpoints[path] = session
	}
	return session
}

// endpoint is the session whose endpoint a path is; empty if it is none.
func (r *Recorder) endpoint(path string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.endpoints[path]
}

// idKey is an id under which requests and answers are found, however it is spelt.
func idKey[T ~string | ~[]byte](id T) string {
	switch v := gjson.Parse(string(id)); {
	case v.Type == gjson.String:
		return string(gjson.AppendJSONString(nil, v.Str))
	case v.Type == gjson.Number && strings.ContainsAny(v.Raw, ".eE"):
		return strconv.FormatFloat(v.Num, 'f', -1, 64)
	default:
		return v.Raw
	}
}

// nameless reports whether a message is an error that does not say which request it answers.
func nameless(message []byte) bool {
	m := gjson.ParseBytes(message)
	return m.IsObject() && m.Get("error").Exists() && !m.Get("method").Exists() &&
		m.Get("id").Type == gjson.Null
}

// Stdio passes the bytes of a connection on, from the client to the server and back, and
// records the messages. It closes the input of the server when that of the client has ended,
// and returns when the output of the server has; the error is that of the context or of a
// stream. A read from the client that is blocked by then is abandoned.
func (r *Recorder) Stdio(ctx context.Context, fromClient io.Reader, toClient io.Writer,
	toServer io.WriteCloser, fromServer io.Reader) error {
	connection := journal.Entry{Kind: journal.Opened, Transport: hook.Stdio, Session: "stdio",
		Scope: journal.ScopeConnection}
	r.journal.Note(&connection, nil)
	noted := func(d journal.Direction) func(line []byte) {
		return func(line []byte) {
			r.note(&journal.Entry{Direction: d, Transport: hook.Stdio, Session: "stdio"}, line)
		}
	}
	in := make(chan error, 1)
	go func() { in <- errors.Join(pass(fromClient, toServer, noted(journal.In)), toServer.Close()) }()
	out := make(chan error, 1)
	go func() { out <- pass(fromServer, toClient, noted(journal.Out)) }()
	reason := "server"
	var err error
	select {
	case err = <-out:
	case sent := <-in:
		if sent == nil {
			reason = "client"
		}
		select {
		case err = <-out:
		case <-ctx.Done():
			err = ctx.Err()
		}
	case <-ctx.Done():
		err, reason = ctx.Err(), "shutdown"
	}
	connection.Kind, connection.Reason = journal.Closed, reason
	r.journal.Note(&connection, nil)
	return errors.Join(err, r.Err())
}

// pass copies a stream. Each line is noted before its end is passed on.
func pass(from io.Reader, to io.Writer, note func(line []byte)) error {
	lines := splitter{each: note}
	buf := make([]byte, 64<<10)
	for {
		n, err := from.Read(buf)
		lines.feed(buf[:n])
		if n > 0 {
			if _, err := to.Write(buf[:n]); err != nil {
				return err
			}
		}
		if err != nil {
			lines.end()
			if errors.Is(err, io.EOF) || errors.Is(err, fs.ErrClosed) || errors.Is(err, io.ErrClosedPipe) {
				return nil
			}
			return err
		}
	}
}
