package fault

import (
	"context"
	"strconv"

	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/mcpcheck/mcpcheck/reference/world"
)

func init() {
	Register(
		Fault{
			Name: "comp-01-undeclared", Requirement: "COMP-01",
			Summary: "completions are served but not declared",
			Hooks: hook.EditResult("initialize|"+hook.MethodDiscover, func(result hook.Object) {
				delete(hook.ObjectAt(result, "capabilities"), "completions")
			}),
		},
		Fault{
			Name: "comp-02-numbers", Requirement: "COMP-02",
			Summary: "the values of a completion are numbers",
			Hooks: editCompletion(func(c hook.Object) {
				values, _ := c["values"].([]any)
				for i := range values {
					values[i] = hook.Number(int64(i))
				}
			}),
		},
		Fault{
			Name: "comp-02-no-values", Requirement: "COMP-02",
			Summary: "a completion has no values member",
			Hooks:   editCompletion(func(c hook.Object) { delete(c, "values") }),
		},
		Fault{
			Name: "comp-03-all-values", Requirement: "COMP-03",
			Summary: "150 values are returned",
			Hooks: editCompletion(func(c hook.Object) {
				values, _ := c["values"].([]any)
				for i := len(values); i < 150; i++ {
					values = append(values, "value "+strconv.Itoa(i))
				}
				c["values"], c["total"], c["hasMore"] = values, hook.Number(150), false
			}),
		},
		Fault{
			Name: "comp-04-null-total", Requirement: "COMP-04",
			Summary: "the total of a completion is null",
			Hooks:   editCompletion(func(c hook.Object) { c["total"] = nil }),
		},
		Fault{
			Name: "comp-04-string-has-more", Requirement: "COMP-04",
			Summary: "hasMore is a string",
			Hooks:   editCompletion(func(c hook.Object) { c["hasMore"] = "false" }),
		},
		Fault{
			Name: "comp-06-small-total", Requirement: "COMP-06",
			Summary: "total is smaller than the number of values",
			Hooks:   editCompletion(func(c hook.Object) { c["total"] = hook.Number(1) }),
		},
		Fault{
			Name: "comp-06-always-more", Requirement: "COMP-06",
			Summary: "hasMore is true although total is the number of values",
			Hooks:   editCompletion(func(c hook.Object) { c["hasMore"] = true }),
		},
		Fault{
			Name: "comp-07-internal-error", Requirement: "COMP-07",
			Summary: "a completion without the capability is an internal error",
			Overlay: func(w *world.World) {
				all := world.AllCapabilities()
				all.Completions = false
				w.Capabilities = &all
			},
			Hooks: hook.ReplaceCode(hook.MethodComplete, -32601, -32603),
		},
		Fault{
			Name: "comp-08-internal-error", Requirement: "COMP-08",
			Summary: "a completion without an argument is an internal error",
			Hooks: hook.EditErrorOf(hook.MethodComplete, func(c *hook.Call, e hook.Object) {
				if c.Param("argument") == nil {
					e["code"] = hook.Number(-32603)
				}
			}),
		},
		Fault{
			Name: "comp-09-dies", Requirement: "COMP-09",
			Summary: "an unknown type of reference ends the connection",
			Hooks: onUnknownReference(func(c *hook.Call) {
				c.Peer.Abort()
			}),
		},
		Fault{
			Name: "comp-09-no-answer", Requirement: "COMP-09",
			Summary: "an unknown type of reference is never answered",
			Hooks:   onUnknownReference(func(*hook.Call) {}),
		},
		Fault{
			Name: "comp-09-value-ignored", Requirement: "COMP-09",
			Summary: "a value that is no string is taken for an empty one",
			Hooks: hook.EditParams(hook.MethodComplete, func(_ *hook.Call, params hook.Object) {
				argument := hook.ObjectAt(params, "argument")
				if _, ok := argument["value"].(string); argument != nil && !ok && argument["value"] != nil {
					argument["value"] = ""
				}
			}),
		},
		Fault{
			Name: "comp-11-always-fails", Requirement: "COMP-11",
			Summary: "completions for templates always fail",
			Hooks: hook.ReplaceReply(hook.MethodComplete, func(*hook.Call) *hook.Reply {
				return hook.Fail(-32602, "Invalid params: only prompts can be completed")
			}),
		},
		Fault{
			Name: "comp-12-context-refused", Requirement: "COMP-12",
			Summary: "a completion with context is refused",
			Hooks: hook.OnMethod(hook.MethodComplete, func(ctx context.Context, c *hook.Call, next hook.Handler) *hook.Reply {
				if c.Param("context") != nil {
					return hook.Fail(-32602, `Invalid params: unknown member "context"`)
				}
				return next(ctx, c)
			}),
		},
		Fault{
			Name: "comp-14-gives-away", Requirement: "COMP-14",
			Summary: "completions name what the caller should not see",
			Hooks: editCompletion(func(c hook.Object) {
				values, _ := c["values"].([]any)
				c["values"] = append(values, "project/README.md")
				c["total"] = hook.Number(int64(len(values) + 1))
			}),
		},
	)
}

// editCompletion changes the completion object of results.
func editCompletion(edit func(completion hook.Object)) hook.Hooks {
	return hook.EditResult(hook.MethodComplete, func(result hook.Object) {
		if c := hook.ObjectAt(result, "completion"); c != nil {
			edit(c)
		}
	})
}

// onUnknownReference does something instead of refusing an unknown type of
// reference.
func onUnknownReference(instead func(c *hook.Call)) hook.Hooks {
	return hook.OnMethod(hook.MethodComplete, func(ctx context.Context, c *hook.Call, next hook.Handler) *hook.Reply {
		ref, _ := c.Param("ref").(hook.Object)
		if kind, ok := ref["type"].(string); ok && kind != "ref/resource" && kind != "ref/prompt" {
			instead(c)
			return &hook.Reply{Silent: true}
		}
		return next(ctx, c)
	})
}
