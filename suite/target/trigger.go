package target

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"net/http"
	"net/url"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/mcpcheck/mcpcheck/internal/environ"
	"github.com/mcpcheck/mcpcheck/internal/procgroup"
	"github.com/mcpcheck/mcpcheck/suite/transport"
)

// Triggers make the target change. All are optional.
type Triggers struct {
	// Update changes the contents of the resource that its URI names;
	// UpdateOther those of another resource that has nothing to do with it.
	Update      *Trigger `yaml:"update"`
	UpdateOther *Trigger `yaml:"update-other"`
	// Add makes a resource appear in the list (URI, if it is known before),
	// Remove makes one disappear.
	Add    *Trigger `yaml:"add"`
	Remove *Trigger `yaml:"remove"`
	// Break makes reads of its URI fail on the server's side.
	Break *Trigger `yaml:"break"`
	// Shutdown makes the target end its subscriptions, or itself, in order.
	Shutdown *Trigger `yaml:"shutdown"`
}

// All walks over the triggers by name, in the order of the documentation; those
// that are not given are nil.
func (t *Triggers) All() iter.Seq2[string, *Trigger] {
	return func(yield func(string, *Trigger) bool) {
		for name, v := range fields(reflect.ValueOf(*t)) {
			if tr, _ := v.Interface().(*Trigger); !yield(name, tr) {
				return
			}
		}
	}
}

// filled are triggers in whose commands and requests a port is filled in.
func (t Triggers) filled(fill func(string) string) Triggers {
	for _, tr := range []**Trigger{&t.Update, &t.UpdateOther, &t.Add, &t.Remove, &t.Break, &t.Shutdown} {
		if *tr != nil {
			*tr = (*tr).filled(fill)
		}
	}
	return t
}

// filled is a trigger like this one, with each text of its command or request as a function makes it.
func (t *Trigger) filled(fill func(string) string) *Trigger {
	copied := *t
	if x := t.Exec; x != nil {
		run := *x
		run.Command, run.Env = slices.Clone(x.Command), maps.Clone(x.Env)
		for i := range run.Command {
			run.Command[i] = fill(run.Command[i])
		}
		for name, v := range run.Env {
			v.Value = fill(v.Value)
			run.Env[name] = v
		}
		copied.Exec = &run
	}
	if c := t.HTTP; c != nil {
		call := *c
		call.URL, call.Body = fill(c.URL), fill(c.Body)
		copied.HTTP = &call
	}
	return &copied
}

// Pair is two unrelated resources that can both be changed.
func (t *Triggers) Pair() (update, other string, ok bool) {
	if t.Update == nil || t.UpdateOther == nil {
		return "", "", false
	}
	return t.Update.URI, t.UpdateOther.URI, true
}

// Trigger makes the target change, in one of five ways.
type Trigger struct {
	// URI is the resource that the change is about.
	URI string `yaml:"uri"`
	// Exactly one of these is set.
	Exec *Exec                       `yaml:"exec"`
	HTTP *Call                       `yaml:"http"`
	Tool *Tool                       `yaml:"tool"`
	Wait *Wait                       `yaml:"wait"`
	Func func(context.Context) error `yaml:"-"`
}

// Exec runs a command. It must end by itself; exit status 0 means that the
// change was made.
type Exec struct {
	Command []string         `yaml:"command" is:"command"`
	Env     map[string]Value `yaml:"env"` // as that of an [Endpoint], as are the next two
	EnvPass []string         `yaml:"env-pass" is:"env-pass"`
	EnvAll  bool             `yaml:"env-all"`
	Dir     string           `yaml:"dir" is:"directory"` // empty means the current directory
	Timeout time.Duration    `yaml:"timeout"`
}

// Call makes an HTTP request. Any status from 200 to 299 means that the change
// was made.
type Call struct {
	Method  string           `yaml:"method"` // empty means POST
	URL     string           `yaml:"url" is:"url"`
	Header  map[string]Value `yaml:"headers" is:"headers"`
	Body    string           `yaml:"body"`
	Timeout time.Duration    `yaml:"timeout"`
}

// Tool is a tool of the target itself; the run calls it on a session of its own.
type Tool struct {
	Name      string         `yaml:"name" is:"given"`
	Arguments map[string]any `yaml:"arguments"`
}

// Wait says that the target changes by itself within a time.
type Wait struct {
	For time.Duration `yaml:"for"`
}

// Kind says in which way the trigger works.
type Kind string

