package verdict

import (
	"strconv"
	"strings"

	"github.com/mcpcheck/mcpcheck/suite/judge"
	"github.com/mcpcheck/mcpcheck/suite/matcher"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/tidwall/gjson"
)

// Quoted is a name in a sentence, cut to a length that fits there.
func Quoted(name string) string {
	return judge.Brief(gjson.Result{Type: gjson.String, Raw: `"` + strings.ToValidUTF8(name, "\uFFFD") + `"`})
}

// ParamsOf is the params of a request for a sentence.
func ParamsOf(x *recording.Exchange) string {
	return judge.Brief(matcher.WithoutMeta(gjson.ParseBytes(x.Params)))
}

// What names a request by its method, and any other message by its step.
func What(x *recording.Exchange) string {
	if x.Method != "" {
		return x.Method
	}
	return "the message " + strconv.Quote(string(x.Step))
}

// Texts lists the strings of an array.
func Texts(list gjson.Result) []string {
	var all []string
	if list.IsArray() {
		for _, s := range list.Array() {
			if s.Type == gjson.String {
				all = append(all, s.Str)
			}
		}
	}
	return all
}

// CoreType reports whether a result type is one of the core protocol.
func CoreType(t string) bool { return t == "complete" || t == "input_required" }

// Tag is a tag of an exchange that may be missing.
func Tag(x *recording.Exchange, name recording.Tag) string {
	if x == nil {
		return ""
	}
	return x.Tags[name]
}

// The keys of the protocol in _meta.
const (
	MetaServerInfo        = "io.modelcontextprotocol/serverInfo"
	KeyClientCapabilities = "io.modelcontextprotocol/clientCapabilities"
	KeyProtocolVersion    = "io.modelcontextprotocol/protocolVersion"
)
