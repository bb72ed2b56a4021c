package verdict

import (
	"github.com/mcpcheck/mcpcheck/suite/judge"
	"github.com/mcpcheck/mcpcheck/suite/recording"
)

const (
	MetaServerInfo        = "io.modelcontextprotocol/serverInfo"
	KeyClientCapabilities = "io.modelcontextprotocol/clientCapabilities"
	KeyProtocolVersion    = "io.modelcontextprotocol/protocolVersion"
)

// EachResult visits the results of a recording; those of a handshake are none of
// a modern revision.
func EachResult(r *recording.Recording, visit func(x *recording.Exchange)) {
	for _, x := range r.Exchanges {
		if x.Succeeded() && x.Method != "initialize" && judge.IsObject(x.Result()) {
			visit(x)
		}
	}
}
