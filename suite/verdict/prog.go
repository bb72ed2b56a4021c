package verdict

import (
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/wire"
	"github.com/tidwall/gjson"
)

// Progress is a progress notification.
type Progress struct {
	Message
	Token gjson.Result
	// Of is the request that gave the token, also with another JSON type; nil if
	// none did.
	Of *recording.Exchange
}

// ProgressOf lists the progress notifications of a recording.
func ProgressOf(r *recording.Recording, v *Verdict) []Progress {
	var all []Progress
	for _, m := range CallsOf(r) {
		if m.Method() == "notifications/progress" {
			p := Progress{Message: m, Token: m.Get("params.progressToken")}
			p.Of = tokenGiver(r, p)
			all = append(all, p)
		}
	}
	if len(all) == 0 {
		v.Skip(recording.CodeNotExercised, "the target reports no progress")
	}
	return all
}

// tokenGiver is the request of the same session that gave the token: the last one
// before the notification.
func tokenGiver(r *recording.Recording, p Progress) *recording.Exchange {
	var giver *recording.Exchange
	for _, x := range r.Exchanges {
		if x.Session != p.Frame.Session || x.Request > p.Frame.Number {
			continue
		}
		if given := x.Param("_meta.progressToken"); given.Exists() && p.Token.Exists() && given.String() == p.Token.String() {
			giver = x
		}
	}
	return giver
}

// FirstReply is the frame of the response to a request, or nil.
func FirstReply(r *recording.Recording, x *recording.Exchange) *wire.Frame {
	if len(x.Replies) == 0 {
		return nil
	}
	return r.Frame(x.Replies[0])
}
