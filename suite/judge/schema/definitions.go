package schema

import "github.com/mcpcheck/mcpcheck/suite/requirement"

const (
	r20250326 = requirement.R20250326
	r20250618 = requirement.R20250618
	r20251125 = requirement.R20251125
	r20260728 = requirement.R20260728
)

// definition is a named type, in the revisions that have it.
type definition struct {
	name string
	of   fragment
	from requirement.Revision // empty: from the first on
	to   requirement.Revision // empty: to the last
}

func (d definition) in(rev requirement.Revision) bool {
	return requirement.Span{Since: d.from, Until: d.to}.Holds(rev)
}

// The metadata that messages carry: of requests, results and notifications, and of
// resources, templates and contents, which have it since 2025-06-18.
var (
	requestMeta = changed(r20260728, object(may("progressToken", token)), object(
		must("io.modelcontextprotocol/protocolVersion", text),
		must("io.modelcontextprotocol/clientCapabilities", ref("ClientCapabilities")),
		may("io.modelcontextprotocol/clientInfo", ref("Implementation")),
		may("io.modelcontextprotocol/logLevel", level),
		may("progressToken", token)))
	resultMeta       = changed(r20260728, open, object(may("io.modelcontextprotocol/serverInfo", ref("Implementation"))))
	notificationMeta = changed(r20260728, open, object(may("io.modelcontextprotocol/subscriptionId", token)))
	itemMeta         = may("_meta", open).since(r20250618)
)

// The words of the protocol.
var (
	level = word("alert", "critical", "debug", "emergency", "error", "info", "notice", "warning")
	role  = word("assistant", "user")
)

// result is the result of a method: what every result has, and its own members.
func result(members ...member) fragment {
	return object(append(members, may("_meta", resultMeta), must("resultType", text).since(r20260728))...)
}

// cacheable is a result with the hints of 2026-07-28 about how long it may be kept.
func cacheable(members ...member) fragment {
	return result(append(members, must("ttlMs", count).since(r20260728), must("cacheScope", word("private", "public")).since(r20260728))...)
}

// described are the members by which users tell resources and templates apart.
func described(members ...member) fragment {
	return object(append(members,
		must("name", text), may("title", text).since(r20250618), may("description", text), may("mimeType", text),
		may("annotations", ref("Annotations")), may("icons", list(ref("Icon"))).since(r20251125), itemMeta)...)
}

// types are the parts of messages.
var types = []definition{
	{name: "Implementation", of: object(
		must("name", text), must("version", text), may("title", text).since(r20250618), may("description", text).since(r20251125),
		may("websiteUrl", text).since(r20251125), may("icons", list(ref("Icon"))).since(r20251125))},
	{name: "Icon", from: r20251125, of: object(
		must("src", text), may("mimeType", text), may("sizes", list(text)), may("theme", word("dark", "light")))},
	{name: "Annotations", of: object(
		may("audience", list(role)), may("priority", share), may("lastModified", text).since(r20250618))},
	{name: "Resource", of: described(must("uri", text), may("size", integer))},
	{name: "ResourceTemplate", of: described(must("uriTemplate", text))},
	// What a content holds is text or a blob; a member of the other kind beside it is
	// merely unknown, whatever its type.
	{name: "ResourceContents", of: with(object(must("uri", text), may("mimeType", text), itemMeta), node{"anyOf": []any{
		node{"required": []any{"text"}, "properties": node{"text": node{"type": "string"}}},
		node{"required": []any{"blob"}, "properties": node{"blob": node{"type": "string"}}},
	}})},
	{name: "ServerCapabilities", of: object(
		may("experimental", mapOf(open)), may("logging", open), may("completions", open).since(r20250326),
		may("prompts", object(may("listChanged", boolean))), may("tools", object(may("listChanged", boolean))),
		may("resources", object(may("subscribe", boolean), may("listChanged", boolean))),
		may("tasks", object(may("list", open), may("cancel", open), may("requests", object(may("tools", object(may("call", open))))))).only(r20251125),
		may("extensions", mapOf(open)).since(r20260728))},
	{name: "ClientCapabilities", of: object(
		may("experimental", mapOf(open)), may("roots", object(may("listChanged", boolean).until(r20251125))),
		may("sampling", object(may("context", open).since(r20251125), may("tools", open).since(r20251125))),
		may("elicitation", object(may("form", open).since(r20251125), may("url", open).since(r20251125))).since(r20250618),
		may("tasks", object(may("list", open), may("cancel", open), may("requests", object(
			may("sampling", object(may("createMessage", open))), may("elicitation", object(may("create", open))))))).only(r20251125),
		may("extensions", mapOf(open)).since(r20260728))},
	{name: "SubscriptionFilter", from: r20260728, of: object(
		may("resourcesListChanged", boolean), may("promptsListChanged", boolean), may("toolsListChanged", boolean),
		may("resourceSubscriptions", list(text)))},
}

