package quirk

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/mcpcheck/mcpcheck/reference/world"
)

func contentsCode() code {
	return code{
		"scheme-in-any-case": hook.EditCall(hook.MethodRead, func(c *hook.Call) {
			uri, _ := c.Param("uri").(string)
			scheme, rest, ok := strings.Cut(uri, ":")
			if lower := strings.ToLower(scheme); ok && lower != scheme && !hook.Modern(c.Revision) {
				c.Params = c.With("uri", lower+":"+rest).Params
			}
		}),
		"changing-order": everySecondReversed(),
		"merged-updates": merging(),
		"moving-list":    moving(),
		"odd-names": hook.EditEach(hook.MethodList, "resources", func(i int, r hook.Object) {
			odd := []string{
				"",
				"\u202egnp.ogol",
				"a\tb\nc\u0000\u001b[31m",
				strings.Repeat("name ", 200),
				"👩‍👩‍👧‍👦",
				"</script>",
			}
			r["name"], r["description"] = odd[i%len(odd)], odd[(i+1)%len(odd)]
		}),
		"escapes-in-any-case": hook.OnMethod(hook.MethodRead, func(c hook.Calling) *hook.Reply {
			r := c.Next()
			uri, ok := c.Param("uri").(string)
			if !ok || r == nil || r.Error == nil || r.Error["message"] != "Resource not found" ||
				!strings.Contains(uri, "%") ||
				c.Modern {
				return r
			}
			plain := strings.NewReplacer(
				"%2e",
				".",
				"%2E",
				".",
				"%7e",
				"~",
				"%7E",
				"~",
				"%2d",
				"-",
				"%2D",
				"-",
			).Replace(
				uri,
			)
			if other := c.Handle(c.With("uri", plain)); other != nil && other.Error == nil &&
				!strings.Contains(plain, "..") {
				return other
			}
			return r
		}),
	}
}

// moving adds an entry to the first page that is another one at every request.
func moving() hook.Hooks {
	const text = "nothing has happened\n"
	var seen atomic.Int64
	return hook.Join(hook.EditResult(hook.MethodList, func(c *hook.Call, result hook.Object) {
		if entries, ok := result["resources"].([]any); ok && c.Param("cursor") == nil {
			day := hook.Number(seen.Add(1) + 2)
			result["resources"] = append(
				[]any{hook.Object{"uri": "log://app/2025-01-" + day.String(), "name": "day " + day.String()}},
				entries...)
		}
	}), hook.OnMethod(hook.MethodRead, func(c hook.Calling) *hook.Reply {
		uri, _ := c.Param("uri").(string)
		day, ours := strings.CutPrefix(uri, "log://app/2025-01-")
		if _, err := strconv.ParseInt(day, 10, 64); !ours || err != nil || len(day) <= 2 {
			return c.Next()
		}
		c.Params = c.With("uri", "note:hello").Params
		if c.Header.Get("Mcp-Name") != "" {
			c.Header = c.Header.Clone()
			c.Header.Set("Mcp-Name", "note:hello")
		}
		r := c.Next()
		if r != nil && r.Result != nil {
			r.Result["contents"] = []any{hook.Object{"uri": uri, "mimeType": "text/plain", "text": text}}
		}
		return r
	}))
}

// extremes gives each resource other annotations.
func extremes(w *world.World) {
	least, most := 0.0, 1.0
	all := []*world.Annotations{
		{}, {Audience: []string{}}, {Audience: []string{"user", "assistant"}, Priority: &least},
		{Priority: &most, LastModified: "2025-01-12T15:00:58Z"},
		{LastModified: "1999-12-31T23:59:59.123456+14:00"}, nil,
	}
	for i := range w.Resources {
		w.Resources[i].Annotations = all[i%len(all)]
	}
}

func everySecondReversed() hook.Hooks {
	var pages atomic.Int64
	return hook.EditResult(hook.MethodList, func(_ *hook.Call, result hook.Object) {
		if entries, ok := result["resources"].([]any); ok && pages.Add(1)%2 == 0 {
			entries = slices.Clone(entries)
			slices.Reverse(entries)
			result["resources"] = entries
		}
	})
}

// merging holds updates back for a moment; another one for the same resource on
// the same way is left out meanwhile.
func merging() hook.Hooks {
	const moment = 20 * time.Millisecond
	var waiting sync.Map
	return hook.OnNotification(hook.NotificationUpdated, func(m hook.Sending) error {
		key := string(m.Raw)
		if m.Session != nil {
			key = m.Session.ID() + " " + key
		}
		if _, is := waiting.LoadOrStore(key, true); is {
			return nil
		}
		time.AfterFunc(moment, func() {
			waiting.Delete(key)
			// A stream that has ended meanwhile needs no update.
			m.Context = context.WithoutCancel(m.Context)
			_ = m.Next()
		})
		return nil
	})
}
