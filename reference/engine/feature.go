package engine

import (
	"cmp"
	"errors"
	"io/fs"
	"slices"

	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/mcpcheck/mcpcheck/reference/internal/scan"
	"github.com/mcpcheck/mcpcheck/reference/world"
)

// feature serves the methods that both eras have; nil says that there is no such method.
func (q serving) feature() *hook.Reply {
	served := q.served()
	switch {
	case q.Method == hook.MethodList:
		return q.listed(q.resourcePage)
	case q.Method == hook.MethodTemplates:
		return q.listed(q.templatePage)
	case q.Method == hook.MethodRead:
		return q.read()
	case q.Method == hook.MethodComplete && served.caps.Completions:
		return q.completion()
	case served.offers(q.Method):
		return q.offer(&served.world)
	}
	return nil
}

// capabilities are what the server declares in a revision. Completions had no
// capability in 2024-11-05; logging is deprecated in 2026-07-28 and not offered.
func (e *Engine) capabilities(revision string) hook.Object {
	served := e.served()
	resources := hook.Object{}
	if served.caps.Subscribe {
		resources["subscribe"] = true
	}
	if served.caps.ListChanged {
		resources["listChanged"] = true
	}
	all := hook.Object{"resources": resources}
	for feature, offered := range map[string]bool{
		"completions": served.caps.Completions && revision >= hook.R20250326,
		"logging":     served.caps.Logging && !hook.Modern(revision),
		"tools":       served.offers(methodTools),
		"prompts":     served.offers(methodPrompts),
	} {
		if offered {
			all[feature] = hook.Object{}
		}
	}
	return all
}

// offer serves a method of tools or prompts, which the world has.
func (q serving) offer(w *world.World) *hook.Reply {
	switch q.Method {
	case methodTools:
		return q.listed(func(served *snapshot, after uint64) hook.Object {
			return offerPage(q, served, "tools", served.world.Tools, describeTool, after)
		})
	case methodPrompts:
		return q.listed(func(served *snapshot, after uint64) hook.Object {
			return offerPage(q, served, "prompts", served.world.Prompts, describePrompt, after)
		})
	}
	given := q.params.decode()
	name, ok := given["name"].(string)
	if !ok {
		return badParams(`"name" must be a string`)
	}
	arguments, ok := given["arguments"].(hook.Object)
	if _, there := given["arguments"]; there && !ok {
		return badParams(`"arguments" must be an object`)
	}
	if q.Method == methodCall {
		return q.callTool(w, name)
	}
	return q.getPrompt(w, name, arguments)
}

// offerPage is a page of tools or prompts; cursors count those before it.
func offerPage[T any](
	q serving, served *snapshot, member string, all []T, describe func(T, string) hook.Object, after uint64,
) hook.Object {
	rest := all[min(after, uint64(len(all))):]
	place := func(shown int) uint64 { return after + uint64(shown) }
	return pageOf(q, served, member, rest, describe, place)
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

func (q serving) callTool(w *world.World, name string) *hook.Reply {
	i := slices.IndexFunc(w.Tools, func(t world.Tool) bool { return t.Name == name })
	if i < 0 {
		return badParams("there is no such tool: " + name)
	}
	blocks := []any{}
	for _, b := range w.Tools[i].Content {
		made, r := q.blocks(b, nil)
		if r != nil {
			return r
		}
		blocks = append(blocks, made...)
	}
	result := hook.Object{"content": blocks}
	if w.Tools[i].IsError {
		result["isError"] = true
	}
	return reply(result)
}

func (q serving) getPrompt(w *world.World, name string, arguments hook.Object) *hook.Reply {
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
		made, r := q.blocks(m.Block, values)
		if r != nil {
			return r
		}
		for _, block := range made {
			messages = append(messages, hook.Object{"role": cmp.Or(m.Role, "user"), "content": block})
		}
	}
	result := hook.Object{"messages": messages}
	optional(result, "description", p.Description)
	return reply(result)
}

// blocks are what a block of the world is sent as: an embedded resource has as many as a read of it has
// contents.
func (q serving) blocks(b world.Block, values map[string]string) ([]any, *hook.Reply) {
	var made []any
	switch {
	case b.Text != nil:
		made = []any{hook.Object{"type": "text", "text": substitute(*b.Text, values)}}
	case b.Link != "":
		made = []any{q.link(b.Link)}
	default:
		contents, err := q.embedded(b.Embed)
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
			block.(hook.Object)["annotations"] = annotations(b.Annotations, q.Revision)
		}
	}
	return made, nil
}

// link is a resource_link, or where there are none yet the URI as a text.
func (q serving) link(uri string) hook.Object {
	if q.Revision < hook.R20250618 {
		return hook.Object{"type": "text", "text": uri}
	}
	link := hook.Object{"uri": uri, "name": uri}
	if en := q.resolve(q.ctx, uri); en != nil {
		link = q.describe(en, q.Revision)
	}
	link["type"], link["uri"] = "resource_link", uri
	return link
}

// embedded are the contents of a resource, without questions to the user.
func (q serving) embedded(uri string) ([]any, error) {
	entry := q.resolve(q.ctx, uri)
	switch {
	case entry == nil:
		return nil, fs.ErrNotExist
	case entry.res.Fails != "":
		return nil, errors.New(entry.res.Fails)
	case entry.res.Input != nil:
		return q.contents(uri, entry, substitute(*entry.res.Text, entry.res.Input.Answers()))
	}
	return q.contents(uri, entry, "")
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
