package fault

import (
	"bytes"
	"context"
	"encoding/json"

	"github.com/mcpcheck/mcpcheck/reference/hook"
)

// Faults of batches.
func init() {
	only := Needs{Revisions: []string{hook.R20250326}}
	stdio := Needs{Revisions: []string{hook.R20250326}, Transports: []string{hook.Stdio}}
	Register(
		Fault{
			Name: "batch-01-refused", Requirement: "BATCH-01", Needs: only,
			Summary: "batches are refused as invalid requests",
			Hooks:   refuseBatch(func([]json.RawMessage) bool { return true }),
		},
		Fault{
			Name: "batch-02-empty-array", Requirement: "BATCH-02", Needs: stdio,
			Summary: "a batch of notifications is answered with an empty array",
			Hooks: answerBatch(func(members []json.RawMessage) bool {
				for _, m := range members {
					if o, ok := hook.DecodeObject(m); !ok || o["id"] != nil {
						return false
					}
				}
				return len(members) > 0
			}),
		},
		Fault{
			Name: "batch-03-notification-answered", Requirement: "BATCH-03", Needs: only,
			Summary: "a notification in a batch is answered with an error",
			Hooks:   hook.Join(markBatches(), answerBatchedNotifications()),
		},
		Fault{
			Name: "batch-04-empty-array", Requirement: "BATCH-04", Needs: stdio,
			Summary: "an empty batch is answered with an empty array",
			Hooks:   answerBatch(func(members []json.RawMessage) bool { return len(members) == 0 }),
		},
		Fault{
			Name: "batch-04-one-spoils-all", Requirement: "BATCH-04", Needs: only,
			Summary: "a batch with an invalid member is refused as a whole",
			Hooks: refuseBatch(func(members []json.RawMessage) bool {
				for _, m := range members {
					if _, ok := hook.DecodeObject(m); !ok {
						return true
					}
				}
				return false
			}),
		},
		Fault{
			Name: "batch-07-array-of-one", Requirement: "BATCH-07",
			Summary: "lists are answered by arrays of one response",
			Needs:   Needs{Revisions: []string{hook.R20250618, hook.R20251125, hook.R20260728}},
			Hooks:   hook.OnResponse(hook.MethodList, inArray),
		},
	)
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
	return hook.Hooks{Receive: func(next hook.Receiver) hook.Receiver {
		return func(ctx context.Context, in hook.Incoming) {
			if members, ok := batchOf(in); ok && which(members) {
				in.Raw = []byte(`{"jsonrpc":"2.0"}`)
			}
			next(ctx, in)
		}
	}}
}

// answerBatch answers batches with an empty array.
func answerBatch(which func([]json.RawMessage) bool) hook.Hooks {
	return hook.Hooks{Receive: func(next hook.Receiver) hook.Receiver {
		return func(ctx context.Context, in hook.Incoming) {
			if members, ok := batchOf(in); ok && which(members) {
				_ = in.Peer.Send(ctx, []byte("[]")) // a client that has gone gets no answer
				return
			}
			next(ctx, in)
		}
	}}
}

type batchKey struct{}

// markBatches marks the context of messages that came in a batch.
func markBatches() hook.Hooks {
	return hook.Hooks{Receive: func(next hook.Receiver) hook.Receiver {
		return func(ctx context.Context, in hook.Incoming) {
			if _, ok := batchOf(in); ok {
				ctx = context.WithValue(ctx, batchKey{}, true)
			}
			next(ctx, in)
		}
	}}
}

func answerBatchedNotifications() hook.Hooks {
	return hook.OnMethod("notifications/*", func(ctx context.Context, c *hook.Call, next hook.Handler) *hook.Reply {
		if ctx.Value(batchKey{}) == nil {
			return next(ctx, c)
		}
		return &hook.Reply{Raw: []byte(`{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid request"}}`)}
	})
}
