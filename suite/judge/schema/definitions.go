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

// The metadata that messages carry: of requests and results, and of resources,
// templates and contents, which have it since 2025-06-18. Lists are where the icons of
// the server are judged.
var (
	requestMeta = changed(r20260728, object(may("progressToken", token)), object(
		must("io.modelcontextprotocol/protocolVersion", text),
		must("io.modelcontextprotocol/clientCapabilities", ref("ClientCapabilities")),
		may("io.modelcontextprotocol/clientInfo", ref("Implementation")),
		may("io.modelcontextprotocol/logLevel", level),
		may("progressToken", token)))
	resultMeta = resultMetaOf(serverInfo())
	listMeta   = resultMetaOf(serverInfo(may("icons", anything).below("ICON-01")))
	openMeta   = may("_meta", open).by("META-01")
	itemMeta   = openMeta.since(r20250618)
)

func resultMetaOf(serverInfo member) member {
	return may("_meta", changed(r20260728, open, object(serverInfo))).by("META-01")
}

// serverInfo is who answers, in the metadata of a result.
func serverInfo(judged ...member) member {
	judged = append(judged, may("name", anything).by("META-13"), may("version", anything).by("META-13"))
	return may("io.modelcontextprotocol/serverInfo", within(ref("Implementation"), judged...)).by("META-13")
}

// The words of the protocol.
var (
	level = word("alert", "critical", "debug", "emergency", "error", "info", "notice", "warning")
	role  = word("assistant", "user")
)

// resultType tells the types of results apart.
var resultType = must("resultType", text).by("META-11").since(r20260728)

// result is the result of a method: what every result has, and its own members,
// which can stand for one of these.
func result(members ...member) fragment {
	return object(append([]member{resultMeta, resultType}, members...)...)
}

// cacheable is a result with the hints of 2026-07-28 about how long it may be kept. The
// requirement id judges that they are there.
func cacheable(id string, members ...member) fragment {
	return result(append(members, must("ttlMs", count).by(id+" CACHE-05").since(r20260728),
		must("cacheScope", word("private", "public")).by(id+" CACHE-07").since(r20260728))...)
}

// described are the members by which users tell resources and templates apart. The
// requirement needed judges the name, optional the rest.
func described(needed, optional string, members ...member) fragment {
	return object(append(members,
		must("name", text).by(needed), may("title", text).by(optional).since(r20250618), may("description", text).by(optional), may("mimeType", text).by(optional),
		may("annotations", ref("Annotations")).below("ANN-01"), may("icons", list(ref("Icon"))).below("ICON-01").since(r20251125), itemMeta)...)
}

