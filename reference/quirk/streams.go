package quirk

import (
	"context"
	"io"
	"os"
	"time"

	"github.com/mcpcheck/mcpcheck/reference/hook"
)

// noisy writes to the standard error of the process at the beginning of a
// connection, and again for each list.
func noisy() hook.Hooks {
	noise := func() {
		// Nobody has to listen.
		_, _ = io.WriteString(os.Stderr, "listening\n\x1b[31mERROR\x1b[0m nothing is wrong\n"+
			`{"jsonrpc":"2.0","id":1,"result":{"resources":null}}`+"\n\xff\xfe no line break")
	}
	return hook.Join(
		hook.Hooks{Streams: hook.Streams{Start: func(context.Context, io.Writer) { noise() }}},
		hook.EditCall(hook.MethodList, func(c *hook.Call) {
			if c.Transport == hook.Stdio {
				noise()
			}
		}))
}

// idleReader ends the input when nothing has come for a while.
type idleReader struct {
	chunks chan []byte
	ctx    context.Context
	idle   time.Duration
	rest   []byte
	err    error // why the input has ended; set before chunks is closed
}

func newIdleReader(ctx context.Context, r io.Reader, idle time.Duration) *idleReader {
	ir := &idleReader{chunks: make(chan []byte), ctx: ctx, idle: idle}
	go ir.fill(r)
	return ir
}

func (ir *idleReader) fill(r io.Reader) {
	defer close(ir.chunks)
	for {
		buf := make([]byte, 32<<10)
		n, err := r.Read(buf)
		if n > 0 {
			select {
			case ir.chunks <- buf[:n]:
			case <-ir.ctx.Done():
				ir.err = ir.ctx.Err()
				return
			}
		}
		if err != nil {
			ir.err = err
			return
		}
	}
}

// Read implements [io.Reader].
func (ir *idleReader) Read(p []byte) (int, error) {
	if len(ir.rest) == 0 {
		timer := time.NewTimer(ir.idle)
		defer timer.Stop()
		select {
		case chunk, ok := <-ir.chunks:
			if !ok {
				return 0, ir.err
			}
			ir.rest = chunk
		case <-timer.C:
			return 0, io.EOF
		}
	}
	n := copy(p, ir.rest)
	ir.rest = ir.rest[n:]
	return n, nil
}
