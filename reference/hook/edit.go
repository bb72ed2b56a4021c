package hook

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
)

// The methods that carry resources, and the names of their entries.
const (
	MethodList      = "resources/list"
	MethodTemplates = "resources/templates/list"
	MethodRead      = "resources/read"
	MethodComplete  = "completion/complete"
	MethodListen    = "subscriptions/listen"
	MethodDiscover  = "server/discover"

	NotificationUpdated      = "notifications/resources/updated"
	NotificationListChanged  = "notifications/resources/list_changed"
	NotificationAcknowledged = "notifications/subscriptions/acknowledged"
	NotificationProgress     = "notifications/progress"
)

// OnMethod wraps the handler of the methods that match the pattern ("" is
// every method, "resources/*" by beginning, "a|b" either). Notifications of the
// client match as well.
func OnMethod(pattern string, handle func(c Calling) *Reply) Hooks {
	return around(pattern, func(next Handler) Handler {
		expanded := func(ctx context.Context, c *Call) *Reply {
			r := next(ctx, c)
			r.expand()
			return r
		}
		return func(ctx context.Context, c *Call) *Reply { return handle(Calling{ctx, c, expanded}) }
	})
}

// around puts a handler around that of some methods. It gets replies as the engine makes them.
func around(pattern string, handler func(next Handler) Handler) Hooks {
	methods := MethodsOf(pattern)
	return Hooks{About: about(methods), Handle: func(next Handler) Handler {
		handle := handler(next)
		return func(ctx context.Context, c *Call) *Reply {
			if !methods.Has(c.Method) {
				return next(ctx, c)
			}
			return handle(ctx, c.lend())
		}
	}}
}

func about(methods Methods) Condition {
	return func(t *Trace) bool { return methods.Has(t.Method) }
}

// EditCall changes calls before they are handled.
func EditCall(pattern string, edit func(c *Call)) Hooks {
	return around(pattern, func(next Handler) Handler {
		return func(ctx context.Context, c *Call) *Reply {
			edit(c)
			return next(ctx, c)
		}
	})
}

// EditReply changes whole replies. It is not called for silent ones.
func EditReply(pattern string, edit func(c *Call, r *Reply)) Hooks {
	return OnMethod(pattern, func(c Calling) *Reply {
		r := c.Next()
		if r != nil {
			edit(c.Call, r)
		}
		return r
	})
}

// EditResult changes the result object of successful replies. Its _meta member
// and all members of the revision are already there.
func EditResult(pattern string, edit func(c *Call, result Object)) Hooks {
	return EditReply(pattern, func(c *Call, r *Reply) {
		if r.Error == nil && r.Result != nil {
			edit(c, r.Result)
		}
	})
}

// EditEach changes each object of an array member of the results of a method.
func EditEach(pattern, member string, edit func(i int, entry Object)) Hooks {
	return EditResult(pattern, func(_ *Call, result Object) {
		entries, _ := result[member].([]any)
		for i, e := range entries {
			if entry, ok := e.(Object); ok {
				edit(i, entry)
			}
		}
	})
}

// EditEachContent changes each item of the contents of each read.
func EditEachContent(edit func(i int, content Object)) Hooks {
	return EditEach(MethodRead, "contents", edit)
}

// onMessage wraps the sending of outgoing messages for which match is true.
func onMessage(match func(m Message) bool, send func(m Sending) error) Hooks {
	return Hooks{Emit: func(next Emitter) Emitter {
		return func(ctx context.Context, m Message) error {
			if !match(m) {
				return next(ctx, m)
			}
			return send(Sending{ctx, m.Whole(), next})
		}
	}}
}

// EditMessage changes outgoing messages.
func EditMessage(edit func(m *Message)) Hooks {
	return onMessage(func(Message) bool { return true }, func(m Sending) error {
		edit(&m.Message)
		return m.Next()
	})
}

// EditResponse changes answers to the methods that match the pattern.
func EditResponse(pattern string, edit func(m *Message)) Hooks {
	return OnResponse(pattern, func(m Sending) error {
		edit(&m.Message)
		return m.Next()
	})
}

// Withhold has those notifications that match the pattern not be sent for which drop is true.
func Withhold(pattern string, drop func(m Message) bool) Hooks {
	return OnNotification(pattern, func(m Sending) error {
		if drop(m.Message) {
			return nil
		}
		return m.Next()
	})
}

// OnNotification wraps the sending of notifications that match the pattern.
func OnNotification(pattern string, send func(m Sending) error) Hooks {
	methods := MethodsOf(pattern)
	return onMessage(func(m Message) bool { return m.Kind == Notification && methods.Has(m.Method) }, send)
}

// OnResponse wraps the sending of answers to the methods that match the
// pattern; "" also matches answers to unreadable input.
func OnResponse(pattern string, send func(m Sending) error) Hooks {
	methods := MethodsOf(pattern)
	h := onMessage(func(m Message) bool {
		return m.Kind == Response && (methods == nil || m.Call != nil && methods.Has(m.Call.Method))
	}, send)
	h.About = about(methods)
	return h
}

// NewNotification makes a notification that can be sent with Call.Emit, or with
// Session.Send as its Raw bytes. A nil params is left out.
func NewNotification(method string, params Object) Message {
	o := Object{"jsonrpc": "2.0", "method": method}
	if params != nil {
		o["params"] = params
	}
	return Message{Kind: Notification, Method: method, Raw: Encode(o)}
}

// Meta reads a member of params._meta of the call; nil if it is not there.
func (c *Call) Meta(key string) any {
	params, ok := DecodeObject(c.Params)
	if !ok {
		return nil
	}
	return ObjectAt(params, "_meta")[key]
}

// With is the call with another value of a member of params; without it if the value is nil.
func (c *Call) With(name string, value any) *Call {
	params, ok := DecodeObject(c.Params)
	if !ok {
		params = Object{}
	}
	if params[name] = value; value == nil {
		delete(params, name)
	}
	other := *c
	other.Params = Encode(params)
	return &other
}

// Param reads a member of params; nil if it is not there.
func (c *Call) Param(name string) any {
	params, ok := DecodeObject(c.Params)
	if !ok {
		return nil
	}
	return params[name]
}

// IDValue is the request id as a decoded value (string or json.Number).
func (c *Call) IDValue() any {
	if c.ID == nil {
		return nil
	}
	v, err := Decode(json.RawMessage(c.ID))
	if err != nil {
		return nil
	}
	return v
}

// Methods is a pattern of methods made ready; nil matches every method.
type Methods []string

// MethodsOf makes a pattern ready: "" matches every method, one that ends in "*" by its beginning, and
// several alternatives are separated by "|".
func MethodsOf(pattern string) Methods {
	if pattern == "" {
		return nil
	}
	return strings.Split(pattern, "|")
}

// Has reports whether a method matches.
func (m Methods) Has(method string) bool {
	return m == nil || slices.ContainsFunc(m, func(p string) bool {
		prefix, open := strings.CutSuffix(p, "*")
		return p == method || open && strings.HasPrefix(method, prefix)
	})
}
