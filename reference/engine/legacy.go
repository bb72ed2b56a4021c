package engine

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/mcpcheck/mcpcheck/reference/hook"
)

// serveLegacy serves a request of a revision with a handshake.
func (e *Engine) serveLegacy(ctx context.Context, x *exchange, c *hook.Call, params *arguments) *hook.Reply {
	if c.Params != nil && !params.object {
		return badParams("not an object")
	}
	revision := x.session.Revision()
	switch {
	case c.Method == methodInitialize:
		return e.initialize(x.session, c, params)
	case c.Method == "ping":
		return &hook.Reply{Result: hook.Object{}}
	case revision == "":
		return fail(codeInvalidRequest, "Invalid request: the session has not been initialized")
	}
	c.Revision = revision
	if params.meta != nil && !params.described() && string(params.meta) != "null" {
		return badParams(`"_meta" must be an object`)
	}
	switch c.Method {
	case "resources/subscribe", "resources/unsubscribe":
		if !e.served().caps.Subscribe {
			break
		}
		return e.serveSubscription(ctx, x.session, c, params)
	case "logging/setLevel":
		if !e.served().caps.Logging {
			break
		}
		if level, _ := params.decode()["level"].(string); !slices.Contains(logLevels, level) {
			return badParams("unknown log level")
		}
		return &hook.Reply{Result: hook.Object{}}
	}
	if r, known := e.serveFeature(ctx, c, params); known {
		return r
	}
	return fail(codeMethodNotFound, "Method not found")
}

// initialize opens a session: it settles the revision and tells what the server
// can do.
func (e *Engine) initialize(s *session, c *hook.Call, given *arguments) *hook.Reply {
	params := given.decode()
	wanted, ok := params["protocolVersion"].(string)
	offered := e.handshaking(s.transport)
	switch {
	case len(offered) == 0:
		return e.refuseHandshake(c, given, wanted)
	case !ok:
		return badParams(`"protocolVersion" must be a string`)
	}
	if _, ok := params["capabilities"].(hook.Object); !ok {
		return badParams(`"capabilities" must be an object`)
	}
	if !isImplementation(hook.Encode(params["clientInfo"])) {
		return badParams(`"clientInfo" must have a name and a version`)
	}
	revision := offered[len(offered)-1]
	if slices.Contains(offered, wanted) {
		revision = wanted
	}
	s.mu.Lock()
	again := s.revision != ""
	if !again {
		s.revision = revision
		s.client = json.RawMessage(hook.Encode(params["clientInfo"]))
		s.declared = json.RawMessage(hook.Encode(params["capabilities"]))
	}
	s.mu.Unlock()
	if again {
		return fail(codeInvalidRequest, "Invalid request: the session is initialized already")
	}
	if s.transport == hook.HTTP && s.engine.register(s) != nil {
		return fail(codeInternal, "Internal error: the server is closing")
	}
	result := hook.Object{
		"protocolVersion": revision,
		"capabilities":    e.capabilities(revision),
		"serverInfo":      e.introduce(revision),
	}
	if e.served().world.Instructions != "" {
		result["instructions"] = e.served().world.Instructions
	}
	return &hook.Reply{Result: result}
}

// refuseHandshake is the answer to initialize where no revision has it. Over HTTP the headers are validated
// as those of any request (2026-07-28, basic/versioning, compatibility matrix); elsewhere the code is free.
// It names the versions that are served, for clients that can do no more than show it.
func (e *Engine) refuseHandshake(c *hook.Call, params *arguments, wanted string) *hook.Reply {
	r := e.unsupported(c.Transport, wanted)
	if c.Transport == hook.HTTP {
		data := r.Error["data"]
		r = e.unversioned(c, params)
		r.Error["data"] = data
	}
	return r
}