// results are what requests are answered with.
var results = []definition{
	{name: "Result", of: result()},
	{name: "InitializeResult", to: r20251125, of: result(
		must("protocolVersion", text), must("capabilities", ref("ServerCapabilities")), must("serverInfo", ref("Implementation")), may("instructions", text))},
	{name: "EmptyResult", of: result()},
	{name: "DiscoverResult", from: r20260728, of: cacheable(
		must("supportedVersions", list(text)), must("capabilities", ref("ServerCapabilities")), may("instructions", text))},
	{name: "ListResourcesResult", of: cacheable(must("resources", list(ref("Resource"))), may("nextCursor", text))},
	{name: "ListResourceTemplatesResult", of: cacheable(must("resourceTemplates", list(ref("ResourceTemplate"))), may("nextCursor", text))},
	{name: "ReadResourceResult", of: cacheable(must("contents", list(ref("ResourceContents"))))},
	{name: "CompleteResult", of: result(must("completion", object(
		must("values", changed(r20260728, list(text), with(list(text), node{"maxItems": 100}))), may("total", integer), may("hasMore", boolean))))},
	{name: "SubscriptionsListenResult", from: r20260728, of: object(must("resultType", text), must("_meta", object(
		must("io.modelcontextprotocol/subscriptionId", token), may("io.modelcontextprotocol/serverInfo", ref("Implementation")))))},
	{name: "InputRequiredResult", from: r20260728, of: result(may("requestState", text), may("inputRequests", mapOf(tagged("method", map[string]fragment{
		"sampling/createMessage": object(must("params", object(samplingParams...))),
		"elicitation/create":     object(must("params", elicitParams())),
		"roots/list":             object(may("params", object(may("_meta", open)))),
	}))))},
	// The answers of clients to requests of the server, of which 2026-07-28 has none.
	{name: "CreateMessageResult", to: r20251125, of: object(
		must("role", role), must("model", text), must("content", blocks), may("stopReason", text), may("_meta", open))},
	{name: "ListRootsResult", to: r20251125, of: object(must("roots", list(object(must("uri", text), may("name", text), itemMeta))), may("_meta", open))},
	{name: "ElicitResult", from: r20250618, to: r20251125, of: object(
		must("action", word("accept", "cancel", "decline")), may("content", mapOf(elicited)), may("_meta", open))},
}

// blocks are what a message to or from a model consists of: one, or since 2025-11-25
// several. What is inside of them is of no concern to resources.
var blocks = changed(r20251125, open, fixed(node{"type": []any{"object", "array"}, "items": node{"type": "object"}}))

// elicited is a value that a user entered.
var elicited = changed(r20251125, fixed(node{"type": []any{"string", "integer", "boolean"}}),
	fixed(node{"type": []any{"string", "integer", "boolean", "array"}, "items": node{"type": "string"}}))

// samplingParams and elicitParams are the params by which a server asks for a
// message of a model, and for input of the user.
var samplingParams = []member{
	must("messages", list(object(must("role", role), must("content", blocks), may("_meta", open).since(r20251125)))),
	must("maxTokens", integer), may("systemPrompt", text), may("temperature", number), may("stopSequences", list(text)),
	may("includeContext", word("allServers", "none", "thisServer")), may("metadata", open),
	may("modelPreferences", object(may("hints", list(object(may("name", text)))),
		may("costPriority", share), may("speedPriority", share), may("intelligencePriority", share))),
	may("tools", list(open)).since(r20251125),
	may("toolChoice", object(may("mode", word("auto", "none", "required")))).since(r20251125),
	may("task", object(may("ttl", integer))).only(r20251125),
}

func elicitParams(more ...member) fragment {
	form := object(must("requestedSchema", object(
		must("type", word("object")), must("properties", mapOf(open)), may("required", list(text)), may("$schema", text).since(r20251125))))
	url := object(must("url", text), must("elicitationId", text).only(r20251125))
	return func(rev requirement.Revision) node {
		n := object(append(more, must("message", text), may("mode", word("form", "url")).since(r20251125), may("task", object(may("ttl", integer))).only(r20251125))...)(rev)
		if rev.Before(r20251125) {
			n["allOf"] = []any{form(rev)}
			return n
		}
		n["if"], n["then"], n["else"] = is("mode", "url"), url(rev), form(rev)
		return n
	}
}
