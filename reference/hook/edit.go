package hook

import (
	"bytes"
	"context"
	"encoding/json"
	"reflect"
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
func OnMethod(pattern string, handle func(ctx context.Context, c *Call, next Handler) *Reply) Hooks {
	return OnCall(pattern, Every, handle)
}

// OnCall is OnMethod for the calls for which match is true.
func OnCall(pattern string, match func(c *Call) bool, handle func(ctx context.Context, c *Call, next Handler) *Reply) Hooks {
	return around(pattern, match, func(next Handler) Handler {
		next = expanding(next)
		return func(ctx context.Context, c *Call) *Reply { return handle(ctx, c, next) }
	})
}

// around puts a handler around that of some calls. It gets replies as the engine makes them.
func around(pattern string, match func(c *Call) bool, handler func(next Handler) Handler) Hooks {
	methods := MethodsOf(pattern)
	return Hooks{Narrow: true, Late: true, About: aboutMethod(pattern), Handle: func(next Handler) Handler {
		handle := handler(next)
		return func(ctx context.Context, c *Call) *Reply {
			if !methods.Has(c.Method) || match != nil && !(match(c) && May(ctx)) {
				return next(ctx, c)
			}
			return handle(ctx, c.lend())
		}
	}}
}

func aboutMethod(pattern string) func(method string, t *Trace) bool {
	methods := MethodsOf(pattern)
	return func(method string, _ *Trace) bool { return methods.Has(method) }
}

// EditCall changes calls before they are handled.
func EditCall(pattern string, edit func(c *Call)) Hooks {
	return around(pattern, nil, func(next Handler) Handler {
		return func(ctx context.Context, c *Call) *Reply {
			if !counted(ctx) {
				edit(c)
				return next(ctx, c)
			}
			before := *c
			before.Header, before.Params = c.Header.Clone(), bytes.Clone(c.Params)
			edit(c)
			if before.Method == c.Method && bytes.Equal(before.Params, c.Params) && reflect.DeepEqual(before.Header, c.Header) || May(ctx) {
				return next(ctx, c)
			}
			return next(ctx, &before)
		}
	})
}

// EditParams changes the params of calls before they are handled. Calls
// whose params are no object are left alone; absent ones are offered as empty.
func EditParams(pattern string, edit func(c *Call, params Object)) Hooks {
	return EditCall(pattern, func(c *Call) {
		params := Object{}
		if c.Params != nil {
			var ok bool
			if params, ok = DecodeObject(c.Params); !ok {
				return
			}
		}
		before := Encode(params)
		edit(c, params)
		if after := Encode(params); !bytes.Equal(before, after) {
			c.Params = after
		}
	})
}

// EditReply changes whole replies. It is not called for silent ones.
func EditReply(pattern string, edit func(c *Call, r *Reply)) Hooks {
	return OnCall(pattern, nil, func(ctx context.Context, c *Call, next Handler) *Reply {
		r := next(ctx, c)
		if r == nil {
			return nil
		}
		if !counted(ctx) {
			edit(c, r)
			return r
		}
		plain := *r
		before := Encode([]any{r.Result, r.Error})
		edit(c, r)
		if plain.like(r) && bytes.Equal(before, Encode([]any{r.Result, r.Error})) || May(ctx) {
			return r
		}
		all, _ := Decode(before) // has just been encoded
		both, _ := all.([]any)
		plain.Result, _ = both[0].(Object)
		plain.Error, _ = both[1].(Object)
		return &plain
	})
}

// like reports whether replies are the same but for what is in them.
func (r *Reply) like(other *Reply) bool {
	return r.Status == other.Status && r.Silent == other.Silent && r.Open == other.Open && bytes.Equal(r.Raw, other.Raw) && reflect.DeepEqual(r.Header, other.Header)
}

// EditResult changes the result object of successful replies. Its _meta member
// and all members of the revision are already there.
func EditResult(pattern string, edit func(result Object)) Hooks {
	return EditResultOf(pattern, func(_ *Call, result Object) { edit(result) })
}

// EditResultOf is EditResult with the call at hand.
func EditResultOf(pattern string, edit func(c *Call, result Object)) Hooks {
	return EditReply(pattern, func(c *Call, r *Reply) {
		if r.Error == nil && r.Result != nil {
			edit(c, r.Result)
		}
	})
}

// EditEach changes each object of an array member of the results of a method.
func EditEach(pattern, member string, edit func(i int, entry Object)) Hooks {
	return EditResult(pattern, func(result Object) {
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

// OnMessage wraps the sending of outgoing messages for which match is true.
func OnMessage(match func(m Message) bool, send func(ctx context.Context, m Message, next Emitter) error) Hooks {
	return onSome(Every, match, send)
}

// onSome is OnMessage for messages of some sort.
func onSome(sort, match func(m Message) bool, send func(ctx context.Context, m Message, next Emitter) error) Hooks {
	return Hooks{Narrow: true, Late: true, Emit: func(next Emitter) Emitter {
		return func(ctx context.Context, m Message) error {
			if !sort(m) || match != nil && !(match(m) && May(ctx)) {
				return next(ctx, m)
			}
			return send(ctx, m.Whole(), next)
		}
	}}
}

// EditMessage changes the bytes of outgoing messages.
func EditMessage(edit func(m Message) []byte) Hooks {
	return OnMessage(nil, func(ctx context.Context, m Message, next Emitter) error {
		if raw := edit(m); !bytes.Equal(raw, m.Raw) && May(ctx) {
			m = m.With(raw)
		}
		return next(ctx, m)
	})
}

// OnNotification wraps the sending of notifications that match the pattern, and for which match is true.
func OnNotification(pattern string, match func(m Message) bool, send func(ctx context.Context, m Message, next Emitter) error) Hooks {
	methods := MethodsOf(pattern)
	return onSome(func(m Message) bool { return m.Kind == Notification && methods.Has(m.Method) }, match, send)
}

// OnResponse wraps the sending of answers to the methods that match the
// pattern, and for which match is true; "" also matches answers to unreadable input.
func OnResponse(pattern string, match func(m Message) bool, send func(ctx context.Context, m Message, next Emitter) error) Hooks {
	methods := MethodsOf(pattern)
	h := onSome(func(m Message) bool {
		return m.Kind == Response && (methods == nil || m.Call != nil && methods.Has(m.Call.Method))
	}, match, send)
	h.About = aboutMethod(pattern)
	return h
}

// EditRaw changes a JSON object given as bytes, or each object of an array.
// Anything else is returned as it is.
func EditRaw(raw []byte, edit func(Object)) []byte {
	v, err := Decode(raw)
	if err != nil {
		return raw
	}
	switch v := v.(type) {
	case Object:
		edit(v)
		return Encode(v)
	case []any:
		for _, e := range v {
			if o, ok := e.(Object); ok {
				edit(o)
			}
		}
		return Encode(v)
	}
	return raw
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
