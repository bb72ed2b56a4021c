package fault

import (
	"encoding/json"

	"github.com/mcpcheck/mcpcheck/reference/hook"
)

func init() {
	Register(
		Fault{
			Name: "cache-01-list-without-scope", Requirement: "CACHE-01",
			Summary: "resource lists have no cacheScope",
			Hooks:   editModern(hook.MethodList, func(result hook.Object) { delete(result, "cacheScope") }),
		},
		Fault{
			Name: "cache-01-templates-without-ttl", Requirement: "CACHE-01",
			Summary: "template lists have no ttlMs",
			Hooks:   editModern(hook.MethodTemplates, func(result hook.Object) { delete(result, "ttlMs") }),
		},
		Fault{
			Name: "cache-03-read-without-hints", Requirement: "CACHE-03",
			Summary: "reads have no caching hints",
			Hooks: editModern(hook.MethodRead, func(result hook.Object) {
				delete(result, "ttlMs")
				delete(result, "cacheScope")
			}),
		},
		Fault{
			Name: "cache-04-discovery-without-hints", Requirement: "CACHE-04",
			Summary: "discovery has no caching hints",
			Hooks: editDiscovery(func(result hook.Object) {
				delete(result, "ttlMs")
				delete(result, "cacheScope")
			}),
		},
		Fault{
			Name: "cache-05-string", Requirement: "CACHE-05",
			Summary: "ttlMs is a string",
			Hooks:   editModern(hook.MethodList, func(result hook.Object) { result["ttlMs"] = "60000" }),
		},
		Fault{
			Name: "cache-05-fraction", Requirement: "CACHE-05",
			Summary: "ttlMs is half a millisecond",
			Hooks:   editModern(hook.MethodRead, func(result hook.Object) { result["ttlMs"] = json.Number("0.5") }),
		},
		Fault{
			Name: "cache-05-negative", Requirement: "CACHE-05",
			Summary: "ttlMs is negative",
			Hooks:   editDiscovery(func(result hook.Object) { result["ttlMs"] = json.Number("-1") }),
		},
		Fault{
			Name: "cache-07-shared", Requirement: "CACHE-07",
			Summary: "cacheScope is shared",
			Hooks:   editModern(hook.MethodList, func(result hook.Object) { result["cacheScope"] = "shared" }),
		},
		Fault{
			Name: "cache-08-scope-changes", Requirement: "CACHE-08",
			Summary: "the first page of a list is private, the others are public",
			Needs:   Needs{PageSize: 5},
			Hooks: hook.EditResultOf(hook.MethodList, func(c *hook.Call, result hook.Object) {
				switch {
				case !c.Modern:
				case c.Param("cursor") == nil:
					result["cacheScope"] = "private"
				default:
					result["cacheScope"] = "public"
				}
			}),
		},
		Fault{
			Name: "cache-10-hints-on-input", Requirement: "CACHE-10",
			Summary: "results that ask for input have caching hints",
			Hooks:   editInput(func(result hook.Object) { result["ttlMs"] = json.Number("60000") }),
		},
		breach("cache-11-public-but-personal", "CACHE-11", "a list that depends on the caller is marked public",
			hook.EditResultOf(hook.MethodList, func(c *hook.Call, result hook.Object) {
				if !c.Modern {
					return
				}
				result["cacheScope"] = "public"
				if list, _ := result["resources"].([]any); len(list) > 1 && c.Header.Get("Authorization") == "Bearer "+hook.TokenWeak {
					result["resources"] = list[1:]
				}
			})),
		breach("cache-12-readable", "CACHE-12", "a private resource can be read by everybody who may connect", reauthorized(hook.TokenWeak)),
	)
}

// editInput changes results that ask for input.
func editInput(edit func(result hook.Object)) hook.Hooks {
	return editModern(hook.MethodRead, func(result hook.Object) {
		if result["resultType"] == "input_required" {
			edit(result)
		}
	})
}
