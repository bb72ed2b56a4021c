package fault

import (
	"bytes"
	"context"
	"encoding/json"

	"github.com/mcpcheck/mcpcheck/reference/hook"
)

var batchCode = code{
	"batch-01-refused": stateless(refuseBatch(func([]json.RawMessage) bool { return true })),
	"batch-02-empty-array": stateless(answerBatch(func(members []json.RawMessage) bool {
		for _, m := range members {
			if o, ok := hook.DecodeObject(m); !ok || o["id"] != nil {
				return false
			}
		}
		return len(members) > 0
	})),
	"batch-03-notification-answered": stateless(hook.Join(markBatches(), answerBatchedNotifications())),
	"batch-04-empty-array":           stateless(answerBatch(func(members []json.RawMessage) bool { return len(members) == 0 })),
	"batch-04-one-spoils-all": stateless(refuseBatch(func(members []json.RawMessage) bool {
		for _, m := range members {
			if _, ok := hook.DecodeObject(m); !ok {
				return true
			}
		}
		return false
	})),
	"batch-07-array-of-one": stateless(hook.OnResponse(hook.MethodList, inArray)),
	"life-13-array-of-one":  stateless(hook.OnResponse(hook.MethodTemplates, inArray)),
}

// inArray sends a message as the only member of an array, in revisions that have
// no batches.
func inArray(ctx context.Context, m hook.Message, next hook.Emitter) error {
	if m.Revision < hook.R20250618 {
		return next(ctx, m)
	}
	return next(ctx, m.With(append(append([]byte{'['}, m.Raw...), ']')))
}

// batchOf reads the members of a batch; ok is false for everything else.
func batchOf(in hook.Incoming) (members []json.RawMessage, ok bool) {
	if in.Peer == nil || in.Peer.Revision() != hook.R20250326 || !bytes.HasPrefix(bytes.TrimSpace(in.Raw), []byte{'['}) {
		return nil, false
	}
	return members, json.Unmarshal(in.Raw, &members) == nil
}

// refuseBatch has batches answered as a message without a method is.
func refuseBatch(which func([]json.RawMessage) bool) hook.Hooks {
	return hook.OnIncoming(func(ctx context.Context, in hook.Incoming, next hook.Receiver) {
		if members, ok := batchOf(in); ok && which(members) {
			in.Raw = []byte(`{"jsonrpc":"2.0"}`)
		}
		next(ctx, in)
	})
}

// answerBatch answers batches with an empty array.
func answerBatch(which func([]json.RawMessage) bool) hook.Hooks {
	return hook.OnIncoming(func(ctx context.Context, in hook.Incoming, next hook.Receiver) {
		if members, ok := batchOf(in); ok && which(members) {
			_ = in.Peer.Send(ctx, []byte("[]")) // a client that has gone gets no answer
			return
		}
		next(ctx, in)
	})
}

type batchKey struct{}

// markBatches marks the context of messages that came in a batch.
func markBatches() hook.Hooks {
	return hook.OnIncoming(func(ctx context.Context, in hook.Incoming, next hook.Receiver) {
		if _, ok := batchOf(in); ok {
			ctx = context.WithValue(ctx, batchKey{}, true)
		}
		next(ctx, in)
	})
}

func answerBatchedNotifications() hook.Hooks {
	return hook.OnMethod("notifications/*", func(ctx context.Context, c *hook.Call, next hook.Handler) *hook.Reply {
		if ctx.Value(batchKey{}) == nil {
			return next(ctx, c)
		}
		return &hook.Reply{Raw: []byte(`{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid request"}}`)}
	})
}
