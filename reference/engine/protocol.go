package engine

import (
	"net/http"
	"strconv"

	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/mcpcheck/mcpcheck/reference/journal"
)

// The paths of the endpoints.
const (
	PathStreamable = "/mcp"
	PathEvents     = "/sse"
	PathMessages   = "/message"
)

// maxBody bounds the body of a POST.
const maxBody = 4 << 20

// The error codes. Those from -32020 down belong to 2026-07-28, and
// codeNotFound to the revisions before it.
const (
	codeParse             = -32700
	codeInvalidRequest    = -32600
	codeMethodNotFound    = -32601
	codeInvalidParams     = -32602
	codeInternal          = -32603
	codeNotFound          = -32002
	codeHeaderMismatch    = -32020
	codeMissingCapability = -32021
	codeUnsupported       = -32022
)

// The methods that package hook does not name. Those of tools and prompts are served if the world has some.
const (
	methodInitialize  = "initialize"
	methodInitialized = "notifications/initialized"
	methodCancelled   = "notifications/cancelled"
	methodTools       = "tools/list"
	methodCall        = "tools/call"
	methodPrompts     = "prompts/list"
	methodPrompt      = "prompts/get"
)

// The headers of Streamable HTTP.
const (
	headerVersion = "Mcp-Protocol-Version"
	headerSession = "Mcp-Session-Id"
	headerMethod  = "Mcp-Method"
	headerName    = "Mcp-Name"
)

// writtenVersion is the first of them as the specification writes it.
const writtenVersion = "MCP-Protocol-Version"

// The members of metadata.
const (
	metaPrefix       = "io.modelcontextprotocol/"
	metaVersion      = metaPrefix + "protocolVersion"
	metaClientInfo   = metaPrefix + "clientInfo"
	metaCapabilities = metaPrefix + "clientCapabilities"
	metaLogLevel     = metaPrefix + "logLevel"
	metaServerInfo   = metaPrefix + "serverInfo"
	metaSubscription = metaPrefix + "subscriptionId"
)

// logLevels are those that a client may name.
var logLevels = []string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}

// first is the first value of a header, whose name is written as such names are kept.
func first(h http.Header, name string) string {
	if values := h[name]; len(values) > 0 {
		return values[0]
	}
	return ""
}

// reply is a reply with a result.
func reply(result hook.Object) *hook.Reply { return &hook.Reply{Result: result} }

// fail is a reply that is an error.
func fail(code int64, message string) *hook.Reply { return hook.Fail(code, message) }

// failAt is fail with an HTTP status.
func failAt(status int, code int64, message string) *hook.Reply {
	r := hook.Fail(code, message)
	r.Status = status
	return r
}

// badParams refuses the params of a request.
func badParams(why string) *hook.Reply { return fail(codeInvalidParams, "Invalid params: "+why) }

// badRequest refuses a message that is none, or is none here.
func badRequest(why string) *hook.Reply {
	return failAt(http.StatusBadRequest, codeInvalidRequest, "Invalid request: "+why)
}

// failWith is fail with data.
func failWith(code int64, message string, data hook.Object) *hook.Reply {
	r := hook.Fail(code, message)
	r.Error["data"] = data
	return r
}

// notFound is the answer to a request about a resource that is not there.
func notFound(revision, uri string) *hook.Reply {
	code := codeNotFound
	if hook.Modern(revision) {
		code = codeInvalidParams
	}
	b := append(make([]byte, 0, 128+len(uri)), `"error":{"code":`...)
	b = append(strconv.AppendInt(b, int64(code), 10), `,"data":{"uri":`...)
	b = append(hook.AppendEncoded(b, uri), `},"message":"Resource not found"}}`...)
	return &hook.Reply{Rendered: journal.NewShared(b)}
}

// optional sets a member, unless its value is empty.
func optional(o hook.Object, name, value string) {
	if value != "" {
		o[name] = value
	}
}

// texts is a list of texts as JSON has it.
func texts(values []string) []any { return listOf(values, func(v string) any { return v }) }

// listOf is a list with what each makes of the elements.
func listOf[T any](all []T, each func(T) any) []any {
	list := make([]any, len(all))
	for i, one := range all {
		list[i] = each(one)
	}
	return list
}
