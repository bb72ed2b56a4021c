package scenario

import (
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/session"
)

// StrangeSession is a session id that no server ever issued.
const StrangeSession = "mcpcheck-7b4e91-never-issued"

// Notification cancels a request that never was: a server accepts it and ignores it.
func Notification(step recording.Step) session.Request {
	return session.Request{Step: step, Method: "notifications/cancelled", Notification: true,
		Params: map[string]any{"requestId": "mcpcheck-no-such-request", "reason": "a probe"}}
}
