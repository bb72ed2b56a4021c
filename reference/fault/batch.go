package fault

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/tidwall/gjson"
)

var batchCode = code{
	"batch-01-errors-left-out": stateless(hook.EditMessage(func(m hook.Message) []byte {
		var members []json.RawMessage
		if json.Unmarshal(m.Raw, &members) != nil {
			return m.Raw // it is no array
		}
		results := slices.DeleteFunc(slices.Clone(members), func(one json.RawMessage) bool { return gjson.GetBytes(one, "error").Exists() })
		if len(results) == len(members) || len(results) == 0 {
			return m.Raw
		}
		return hook.Encode(results)
	})),
	"batch-01-refused": stateless(onBatches(hook.Every, refused)),
	"batch-02-empty-array": stateless(onBatches(func(members []json.RawMessage) bool {
		return len(members) > 0 && !slices.ContainsFunc(members, func(m json.RawMessage) bool {
			o, ok := hook.DecodeObject(m)
			return !ok || o["id"] != nil
		})
	}, emptied)),
	"batch-03-notification-answered": stateless(hook.Join(hook.OnIncoming(nil, marked), answerBatchedNotifications())),
	"batch-04-empty-array":           stateless(onBatches(func(members []json.RawMessage) bool { return len(members) == 0 }, emptied)),
	"batch-04-one-spoils-all": stateless(onBatches(func(members []json.RawMessage) bool {
		return slices.ContainsFunc(members, func(m json.RawMessage) bool {
			_, ok := hook.DecodeObject(m)
			return !ok
		})
	}, refused)),
	"batch-07-array-of-one": stateless(inArrays(hook.MethodList)),
	"life-13-array-of-one":  stateless(inArrays(hook.MethodTemplates)),
}

// inArrays sends answers as the only members of arrays, in revisions without
// batches.
func inArrays(method string) hook.Hooks {
	return hook.OnResponse(method, func(m hook.Message) bool { return m.Revision != hook.R20250326 }, func(ctx context.Context, m hook.Message, next hook.Emitter) error {
		return next(ctx, m.With(append(append([]byte{'['}, m.Raw...), ']')))
	})
}

// onBatches acts on batches for which something holds.
func onBatches(which func([]json.RawMessage) bool, act func(ctx context.Context, in hook.Incoming, next hook.Receiver)) hook.Hooks {
	return hook.OnIncoming(func(in hook.Incoming) bool {
		members := membersOf(in)
		return members != nil && which(members)
	}, act)
}

// membersOf is the members of a batch; nil if it is none.
func membersOf(in hook.Incoming) (members []json.RawMessage) {
	if in.Session == nil || in.Session.Revision() != hook.R20250326 || json.Unmarshal(in.Raw, &members) != nil {
		return nil
	}
	return members
}

// refused answers a batch as a message without a method is.
func refused(ctx context.Context, in hook.Incoming, next hook.Receiver) {
	in.Raw = []byte(`{"jsonrpc":"2.0"}`)
	next(ctx, in)
}

// emptied answers a batch with an empty array.
func emptied(ctx context.Context, in hook.Incoming, _ hook.Receiver) {
	_ = in.Session.Send(ctx, []byte("[]")) // a client that has gone gets no answer
}

type batchKey struct{}

// marked marks the context of messages that came in a batch.
func marked(ctx context.Context, in hook.Incoming, next hook.Receiver) {
	if membersOf(in) != nil {
		ctx = context.WithValue(ctx, batchKey{}, true)
	}
	next(ctx, in)
}

func answerBatchedNotifications() hook.Hooks {
	return hook.OnCall("notifications/*", nil, func(ctx context.Context, c *hook.Call, next hook.Handler) *hook.Reply {
		if ctx.Value(batchKey{}) == nil || !hook.May(ctx) {
			return next(ctx, c)
		}
		return &hook.Reply{Raw: []byte(`{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid request"}}`)}
	})
}