// The kinds. KindNone is a trigger with nothing in it.
const (
	KindNone Kind = ""
	KindExec Kind = "exec"
	KindHTTP Kind = "http"
	KindTool Kind = "tool"
	KindWait Kind = "wait"
	KindFunc Kind = "func"
)

// Kind says in which way the trigger works.
func (t *Trigger) Kind() Kind {
	switch {
	case t.Func != nil:
		return KindFunc
	case t.Exec != nil:
		return KindExec
	case t.HTTP != nil:
		return KindHTTP
	case t.Tool != nil:
		return KindTool
	case t.Wait != nil:
		return KindWait
	}
	return KindNone
}

// ErrToolCall is what Fire returns for a trigger that is a tool of the target:
// only somebody with a session can call it.
var ErrToolCall = errors.New("the trigger is a tool call and needs a session")

// DefaultTriggerTimeout bounds a command or an HTTP request of a trigger that
// sets no bound of its own.
const DefaultTriggerTimeout = 30 * time.Second

// Fire makes the change and returns when it is made. For a [Wait] it returns
// when the time is over; the change may come at any moment before. Errors say
// what failed in one sentence, with the end of what the command wrote to its
// standard error.
func (t *Trigger) Fire(ctx context.Context) error {
	switch t.Kind() {
	case KindFunc:
		return t.Func(ctx)
	case KindExec:
		return t.Exec.run(ctx)
	case KindHTTP:
		return t.HTTP.do(ctx)
	case KindTool:
		return ErrToolCall
	case KindWait:
		return t.Wait.sleep(ctx)
	}
	return errors.New("the trigger is empty")
}

func (w *Wait) sleep(ctx context.Context) error {
	timer := time.NewTimer(w.For)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("waiting for a change: %w", context.Cause(ctx))
	}
}

// keptOutput bounds what is kept of the output of a command or the body of an
// HTTP response, in bytes; errors quote it.
const keptOutput = 4 << 10

// leftoverWait is how long a command's children may hold its output open after
// it has ended.
const leftoverWait = 2 * time.Second

// run runs the command in a process group of its own and waits for its end.
// Whatever is left of the group then is killed.
func (x *Exec) run(ctx context.Context) error {
	env, err := variables(x.EnvPass, x.EnvAll, x.Env)
	if err != nil {
		return err
	}
	if len(x.Command) == 0 {
		return errors.New("the command of the trigger is empty")
	}
	limit := cmp.Or(max(x.Timeout, 0), DefaultTriggerTimeout)
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("it did not end within %s", limit))
	defer cancel()

	out := transport.NewTail(keptOutput)
	cmd := exec.CommandContext(ctx, x.Command[0], x.Command[1:]...)
	cmd.Env, cmd.Dir = environ.Of(env), x.Dir
	cmd.Stdout, cmd.Stderr = out, out
	cmd.WaitDelay = leftoverWait
	if err := procgroup.Start(cmd); err != nil {
		return fmt.Errorf("the trigger %s cannot be started: %w", filepath.Base(x.Command[0]), err)
	}
	err = procgroup.Wait(cmd)
	procgroup.Clear(cmd.Process.Pid)
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		err = context.Cause(ctx)
	}
	advice := transport.Advice(out.String(), env, true)
	return fmt.Errorf("the trigger %s failed: %w%s%s", filepath.Base(x.Command[0]), err, said(out), advice)
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
	maps.Copy(req.Header, header)
	if host := header.Get("Host"); host != "" {
		req.Host = host
	}
	client := &http.Client{Transport: &http.Transport{Proxy: http.ProxyFromEnvironment,
		DisableKeepAlives: true}}
	resp, err := client.Do(req)
	if err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return fmt.Errorf("the trigger %s %s failed: %w", method, where, bare(err))
	}
	defer resp.Body.Close()
	out := transport.NewTail(keptOutput)
	if _, err := io.Copy(out, io.LimitReader(resp.Body, 1<<20)); err != nil {
		return fmt.Errorf("the trigger %s %s failed while its answer was read: %w", method, where, bare(err))
	}
	if resp.StatusCode/100 != 2 {
		return fmt.Errorf("the trigger %s %s was answered %s%s", method, where, resp.Status, said(out))
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

// said is the end of an output, as the end of a sentence; empty if there was none.
func said(out *transport.Tail) string {
	s := strings.TrimSpace(out.String())
	for s != "" && !utf8.RuneStart(s[0]) {
		s = s[1:]
	}
	if s == "" {
		return ""
	}
	return fmt.Sprintf("; it said %q", s)
}
