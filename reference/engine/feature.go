package engine

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"slices"

	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/mcpcheck/mcpcheck/reference/internal/scan"
	"github.com/mcpcheck/mcpcheck/reference/world"
)

// serveFeature serves the methods that both eras have.
func (e *Engine) serveFeature(ctx context.Context, c *hook.Call, params *arguments) (r *hook.Reply,
	known bool) {
	switch c.Method {
	case hook.MethodList:
		return e.serveListed(c, params, func(served *snapshot, after uint64) hook.Object {
			return e.resourcePage(ctx, c, served, after)
		}), true
	case hook.MethodTemplates:
		return e.serveListed(c, params, func(served *snapshot, after uint64) hook.Object {
			return e.templatePage(c, served, after)
		}), true
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

// serveOffer serves a method that the world offers.
func (e *Engine) serveOffer(ctx context.Context, c *hook.Call, params *arguments,
	w *world.World) *hook.Reply {
	switch c.Method {
	case methodTools:
		return e.serveListed(c, params, func(served *snapshot, after uint64) hook.Object {
			return offerPage(e, c, served, "tools", served.world.Tools, describeTool, after)
		})
	case methodPrompts:
		return e.serveListed(c, params, func(served *snapshot, after uint64) hook.Object {
			return offerPage(e, c, served, "prompts", served.world.Prompts, describePrompt, after)
		})
	}
	given := params.decode()
	name, ok := given["name"].(string)
	if !ok {
		return badParams(`"name" must be a string`)
	}
	arguments, ok := given["arguments"].(hook.Object)
	if _, there := given["arguments"]; there && !ok {
		return badParams(`"arguments" must be an object`)
	}
	if c.Method == methodCall {
		return e.callTool(ctx, c, w, name)
	}
	return e.getPrompt(ctx, c, w, name, arguments)
}

// offerPage is a page of tools or prompts; cursors count those before it.
func offerPage[T any](
	e *Engine, c *hook.Call, served *snapshot, member string, all []T,
	describe func(T, string) hook.Object, after uint64,
) hook.Object {
	rest := all[min(after, uint64(len(all))):]
	place := func(shown int) uint64 { return after + uint64(shown) }
	return pageOf(e, c, served, member, rest, describe, place)
}

func describeTool(t world.Tool, revision string) hook.Object {
	o := hook.Object{"name": t.Name, "inputSchema": hook.Object{"type": "object"}}
	if t.InputSchema != nil {
		o["inputSchema"] = hook.Plain(t.InputSchema)
	}
	decorate(o, revision, t.Title, t.Description, "", nil, t.Icons, t.Meta)
	return o
}

func describePrompt(p world.Prompt, revision string) hook.Object {
	o := hook.Object{"name": p.Name}
	decorate(o, revision, p.Title, p.Description, "", nil, p.Icons, p.Meta)
	arguments := listOf(p.Arguments, func(a world.Argument) any {
		argument := hook.Object{"name": a.Name}
		decorate(argument, revision, a.Title, a.Description, "", nil, nil, nil)
		if a.Required {
			argument["required"] = true
		}
		return argument
	})
	if len(arguments) > 0 {
		o["arguments"] = arguments
	}
	return o
}

func (e *Engine) callTool(ctx context.Context, c *hook.Call, w *world.World, name string) *hook.Reply {
	i := slices.IndexFunc(w.Tools, func(t world.Tool) bool { return t.Name == name })
	if i < 0 {
		return badParams("there is no such tool: " + name)
	}
	blocks := []any{}
	for _, b := range w.Tools[i].Content {
		made, r := e.blocks(ctx, c, b, nil)
		if r != nil {
			return r
		}
		blocks = append(blocks, made...)
	}
	result := hook.Object{"content": blocks}
	if w.Tools[i].IsError {
		result["isError"] = true
	}
	return &hook.Reply{Result: result}
}

func (e *Engine) getPrompt(ctx context.Context, c *hook.Call, w *world.World, name string,
	arguments hook.Object) *hook.Reply {
	i := slices.IndexFunc(w.Prompts, func(p world.Prompt) bool { return p.Name == name })
	if i < 0 {
		return badParams("there is no such prompt: " + name)
	}
	p, values := w.Prompts[i], map[string]string{}
	for _, a := range p.Arguments {
		v, there := arguments[a.Name]
		value, ok := v.(string)
		if there && !ok || !there && a.Required {
			return badParams("the argument " + a.Name + " must be there, and a string")
		}
		values[a.Name] = value
	}
	messages := []any{}
	for _, m := range p.Messages {
		made, r := e.blocks(ctx, c, m.Block, values)
		if r != nil {
			return r
		}
		for _, block := range made {
			messages = append(messages, hook.Object{"role": cmp.Or(m.Role, "user"), "content": block})
		}
	}
	result := hook.Object{"messages": messages}
	optional(result, "description", p.Description)
	return &hook.Reply{Result: result}
}

// blocks are what a block of the world is sent as: an embedded resource has as many as a read of it has
// contents.
func (e *Engine) blocks(ctx context.Context, c *hook.Call, b world.Block, values map[string]string) ([]any,
	*hook.Reply) {
	var made []any
	switch {
	case b.Text != nil:
		made = []any{hook.Object{"type": "text", "text": substitute(*b.Text, values)}}
	case b.Link != "":
		made = []any{e.link(ctx, c, b.Link)}
	default:
		contents, err := e.embedded(ctx, c, b.Embed)
		if err != nil {
			return nil, fail(codeInternal, "Internal error: the resource "+b.Embed+" cannot be embedded: "+
				err.Error())
		}
		for _, item := range contents {
			made = append(made, hook.Object{"type": "resource", "resource": item})
		}
	}
	if b.Annotations != nil {
		for _, block := range made {
			block.(hook.Object)["annotations"] = annotations(b.Annotations, c.Revision)
		}
	}
	return made, nil
}

// link is a resource_link, or where there are none yet the URI as a text.
func (e *Engine) link(ctx context.Context, c *hook.Call, uri string) hook.Object {
	if c.Revision < hook.R20250618 {
		return hook.Object{"type": "text", "text": uri}
	}
	link := hook.Object{"uri": uri, "name": uri}
	if entry, ok := e.resolve(ctx, viewerOf(ctx), uri); ok {
		link = e.describe(entry, c.Revision)
	}
	link["type"], link["uri"] = "resource_link", uri
	return link
}

// embedded are the contents of a resource, without questions to the user.
func (e *Engine) embedded(ctx context.Context, c *hook.Call, uri string) ([]any, error) {
	viewer := viewerOf(ctx)
	entry, ok := e.resolve(ctx, viewer, uri)
	switch {
	case !ok:
		return nil, fs.ErrNotExist
	case entry.res.Fails != "":
		return nil, errors.New(entry.res.Fails)
	case entry.res.Input != nil:
		return e.contents(ctx, c, viewer, uri, entry, substitute(*entry.res.Text, entry.res.Input.Answers()))
	}
	return e.contents(ctx, c, viewer, uri, entry, "")
}

// nameParam is the name of the tool or prompt that a request is about, if it is a string.
func nameParam(params *arguments) (name string, ok bool) {
	if !params.object {
		return "", false
	}
	var member [1][]byte
	scan.Pick(params.raw, member[:], "name")
	return scan.Text(member[0])
}
