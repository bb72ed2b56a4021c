// Package embedded describes the reference server, running in this process, as a
// target with everything that can be said about it, so that a run leaves out no
// requirement which it can exercise. The command line judges it when no target is
// given, and the proof judges it with faults and quirks.
package embedded

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/mcpcheck/mcpcheck/fixtures/targets"
	"github.com/mcpcheck/mcpcheck/internal/yamlfile"
	"github.com/mcpcheck/mcpcheck/reference"
	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/mcpcheck/mcpcheck/suite/area"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/target"
)

// pageSize is how many entries the embedded server puts on a page, so that there
// is something to walk through, templates included.
const pageSize = 3

// QuietWindow is how long silence is watched of a server in the same process,
// where nothing takes longer.
const QuietWindow = 100 * time.Millisecond

// Complete is [Target] with a server that demands bearer tokens over HTTP, so that
// what is about callers and their rights is exercised, too.
func Complete(o reference.Options) (*target.Target, *reference.Server, error) {
	o.Hooks = hook.Join(o.Hooks, hook.RequireBearer())
	t, server, err := Target(o)
	if err != nil {
		return nil, nil, err
	}
	Authorize(t)
	return t, server, nil
}

// Authorize describes a reference server that demands a bearer token: the tokens
// of all kinds of callers, and what the weak one must not see.
func Authorize(t *target.Target) {
	bearer := func(token string) map[string]target.Value {
		return map[string]target.Value{"Authorization": target.Plain("Bearer " + token)}
	}
	for i := range t.Endpoints {
		if t.Endpoints[i].Handler != nil {
			t.Endpoints[i].Header = bearer(hook.TokenFull)
		}
	}
	t.Authorization = target.AuthorizationProtocol
	t.Identities = []target.Identity{
		{Name: "weak", Header: bearer(hook.TokenWeak), Rights: target.RightsWeaker},
		{Name: "foreign", Header: bearer(hook.TokenForeign), Rights: target.RightsForeign},
		{Name: "none", Header: bearer("not-a-token-of-anybody"), Rights: target.RightsNone},
	}
	t.Subjects.Protected = []target.Protected{{URI: hook.ProtectedURI, Identity: "weak"}}
}

// Target starts a reference server with its default world and describes it. The
// caller closes the server.
func Target(o reference.Options) (*target.Target, *reference.Server, error) {
	return TargetOf(reference.DefaultWorld(), o)
}

// TargetOf is [Target] with a variant of the default world: what the target file
// of the reference says must hold in it.
func TargetOf(w reference.World, o reference.Options) (*target.Target, *reference.Server, error) {
	if o.PageSize == 0 {
		o.PageSize = pageSize
	}
	server, err := reference.New(w, o)
	if err != nil {
		return nil, nil, err
	}
	t, err := describe(server)
	if err != nil {
		_ = server.Close() // it was not used
		return nil, nil, err
	}
	return t, server, nil
}

// describe joins the reference's target file with the endpoints and triggers of a
// server in this process.
func describe(server *reference.Server) (*target.Target, error) {
	data, err := targets.Read(targets.Reference)
	if err != nil {
		return nil, err
	}
	t := &target.Target{}
	if _, err := yamlfile.Decode(targets.Reference, data, t); err != nil {
		return nil, err
	}
	attach(t, server)
	return t, t.Validate(area.Catalogue())
}

// attach adds the endpoints and triggers of a server in this process.
func attach(t *target.Target, server *reference.Server) {
	t.Endpoints = []target.Endpoint{
		{Name: "reference, stdio", Pipe: func(context.Context) (io.ReadWriteCloser, error) {
			return server.Pipe(context.Background()) // it outlives the dialling
		}},
		{Name: "reference, Streamable HTTP", Handler: server.Handler(), Path: "/mcp",
			Forced: requirement.HTTP},
		{Name: "reference, HTTP+SSE", Handler: server.Handler(), Path: "/sse", Forced: requirement.SSE},
	}
	t.Triggers = triggers(server)
}

// The resources that the triggers are about. The last two exist only between
// their triggers, and the broken one is never listed.
const (
	updatedURI = "note:shopping"
	otherURI   = "log://app/current"
	addedURI   = "note:added"
	brokenURI  = "test://broken"
)

// triggers make a server in this process change.
func triggers(server *reference.Server) target.Triggers {
	text := "a note that was not there before\n"
	there := func(uri string, found bool) error {
		if !found {
			return fmt.Errorf("there is no resource %s", uri)
		}
		return nil
	}
	return target.Triggers{
		Update: &target.Trigger{URI: updatedURI, Func: func(context.Context) error {
			found, err := server.Update(updatedURI, func(r *reference.Resource) error {
				// As long as before, so that its size in the list stays right.
				r.Text = new(strings.NewReplacer("milk", "eggs", "eggs", "milk").Replace(*r.Text))
				return nil
			})
			return cmp.Or(err, there(updatedURI, found))
		}},
		UpdateOther: &target.Trigger{URI: otherURI, Func: func(context.Context) error {
			return there(otherURI, server.Touch(otherURI))
		}},
		Add: &target.Trigger{URI: addedURI, Func: func(context.Context) error {
			return server.Put(reference.Resource{URI: addedURI, Name: "added", MIMEType: "text/plain",
				Text: &text})
		}},
		Remove: &target.Trigger{URI: addedURI, Func: func(context.Context) error {
			return there(addedURI, server.Remove(addedURI))
		}},
		Break: &target.Trigger{URI: brokenURI, Func: func(context.Context) error {
			return server.Put(reference.Resource{URI: brokenURI, Name: "broken", Hidden: true,
				Fails: "the backend does not answer"})
		}},
		Shutdown: &target.Trigger{Func: func(context.Context) error {
			server.EndSubscriptions()
			return nil
		}},
	}
}
