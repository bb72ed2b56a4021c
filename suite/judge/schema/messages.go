package schema

import "github.com/mcpcheck/mcpcheck/suite/requirement"

// params are the params of a request: its own members, and its metadata, without
// which no request of 2026-07-28 is complete.
func params(members ...member) fragment {
	return object(append(members, may("_meta", requestMeta).by("META-01").until(r20251125), must("_meta", requestMeta).by("META-01").since(r20260728))...)
}

// asks is a request with params, mayAsk one that can do without in the revisions
// with a handshake.
func asks(members ...member) fragment { return object(must("params", params(members...))) }
func mayAsk(members ...member) fragment {
	return object(may("params", params(members...)).until(r20251125), must("params", params(members...)).since(r20260728))
}

// tells is a notification with params, mayTell one that can do without. The
// requirements ids judge that they are there, subscription the one that they name.
func tells(ids, subscription string, members ...member) fragment {
	return object(must("params", object(append(members, notificationMeta(subscription))...)).by(ids))
}
func mayTell(subscription string) fragment {
	return object(may("params", object(notificationMeta(subscription))))
}

// notificationMeta is the metadata of a notification.
func notificationMeta(subscription string) member {
	return may("_meta", changed(r20260728, open, object(may("io.modelcontextprotocol/subscriptionId", token).by(subscription)))).by("META-01")
}

// inputAnswers are the members of a request that comes back with what the server had
// asked for.
var inputAnswers = []member{may("inputResponses", mapOf(open)).since(r20260728), may("requestState", text).since(r20260728)}

// envelopes are what the messages of each kind have in common.
var envelopes = []definition{
	{name: "JSONRPCRequest", of: changed(r20260728, anyRequest, below("RPC-22", anyRequest))},
	{name: "JSONRPCNotification", of: object(version, must("method", text).by("RPC-12"), may("params", changed(r20251125, object(openMeta), open)).by("RPC-12"))},
	{name: "JSONRPCResponse", of: object(version, must("id", token).by("RPC-02"), must("result", open).by("RPC-06"))},
	// Where the id of the request could not be read, JSON-RPC asks for null and the
	// schemas for a member or none: all of them pass.
	{name: "JSONRPCError", of: object(version, may("id", fixed(node{"type": []any{"string", "integer", "null"}})).by("RPC-02"),
		must("error", object(must("code", integer).by("RPC-07 RPC-08"), must("message", text).by("RPC-07"), may("data", anything))).by("RPC-07"))},
}

var (
	version    = must("jsonrpc", word("2.0")).by("RPC-01")
	anyRequest = object(version, must("id", token).by("RPC-21 RPC-22"), must("method", text),
		may("params", changed(r20251125, object(may("_meta", requestMeta).by("META-01")), open)))
)

// message is a message by its method: the name of its type, and what it has beside
// its envelope.
type message struct {
	method string
	definition
}

// requests are the requests of either side.
var requests = []message{
	{"initialize", definition{name: "InitializeRequest", to: r20251125, of: asks(
		must("protocolVersion", text), must("capabilities", ref("ClientCapabilities")), must("clientInfo", ref("Implementation")))}},
	{"ping", definition{name: "PingRequest", to: r20251125, of: mayAsk()}},
	{"server/discover", definition{name: "DiscoverRequest", from: r20260728, of: asks()}},
	{"resources/list", definition{name: "ListResourcesRequest", of: mayAsk(may("cursor", text))}},
	{"resources/templates/list", definition{name: "ListResourceTemplatesRequest", of: mayAsk(may("cursor", text))}},
	{"resources/read", definition{name: "ReadResourceRequest", of: asks(append(inputAnswers, must("uri", text))...)}},
	{"resources/subscribe", definition{name: "SubscribeRequest", to: r20251125, of: asks(must("uri", text))}},
	{"resources/unsubscribe", definition{name: "UnsubscribeRequest", to: r20251125, of: asks(must("uri", text))}},
	{"subscriptions/listen", definition{name: "SubscriptionsListenRequest", from: r20260728, of: asks(must("notifications", ref("SubscriptionFilter")))}},
	{"logging/setLevel", definition{name: "SetLevelRequest", to: r20251125, of: asks(must("level", level))}},
	{"completion/complete", definition{name: "CompleteRequest", of: asks(
		must("ref", tagged("type", "", map[string]fragment{
			"ref/prompt":   object(must("name", text), may("title", text).since(r20250618)),
			"ref/resource": object(must("uri", text)),
		})),
		must("argument", object(must("name", text), must("value", text))),
		may("context", object(may("arguments", mapOf(text)))).since(r20250618))}},
	{"sampling/createMessage", definition{name: "CreateMessageRequest", to: r20251125, of: below("LIFE-12", asks(samplingParams...))}},
	{"roots/list", definition{name: "ListRootsRequest", to: r20251125, of: below("LIFE-12", mayAsk())}},
	{"elicitation/create", definition{name: "ElicitRequest", from: r20250618, to: r20251125, of: below("LIFE-12", object(must("params", elicitParams(may("_meta", requestMeta)))))}},
}

