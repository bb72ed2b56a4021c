package lch

import (
	"github.com/mcpcheck/mcpcheck/suite/judge"
	"github.com/mcpcheck/mcpcheck/suite/matcher"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
	"github.com/tidwall/gjson"
)

// listChangedHonoured: changes of the list can be listened to.
func listChangedHonoured(r *recording.Recording, v *verdict.Verdict) {
	const expected = "resourcesListChanged: true in the acknowledgment, as capabilities.resources.listChanged says"
	for _, x := range r.Steps(recording.StepListen) {
		if !verdict.Granted(x.Param("notifications.resourcesListChanged")) {
			continue
		}
		ack, ok := verdict.AckOf(r, x)
		switch {
		case ok && verdict.IllFormed(ack, v):
		case ok:
			value := ack.Msg.Get("params.notifications.resourcesListChanged")
			v.That(value.Type == gjson.True, expected, "resourcesListChanged is "+judge.Brief(value), verdict.Evidence(r, x)...)
		case x.Tags[recording.TagName] == "list" && x.Failed() && !verdict.Unknown(x):
			v.That(false, expected, matcher.Describe(x), x.Evidence()...)
		default:
			verdict.Unacknowledged(x, v)
		}
	}
}
