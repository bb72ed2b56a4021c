package operation

import (
	"slices"
	"strings"

	"github.com/mcpcheck/mcpcheck/internal/nearest"
)

// methods are those that messages of the protocol have, and HTTP requests without one.
var methods = []string{
	"initialize", "ping", "server/discover", "resources/list", "resources/read", "resources/templates/list", "resources/subscribe",
	"resources/unsubscribe", "subscriptions/listen", "completion/complete", "logging/setLevel", "tools/list", "tools/call",
	"prompts/list", "prompts/get", "tasks/get", "tasks/result", "tasks/list", "tasks/cancel", "tasks/update",
	"roots/list", "sampling/createMessage", "elicitation/create",
	"notifications/initialized", "notifications/cancelled", "notifications/progress", "notifications/message",
	"notifications/roots/list_changed", "notifications/resources/updated", "notifications/resources/list_changed",
	"notifications/tools/list_changed", "notifications/prompts/list_changed", "notifications/subscriptions/acknowledged",
	"notifications/elicitation/complete", "notifications/tasks/status",
	"GET", "POST", "DELETE", "OPTIONS", "HEAD", "PUT", "PATCH",
}

// Warnings lists what is most likely a mistake in limits that can be held to: methods that no message of
// the protocol has, and patterns that no URI meets.
func (l Limits) Warnings() (found Problems) {
	for _, method := range strings.Split(l.Method, "|") {
		if method == "" || strings.HasSuffix(method, "*") || slices.Contains(methods, method) {
			continue
		}
		found.Say("method", "the protocol has no method %q%s", method, nearest.Question(method, methods))
	}
	if strings.Contains(l.URI, "|") {
		found.Say("uri", "no URI has a | in it, as the pattern %q has: make a rule of each alternative", l.URI)
	}
	return found
}
