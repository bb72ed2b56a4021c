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
		hook.Hooks{Stdio: func(_ context.Context, in io.Reader, out io.Writer) (io.Reader, io.Writer, func()) {
			noise()
			return in, out, nil
		}},
		hook.OnCall(hook.MethodList, func(c *hook.Call) bool { return c.Transport == hook.Stdio }, func(ctx context.Context, c *hook.Call, next hook.Handler) *hook.Reply {
			noise()
			return next(ctx, c)
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
