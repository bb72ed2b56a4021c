package target

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/mcpcheck/mcpcheck/internal/procgroup"
)

// keptOutput bounds what is kept of the output of a command or the body of an
// HTTP response, in bytes; errors quote it.
const keptOutput = 4 << 10

// leftoverWait is how long a command's children may hold its output open after
// it has ended.
const leftoverWait = 2 * time.Second

// run runs the command in a process group of its own and waits for its end.
// Whatever is left of the group then is killed.
func (x *Exec) run(ctx context.Context) error {
	env, err := environment(x.Env)
	if err != nil {
		return err
	}
	if len(x.Command) == 0 {
		return errors.New("the command of the trigger is empty")
	}
	limit := cmp.Or(max(x.Timeout, 0), DefaultTriggerTimeout)
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("it did not end within %s", limit))
	defer cancel()

	var out tail
	cmd := exec.CommandContext(ctx, x.Command[0], x.Command[1:]...)
	cmd.Env, cmd.Dir = env, x.Dir
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.WaitDelay = leftoverWait
	procgroup.Separate(cmd)
	cmd.Cancel = func() error { return procgroup.Kill(cmd.Process.Pid) }
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("the trigger %s cannot be started: %w", filepath.Base(x.Command[0]), err)
	}
	err = cmd.Wait()
	_ = procgroup.Kill(cmd.Process.Pid) // that nobody is left is the ordinary case
	switch {
	case err == nil, errors.Is(err, exec.ErrWaitDelay) && cmd.ProcessState.Success():
		return nil
	case ctx.Err() != nil:
		err = context.Cause(ctx)
	}
	return fmt.Errorf("the trigger %s failed: %w%s", filepath.Base(x.Command[0]), err, out.quote())
}

// environment is that of this process with the given variables set.
func environment(set map[string]Value) ([]string, error) {
	env := os.Environ()
	for _, name := range slices.Sorted(maps.Keys(set)) {
		value, err := set[name].Reveal()
		if err != nil {
			return nil, fmt.Errorf("env %s: %w", name, err)
		}
		env = append(env, name+"="+value)
	}
	return env, nil
}

// do makes the request and reads the response to its end, or to a bound.
func (c *Call) do(ctx context.Context) error {
	limit := cmp.Or(max(c.Timeout, 0), DefaultTriggerTimeout)
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("no answer within %s", limit))
	defer cancel()
	method := cmp.Or(c.Method, http.MethodPost)
	where := redactURL(c.URL)
	req, err := http.NewRequestWithContext(ctx, method, c.URL, strings.NewReader(c.Body))
	if err != nil {
		return fmt.Errorf("the trigger %s %s is no valid request", method, where)
	}
	header, err := reveal(c.Header)
	if err != nil {
		return err
	}
	for name, values := range header {
		req.Header[name] = values
	}
	if host := header.Get("Host"); host != "" {
		req.Host = host
	}
	client := &http.Client{Transport: &http.Transport{Proxy: http.ProxyFromEnvironment, DisableKeepAlives: true}}
	resp, err := client.Do(req)
	if err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return fmt.Errorf("the trigger %s %s failed: %w", method, where, bare(err))
	}
	defer resp.Body.Close()
	var out tail
	if _, err := io.Copy(&out, io.LimitReader(resp.Body, 1<<20)); err != nil {
		return fmt.Errorf("the trigger %s %s failed while its answer was read: %w", method, where, bare(err))
	}
	if resp.StatusCode/100 != 2 {
		return fmt.Errorf("the trigger %s %s was answered %s%s", method, where, resp.Status, out.quote())
	}
	return nil
}

// bare drops the URL, which may hold a secret, from an error of net/http.
func bare(err error) error {
	if e, ok := errors.AsType[*url.Error](err); ok {
		return e.Err
	}
	return err
}

// reveal turns header values into a header.
func reveal(values map[string]Value) (http.Header, error) {
	header := make(http.Header, len(values))
	for _, name := range slices.Sorted(maps.Keys(values)) {
		value, err := values[name].Reveal()
		if err != nil {
			return nil, fmt.Errorf("header %s: %w", name, err)
		}
		header.Set(name, value)
	}
	return header, nil
}

// tail keeps the last bytes written to it. [exec.Cmd] writes from one goroutine
// and has finished when Wait returns.
type tail struct {
	kept bytes.Buffer
}

func (t *tail) Write(p []byte) (int, error) {
	n := len(p)
	if len(p) > keptOutput {
		p = p[len(p)-keptOutput:]
	}
	t.kept.Write(p)
	if over := t.kept.Len() - keptOutput; over > 0 {
		t.kept.Next(over)
	}
	return n, nil
}

// quote is what was kept, as the end of a sentence; empty if nothing was.
func (t *tail) quote() string {
	b := bytes.TrimSpace(t.kept.Bytes())
	for len(b) > 0 && !utf8.RuneStart(b[0]) {
		b = b[1:]
	}
	if len(b) == 0 {
		return ""
	}
	return fmt.Sprintf("; it said %q", b)
}