// notifications are the notifications of either side.
var notifications = []message{
	{"notifications/initialized", definition{name: "InitializedNotification", to: r20251125, of: mayTell("")}},
	{"notifications/roots/list_changed", definition{name: "RootsListChangedNotification", to: r20251125, of: mayTell("")}},
	{"notifications/resources/updated", definition{name: "ResourceUpdatedNotification", of: tells("SUB-04", "SUB-29", must("uri", text).by("SUB-04"))}},
	{"notifications/resources/list_changed", definition{name: "ResourceListChangedNotification", of: mayTell("SUB-29")}},
	{"notifications/prompts/list_changed", definition{name: "PromptListChangedNotification", of: mayTell("")}},
	{"notifications/tools/list_changed", definition{name: "ToolListChangedNotification", of: mayTell("")}},
	{"notifications/progress", definition{name: "ProgressNotification", of: tells("PROG-01", "META-19",
		must("progressToken", token).by("PROG-01"), must("progress", number).by("PROG-02"), may("total", number).by("PROG-02"), may("message", text).by("PROG-02").since(r20250326))}},
	{"notifications/cancelled", definition{name: "CancelledNotification", of: tells("CANC-07 CANC-08", "",
		must("requestId", token).by("CANC-08").until(r20250618), may("requestId", token).by("CANC-08").only(r20251125), must("requestId", token).by("CANC-07").since(r20260728), may("reason", text))}},
	{"notifications/message", definition{name: "LoggingMessageNotification", of: tells("META-21", "META-19",
		must("level", level).by("META-21"), must("data", anything).by("META-21"), may("logger", text).by("META-21"))}},
	{"notifications/subscriptions/acknowledged", definition{name: "SubscriptionsAcknowledgedNotification", from: r20260728, of: tells("SUB-22", "SUB-23",
		must("notifications", ref("SubscriptionFilter")).below("SUB-22"))}},
	{"notifications/elicitation/complete", definition{name: "ElicitationCompleteNotification", from: r20251125, to: r20251125, of: object(must("params", object(must("elicitationId", text))))}},
}

// resultOf names the results by the method that they answer. The type of all others
// is Result.
var resultOf = map[string]string{
	"initialize": "InitializeResult", "ping": "EmptyResult", "logging/setLevel": "EmptyResult",
	"resources/subscribe": "EmptyResult", "resources/unsubscribe": "EmptyResult",
	"server/discover": "DiscoverResult", "resources/list": "ListResourcesResult", "resources/templates/list": "ListResourceTemplatesResult",
	"resources/read": "ReadResourceResult", "completion/complete": "CompleteResult", "subscriptions/listen": "SubscriptionsListenResult",
	"sampling/createMessage": "CreateMessageResult", "roots/list": "ListRootsResult", "elicitation/create": "ElicitResult",
}

// failure is an error by its code, where a revision fixes its data.
type failure struct {
	code float64
	definition
}

var failures = []failure{
	{-32042, definition{name: "URLElicitationRequiredError", from: r20251125, to: r20251125, of: object(must("data", object(
		must("elicitations", list(object(must("mode", word("url")), must("message", text), must("url", text), must("elicitationId", text),
			may("_meta", requestMeta), may("task", object(may("ttl", integer)))))))))}},
	{-32021, definition{name: "MissingRequiredClientCapabilityError", from: r20260728, of: object(must("data", object(
		must("requiredCapabilities", ref("ClientCapabilities")).by("ERR-60"))).by("ERR-60"))}},
	{-32022, definition{name: "UnsupportedProtocolVersionError", from: r20260728, of: object(must("data", object(must("requested", text), must("supported", list(text)))).below("DISC-09"))}},
}

// definitionsOf lists what a revision defines.
func definitionsOf(rev requirement.Revision) []definition {
	var all []definition
	keep := func(d definition) {
		if d.in(rev) {
			all = append(all, d)
		}
	}
	for _, group := range [][]definition{types, envelopes, results} {
		for _, d := range group {
			keep(d)
		}
	}
	for _, group := range [][]message{requests, notifications} {
		for _, m := range group {
			keep(m.definition)
		}
	}
	for _, f := range failures {
		keep(f.definition)
	}
	return all
}
