package control

import (
	"context"
	"math/rand/v2"
	"net/http"

	"github.com/mcpcheck/mcpcheck/reference/hook"
)

// codeInternal is JSON-RPC's internal error.
const codeInternal = -32603

// hooks makes the failure happen.
func (f *Failure) hooks(*rand.Rand) hook.Hooks {
	answering := hook.OnMethod("", func(ctx context.Context, c *hook.Call, next hook.Handler) *hook.Reply {
		if c.Notification() {
			return next(ctx, c)
		}
		return f.reply()
	})
	if f.Code != 0 {
		return answering
	}
	return hook.Join(answering, hook.OnHTTP(func(*http.Request) bool { return true }, func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
		for name, value := range f.Header {
			w.Header().Set(name, value)
		}
		if f.Body != "" && w.Header().Get("Content-Type") == "" {
			w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		}
		w.WriteHeader(f.Status)
		if f.Body != "" {
			_, _ = w.Write([]byte(f.Body)) // a client that has gone needs no answer
		}
	}))
}

// reply is the failure as an answer to a request.
func (f *Failure) reply() *hook.Reply {
	code, message := f.Code, f.Message
	if code == 0 {
		code = codeInternal
	}
	if message == "" {
		message = "Internal error"
		if code != codeInternal {
			message = "Error"
		}
		if f.Code == 0 {
			message = http.StatusText(f.Status)
		}
	}
	r := hook.Fail(code, message)
	if f.Data != nil {
		if data, err := hook.Decode(f.Data); err == nil { // Validate has seen that it is JSON
			r.Error["data"] = data
		}
	}
	r.Status = f.Status
	if len(f.Header) > 0 {
		r.Header = http.Header{}
		for name, value := range f.Header {
			r.Header.Set(name, value)
		}
	}
	return r
}
