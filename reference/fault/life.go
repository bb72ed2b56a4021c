package fault

import (
	"net/http"
	"sync"

	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/tidwall/gjson"
)

func lifeCode() code {
	return code{
		"life-18-ends-over-an-error": killedBy(func(in hook.Incoming) bool {
			return gjson.GetBytes(in.Raw, "error").Exists() && !gjson.GetBytes(in.Raw, "method").Exists()
		}),
		"life-19-takes-others-along": takingAlong(),
	}
}

// takingAlong ends all sessions of clients that have declared roots when one of these ends its own.
func takingAlong() hook.Hooks {
	var sessions sync.Map // by id
	return hook.Join(hook.EditReply("initialize", func(c *hook.Call, _ *hook.Reply) {
		if c.Session != nil && gjson.GetBytes(c.Params, "capabilities.roots").Exists() {
			sessions.Store(c.Session.ID(), c.Session)
		}
	}), hook.OnHTTP(
		func(r *http.Request) bool { return r.Method == http.MethodDelete },
		func(x hook.Serving) {
			x.Next()
			if _, able := sessions.LoadAndDelete(x.Header.Get(headerSession)); !able {
				return
			}
			sessions.Range(func(id, s any) bool {
				hook.Abort(x.Context(), s.(hook.Session))
				sessions.Delete(id)
				return true
			})
		}))
}
