package target

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"
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
		_ = yield("update", t.Update) && yield("update-other", t.UpdateOther) &&
			yield("add", t.Add) && yield("remove", t.Remove) &&
			yield("break", t.Break) && yield("shutdown", t.Shutdown)
	}
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
	Command []string         `yaml:"command"`
	Env     map[string]Value `yaml:"env"` // added to the environment of mcpcheck
	Dir     string           `yaml:"dir"` // empty means the current directory
	Timeout time.Duration    `yaml:"timeout"`
}

// Call makes an HTTP request. Any status from 200 to 299 means that the change
// was made.
type Call struct {
	Method  string           `yaml:"method"` // empty means POST
	URL     string           `yaml:"url"`
	Header  map[string]Value `yaml:"headers"`
	Body    string           `yaml:"body"`
	Timeout time.Duration    `yaml:"timeout"`
}

// Tool is a tool of the target itself; the run calls it on a session of its own.
type Tool struct {
	Name      string         `yaml:"name"`
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
