package sub

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
	"github.com/mcpcheck/mcpcheck/suite/wire"
	"github.com/tidwall/gjson"
)

// on keeps the messages that belong to a listen request: on Streamable HTTP those
// of its stream; on stdio those that bear its id, be it as a string instead of a
// number or the other way round.
func on(all []verdict.Heard, r *recording.Recording, x *recording.Exchange) []verdict.Heard {
	request := r.Frame(x.Request)
	return slices.DeleteFunc(slices.Clone(all), func(h verdict.Heard) bool {
		if h.Frame.Session != x.Session {
			return true
		}
		if r.Combination.Transport == requirement.HTTP {
			return request == nil || h.Frame.Channel != request.Channel
		}
		id := h.Subscription()
		if !id.Exists() && !h.Msg.Get("method").Exists() {
			id = h.Msg.Get("id")
		}
		return !id.Exists() || id.String() != gjson.ParseBytes(x.ID).String()
	})
}

func bystanderOf(r *recording.Recording) string { return verdict.RoleOf(r, "bystander") }

// grantsURI reports whether an acknowledgment grants updates for a URI.
func grantsURI(ack verdict.Heard, uri string) bool {
	return slices.ContainsFunc(ack.Msg.Get("params.notifications.resourceSubscriptions").Array(), func(u gjson.Result) bool {
		return u.Type == gjson.String && u.Str == uri
	})
}

// sameID reports whether a value is the id of a request, in value and type.
func sameID(v gjson.Result, x *recording.Exchange) bool {
	return v.Exists() && wire.SameID(json.RawMessage(v.Raw), x.ID)
}

// related reports whether an update for one URI may come from a subscription to
// another: it is the same, or one lies below the other.
func related(uri, subscribed string) bool {
	return strings.HasPrefix(uri, subscribed) || strings.HasPrefix(subscribed, uri)
}

// listenable asks for something that can be listened to.
var listenable = verdict.Where(func(f *recording.Facts) bool {
	return f.Declares("resources.subscribe") || f.Declares("resources.listChanged")
}, recording.CodeUndeclared, "the target declares neither capabilities.resources.subscribe nor capabilities.resources.listChanged")

// sessionless skips a requirement where a legacy target keeps no sessions on
// Streamable HTTP: it cannot remember who subscribed to what.
func sessionless(x *recording.Exchange, v *verdict.Verdict) bool {
	if x == nil || x.Tags[recording.TagSessionless] == "" {
		return false
	}
	v.Skip(recording.CodeNotExercised, "the target issues no session ids on Streamable HTTP, so it cannot keep subscriptions")
	return true
}
