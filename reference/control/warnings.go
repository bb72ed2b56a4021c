package control

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcpcheck/mcpcheck/internal/nearest"
	"github.com/mcpcheck/mcpcheck/reference/fault"
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

// Warnings lists, in sentences, what a set takes although it is most likely a mistake:
// limits that no message of the protocol meets.
func (r Rule) Warnings() []string {
	var found []string
	for _, method := range strings.Split(r.Method, "|") {
		if method == "" || strings.HasSuffix(method, "*") || slices.Contains(methods, method) {
			continue
		}
		found = append(found, fmt.Sprintf("%s: the protocol has no method %q%s", r.name(), method, nearest.Question(method, methods)))
	}
	for _, key := range append([]string{"message"}, limits...) {
		if strings.Contains(r.URI, ":"+key+"=") {
			found = append(found, fmt.Sprintf("%s: the pattern %q has %s= in it: uri takes the rest, so the other limits come before it", r.name(), r.URI, key))
		}
	}
	return found
}

// Needs are the conditions under which the fault of a rule shows; nothing for others.
func (r Rule) Needs() fault.Needs {
	if r.Fault == "" {
		return fault.Needs{}
	}
	f, _ := fault.Find(r.Fault) // an unknown one needs nothing
	return f.Needs
}
