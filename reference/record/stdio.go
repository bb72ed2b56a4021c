package record

import (
	"context"
	"errors"
	"io"
	"io/fs"

	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/mcpcheck/mcpcheck/reference/journal"
)

// Stdio passes the bytes of a connection on, from the client to the server and back, and
// records the messages. It closes the input of the server when that of the client has ended,
// and returns when the output of the server has; the error is that of the context or of a
// stream. A read from the client that is blocked by then is abandoned.
func (r *Recorder) Stdio(ctx context.Context, fromClient io.Reader, toClient io.Writer, toServer io.WriteCloser, fromServer io.Reader) error {
	entry := func(d journal.Direction) *journal.Entry {
		return &journal.Entry{Direction: d, Transport: hook.Stdio, Session: "stdio"}
	}
	r.journal.Note(&journal.Entry{Kind: journal.Opened, Transport: hook.Stdio, Session: "stdio", Scope: journal.ScopeConnection}, nil)
	in := make(chan error, 1)
	go func() {
		err := r.pass(fromClient, toServer, func(line []byte) { r.note(entry(journal.In), line) })
		in <- errors.Join(err, toServer.Close())
	}()
	out := make(chan error, 1)
	go func() { out <- r.pass(fromServer, toClient, func(line []byte) { r.note(entry(journal.Out), line) }) }()
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
	r.journal.Note(&journal.Entry{Kind: journal.Closed, Transport: hook.Stdio, Session: "stdio", Scope: journal.ScopeConnection, Reason: reason}, nil)
	return errors.Join(err, r.Err())
}

// pass copies a stream. Each line is noted before its end is passed on.
func (r *Recorder) pass(from io.Reader, to io.Writer, note func(line []byte)) error {
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
