package quirk

import (
	"math/rand/v2"
	"sync"

	"github.com/mcpcheck/mcpcheck/reference/hook"
)

func init() {
	Register(
		Quirk{
			Name: "draft-versions", Permits: []string{"DISC-02", "DISC-04"},
			Summary: "the label of a draft stands among the versions",
			Hooks: hook.Join(
				hook.EditResult(hook.MethodDiscover, func(result hook.Object) {
					list, _ := result["supportedVersions"].([]any)
					result["supportedVersions"] = append(list, "DRAFT-2027-v1")
				}),
				hook.EditError("", func(e hook.Object) {
					if data := hook.ObjectAt(e, "data"); data["supported"] != nil {
						list, _ := data["supported"].([]any)
						data["supported"] = append(list, "DRAFT-2027-v1")
					}
				}),
			),
		},
		Quirk{
			Name: "open-capabilities", Permits: []string{"CAP-02", "CAP-11", "DISC-16"},
			Summary: "capabilities and extensions are declared that no revision defines",
			Hooks: declared(func(c hook.Object, modern bool) {
				c["acme"] = "anything"
				c["experimental"] = hook.Object{"com.example/search": hook.Object{"depth": hook.Number(3)}}
				if modern {
					c["extensions"] = hook.Object{"com.example/search": hook.Object{}}
				}
				hook.MakeObjectAt(c, "resources")["acmeRank"] = "by date"
			}),
		},
		Quirk{
			Name: "own-metadata", Permits: []string{"META-01", "META-02"},
			Summary: "results carry metadata of the server's own, with and without prefixes",
			Hooks: hook.EditResult("resources/*", func(result hook.Object) {
				meta := hook.MakeObjectAt(result, "_meta")
				meta["com.example.mcp/rank"], meta["com.example/"], meta["plain.name_1"] = hook.Number(1), nil, []any{}
			}),
		},
		Quirk{
			Name: "traced-results", Permits: []string{"META-15"},
			Summary: "results carry trace context of a later version, with a further part",
			Hooks: hook.EditResult("resources/*", func(result hook.Object) {
				hook.MakeObjectAt(result, "_meta")["traceparent"] = "cc-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00-more"
			}),
		},
		Quirk{
			Name: "never-fresh", Permits: []string{"CACHE-05", "CACHE-60"},
			Summary: "every caching hint says 0 milliseconds",
			Hooks:   hinted(func(result hook.Object, _ int) { result["ttlMs"] = hook.Number(0) }),
		},
		Quirk{
			Name: "restless-hints", Permits: []string{"CACHE-09"},
			Summary: "no two results are fresh for the same time",
			Make: func(*rand.Rand) hook.Hooks {
				return hinted(func(result hook.Object, n int) { result["ttlMs"] = hook.Number(int64(n%7) * 1000) })
			},
		},
	)
}

// declared changes the capabilities of both eras.
func declared(edit func(capabilities hook.Object, modern bool)) hook.Hooks {
	return hook.EditResultOf("initialize|"+hook.MethodDiscover, func(c *hook.Call, result hook.Object) {
		edit(hook.MakeObjectAt(result, "capabilities"), c.Method == hook.MethodDiscover)
	})
}

// hinted changes results with caching hints; n counts them.
func hinted(edit func(result hook.Object, n int)) hook.Hooks {
	var mu sync.Mutex
	n := 0
	return hook.EditResult("", func(result hook.Object) {
		if _, there := result["ttlMs"]; !there {
			return
		}
		mu.Lock()
		defer mu.Unlock()
		n++
		edit(result, n)
	})
}
