package rpc

import (
	"context"

	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/session"
)

// Step "unknown" is a notification of a method that nobody has, "cancelled" one
// that cancels a request that was never made.
var clientNotificationsScenario = &scenario.Scenario{
	Name:  ClientNotifications,
	Title: "notifications, known and unknown",
	Sends: "A notification of a method that nobody has, and the cancellation of a request that was never made; then a look at what comes back.",
	Phase: scenario.Read,
	Script: func(ctx context.Context, p *scenario.Play) {
		c, ok := p.Expendable(ctx)
		if !ok {
			return
		}
		c.Probes(ctx,
			session.Request{Step: stepUnknown, Method: "notifications/mcpcheck/unknown", Notification: true},
			session.Request{Step: stepCancelled, Method: "notifications/cancelled", Notification: true,
				Params: map[string]any{"requestId": 900003, "reason": "never made"}})
	},
}
