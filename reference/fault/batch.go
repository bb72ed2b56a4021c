package fault

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/tidwall/gjson"
)

func batchCode() code {
	return code{
		"batch-01-errors-left-out": hook.EditMessage(func(m *hook.Message) {
			var members []json.RawMessage
			if json.Unmarshal(m.Raw, &members) != nil {
				return // it is no array
			}
			results := slices.DeleteFunc(
				slices.Clone(members),
				func(one json.RawMessage) bool { return gjson.GetBytes(one, "error").Exists() },
			)
			if len(results) < len(members) && len(results) > 0 {
				m.Raw = hook.Encode(results)
			}
		}),
		"batch-01-refused": onBatches(func([]json.RawMessage) bool { return true }, refused),
		"batch-02-empty-array": onBatches(func(members []json.RawMessage) bool {
			return len(members) > 0 && !slices.ContainsFunc(members, func(m json.RawMessage) bool {
				o, ok := hook.DecodeObject(m)
				return !ok || o["id"] != nil
			})
		}, emptied),
		"batch-03-notification-answered": hook.Join(hook.OnIncoming(marked), answerBatchedNotifications()),
		"batch-04-empty-array": onBatches(
			func(members []json.RawMessage) bool { return len(members) == 0 },
			emptied,
		),
		"batch-04-one-spoils-all": onBatches(func(members []json.RawMessage) bool {
			return slices.ContainsFunc(members, func(m json.RawMessage) bool {
				_, ok := hook.DecodeObject(m)
				return !ok
			})
		}, refused),
	}
}

// onBatches acts on batches for which something holds.
func onBatches(which func([]json.RawMessage) bool, act func(in hook.Receiving) error) hook.Hooks {
	return hook.OnIncoming(func(in hook.Receiving) error {
		if members := membersOf(in.Incoming); members != nil && which(members) {
			return act(in)
		}
		return in.Next()
	})
}

// membersOf is the members of a batch; nil if it is none.
func membersOf(in hook.Incoming) (members []json.RawMessage) {
	if in.Session == nil || in.Session.Revision() != hook.R20250326 ||
		json.Unmarshal(in.Raw, &members) != nil {
		return nil
	}
	return members
}

// refused answers a batch as a message without a method is.
func refused(in hook.Receiving) error {
	in.Raw = []byte(`{"jsonrpc":"2.0"}`)
	return in.Next()
}

// emptied answers a batch with an empty array.
func emptied(in hook.Receiving) error {
	hook.Send(in, in.Session, []byte("[]"))
	return nil
}

type batchKey struct{}

// marked marks the context of messages that came in a batch.
func marked(in hook.Receiving) error {
	if membersOf(in.Incoming) != nil {
		in.Context = context.WithValue(in.Context, batchKey{}, true)
	}
	return in.Next()
}

func answerBatchedNotifications() hook.Hooks {
	return hook.OnMethod("notifications/*", func(c hook.Calling) *hook.Reply {
		if c.Value(batchKey{}) == nil {
			return c.Next()
		}
		return &hook.Reply{
			Raw: []byte(`{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid request"}}`),
		}
	})
}
