package engine

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"

	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/mcpcheck/mcpcheck/reference/journal"
)

var logLevels = []string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}

// serveLegacy serves a request of a revision with a handshake.
func (e *Engine) serveLegacy(ctx context.Context, x *exchange, c *hook.Call, params *arguments) *hook.Reply {
	if c.Params != nil && !params.object {
		return fail(codeInvalidParams, "Invalid params: not an object")
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
		return fail(codeInvalidParams, `Invalid params: "_meta" must be an object`)
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
			return fail(codeInvalidParams, "Invalid params: unknown log level")
		}
		return &hook.Reply{Result: hook.Object{}}
	}
	if r, known := e.serveFeature(ctx, c, params); known {
		return r
	}
	return fail(codeMethodNotFound, "Method not found")
}

// serveFeature serves the methods that both eras have.
func (e *Engine) serveFeature(ctx context.Context, c *hook.Call, params *arguments) (r *hook.Reply, known bool) {
	switch c.Method {
	case hook.MethodList:
		return e.serveListed(c, params, func(served *snapshot, after uint64) hook.Object {
			return e.resourcePage(ctx, c, served, after)
		}), true
	case hook.MethodTemplates:
		return e.serveListed(c, params, func(served *snapshot, after uint64) hook.Object { return e.templatePage(c, served, after) }), true
	case hook.MethodRead:
		return e.serveRead(ctx, c, params), true
	case hook.MethodComplete:
		if e.served().caps.Completions {
			return e.serveComplete(ctx, c, params), true
		}
	}
	if served := e.served(); served.offers(c.Method) {
		return e.serveOffer(ctx, c, params, &served.world), true
	}
	return nil, false
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
		return fail(codeInvalidParams, `Invalid params: "protocolVersion" must be a string`)
	}
	if _, ok := params["capabilities"].(hook.Object); !ok {
		return fail(codeInvalidParams, `Invalid params: "capabilities" must be an object`)
	}
	if !isImplementation(hook.Encode(params["clientInfo"])) {
		return fail(codeInvalidParams, `Invalid params: "clientInfo" must have a name and a version`)
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

// capabilities are what the server declares in a revision. Completions had no
// capability in 2024-11-05; logging is deprecated in 2026-07-28 and not offered.
func (e *Engine) capabilities(revision string) hook.Object {
	resources := hook.Object{}
	if e.served().caps.Subscribe {
		resources["subscribe"] = true
	}
	if e.served().caps.ListChanged {
		resources["listChanged"] = true
	}
	all := hook.Object{"resources": resources}
	if e.served().caps.Completions && revision >= hook.R20250326 {
		all["completions"] = hook.Object{}
	}
	if e.served().caps.Logging && !hook.Modern(revision) {
		all["logging"] = hook.Object{}
	}
	for feature, method := range map[string]string{"tools": methodTools, "prompts": methodPrompts} {
		if e.served().offers(method) {
			all[feature] = hook.Object{}
		}
	}
	return all
}

func (e *Engine) serveSubscription(ctx context.Context, s *session, c *hook.Call, params *arguments) *hook.Reply {
	uri, r := e.uriParam(params)
	if r != nil {
		return r
	}
	if c.Method == "resources/unsubscribe" {
		s.mu.Lock()
		delete(s.subscribed, uri)
		s.mu.Unlock()
		return &hook.Reply{Result: hook.Object{}}
	}
	if !e.exists(ctx, viewerOf(ctx), uri) {
		return notFound(c.Revision, uri)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.subscribed) >= maxListenResources {
		return fail(codeInternal, "Too many subscriptions")
	}
	if s.subscribed == nil {
		s.subscribed = map[string]bool{}
	}
	s.subscribed[uri] = true
	return &hook.Reply{Result: hook.Object{}}
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

// unsupported refuses a version (2026-07-28). The list never holds the refused
// one, which may be a legacy revision that was asked for in modern fashion.
func (e *Engine) unsupported(transport, requested string) *hook.Reply {
	supported := slices.DeleteFunc(e.supported(transport), func(r string) bool { return r == requested })
	r := failWith(codeUnsupported, "Unsupported protocol version", hook.Object{
		"supported": texts(supported), "requested": requested,
	})
	r.Status = http.StatusBadRequest
	return r
}

// notFound is the answer to a request about a resource that is not there.
func notFound(revision, uri string) *hook.Reply {
	code := codeNotFound
	if hook.Modern(revision) {
		code = codeInvalidParams
	}
	b := append(make([]byte, 0, 128+len(uri)), `"error":{"code":`...)
	b = append(strconv.AppendInt(b, int64(code), 10), `,"data":{"uri":`...)
	b = append(hook.AppendEncoded(b, uri), `},"message":"Resource not found"}}`...)
	return &hook.Reply{Rendered: journal.NewShared(b)}
}