// types are the parts of messages.
var types = []definition{
	{name: "Implementation", of: object(
		must("name", text), must("version", text), may("title", text).since(r20250618), may("description", text).since(r20251125),
		may("websiteUrl", text).since(r20251125), may("icons", list(ref("Icon"))).since(r20251125))},
	{name: "Icon", from: r20251125, of: object(
		must("src", text), may("mimeType", text), may("sizes", list(text)), may("theme", word("dark", "light")))},
	{name: "Annotations", of: object(
		may("audience", list(by("ANN-03", role))), may("priority", share).by("ANN-01 ANN-05"), may("lastModified", text).since(r20250618))},
	{name: "Resource", of: described("LIST-02", "LIST-05", must("uri", text).by("LIST-02"), may("size", integer).by("LIST-05"))},
	{name: "ResourceTemplate", of: described("TMPL-02", "TMPL-09", must("uriTemplate", text).by("TMPL-02"))},
	// What a content holds is text or a blob; a member of the other kind beside it is
	// merely unknown, whatever its type. All that has no requirement of its own is this
	// choice, which READ-03 judges.
	{name: "ResourceContents", of: with(object(must("uri", text).by("READ-02"), may("mimeType", text).by("READ-02"), itemMeta), node{judgedByBelow: "READ-03", "anyOf": []any{
		node{"required": []any{"text"}, "properties": node{"text": node{"type": "string"}}},
		node{"required": []any{"blob"}, "properties": node{"blob": node{"type": "string"}}},
	}})},
	{name: "ServerCapabilities", of: object(
		may("experimental", mapOf(open)).below("CAP-11"), may("logging", open).by("CAP-11"), may("completions", open).by("CAP-11").since(r20250326),
		may("prompts", object(may("listChanged", boolean))).by("CAP-11"), may("tools", object(may("listChanged", boolean))).by("CAP-11"),
		may("resources", object(may("subscribe", boolean), may("listChanged", boolean))).by("CAP-02").below("CAP-03"),
		may("tasks", object(may("list", open), may("cancel", open), may("requests", object(may("tools", object(may("call", open))))))).only(r20251125),
		may("extensions", mapOf(open)).below("CAP-11").since(r20260728))},
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
		must("protocolVersion", text).by("LIFE-01"), must("capabilities", ref("ServerCapabilities")).by("LIFE-01"), may("instructions", text).by("LIFE-07"),
		must("serverInfo", within(ref("Implementation"),
			may("name", anything).by("LIFE-01"), may("version", anything).by("LIFE-01"), may("title", anything).by("LIFE-07"), may("description", anything).by("LIFE-07"),
			may("websiteUrl", anything).by("LIFE-07"), may("icons", anything).by("LIFE-07 ICON-01").below("ICON-01").since(r20251125))).by("LIFE-01"))},
	{name: "EmptyResult", of: result()},
	{name: "DiscoverResult", from: r20260728, of: cacheable("CACHE-04",
		must("supportedVersions", list(text)).below("DISC-02"), must("capabilities", ref("ServerCapabilities")).by("DISC-02"), may("instructions", text).by("DISC-02"))},
	{name: "ListResourcesResult", of: cacheable("CACHE-01",
		must("resources", list(by("LIST-02", ref("Resource")))).by("LIST-01"), may("nextCursor", text).by("PAGE-01"), listMeta)},
	{name: "ListResourceTemplatesResult", of: cacheable("CACHE-01",
		must("resourceTemplates", list(by("TMPL-02", ref("ResourceTemplate")))).by("TMPL-01"), may("nextCursor", text).by("PAGE-01"), listMeta)},
	{name: "ReadResourceResult", of: cacheable("CACHE-03", must("contents", list(by("READ-02", ref("ResourceContents")))).by("READ-01"))},
	{name: "CompleteResult", of: result(must("completion", object(
		must("values", changed(r20260728, list(by("COMP-02", text)), with(list(by("COMP-02", text)), node{"maxItems": 100}))).by("COMP-02 COMP-03"),
		may("total", integer).by("COMP-04"), may("hasMore", boolean).by("COMP-04"))).by("COMP-02"))},
	{name: "SubscriptionsListenResult", from: r20260728, of: object(resultType, must("_meta", object(
		must("io.modelcontextprotocol/subscriptionId", token).by("SUB-35"), serverInfo())).by("SUB-35"))},
	{name: "InputRequiredResult", from: r20260728, of: result(may("requestState", text).by("MRTR-02"), may("inputRequests", mapOf(by("MRTR-02", tagged("method", "MRTR-02", map[string]fragment{
		"sampling/createMessage": object(must("params", object(samplingParams...)).by("MRTR-02")),
		"elicitation/create":     object(must("params", elicitParams()).by("MRTR-02")),
		"roots/list":             object(may("params", object(may("_meta", open))).by("MRTR-02")),
	})))).by("MRTR-02"))},
	// The answers of clients to requests of the server, of which 2026-07-28 has none.
	{name: "CreateMessageResult", to: r20251125, of: object(
		must("role", role), must("model", text), must("content", blocks), may("stopReason", text), openMeta)},
	{name: "ListRootsResult", to: r20251125, of: object(must("roots", list(object(must("uri", text), may("name", text), may("_meta", open).since(r20250618)))), openMeta)},
	{name: "ElicitResult", from: r20250618, to: r20251125, of: object(
		must("action", word("accept", "cancel", "decline")), may("content", mapOf(elicited)), openMeta)},
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
