package engine

import (
	"encoding/json"
	"slices"

	"github.com/mcpcheck/mcpcheck/reference/hook"
)

// legacy serves a request of a revision with a handshake.
func (q serving) legacy() *hook.Reply {
	if q.Params != nil && !q.params.object {
		return badParams("not an object")
	}
	revision := q.session.Revision()
	switch {
	case q.Method == methodInitialize:
		return q.initialize()
	case q.Method == "ping":
		return reply(hook.Object{})
	case revision == "":
		return fail(codeInvalidRequest, "Invalid request: the session has not been initialized")
	}
	q.Revision = revision
	if q.params.meta != nil && !q.params.described() && string(q.params.meta) != "null" {
		return badParams(`"_meta" must be an object`)
	}
	switch q.Method {
	case "resources/subscribe", "resources/unsubscribe":
		if !q.served().caps.Subscribe {
			break
		}
		return q.subscription()
	case "logging/setLevel":
		if !q.served().caps.Logging {
			break
		}
		if level, _ := q.params.decode()["level"].(string); !slices.Contains(logLevels, level) {
			return badParams("unknown log level")
		}
		return reply(hook.Object{})
	}
	if r := q.feature(); r != nil {
		return r
	}
	return fail(codeMethodNotFound, "Method not found")
}

// initialize opens a session: it settles the revision and tells what the server
// can do.
func (q serving) initialize() *hook.Reply {
	s, params := q.session, q.params.decode()
	wanted, ok := params["protocolVersion"].(string)
	offered := q.handshaking(s.transport)
	switch {
	case len(offered) == 0:
		return q.refuseHandshake(wanted)
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
	if s.transport == hook.HTTP && q.register(s) != nil {
		return fail(codeInternal, "Internal error: the server is closing")
	}
	result := hook.Object{
		"protocolVersion": revision,
		"capabilities":    q.capabilities(revision),
		"serverInfo":      q.introduce(revision),
	}
	optional(result, "instructions", q.served().world.Instructions)
	return reply(result)
}

// refuseHandshake is the answer to initialize where no revision has it. Over HTTP the headers are validated
// as those of any request (2026-07-28, basic/versioning, compatibility matrix); elsewhere the code is free.
// It names the versions that are served, for clients that can do no more than show it.
func (q serving) refuseHandshake(wanted string) *hook.Reply {
	r := q.unsupported(q.Transport, wanted)
	if q.Transport == hook.HTTP {
		data := r.Error["data"]
		r = q.unversioned()
		r.Error["data"] = data
	}
	return r
}
