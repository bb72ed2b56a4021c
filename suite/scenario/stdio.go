package scenario

import (
	"encoding/json"
	"fmt"

	"github.com/mcpcheck/mcpcheck/suite/session"
)

// LifeMethod is the method of a request that every target serves.
func LifeMethod(p *Play) string {
	if p.Modern() {
		return "server/discover"
	}
	return "ping"
}

// Lifeline is a request that every target serves, as bytes, with a remark of the
// client's own in its metadata.
func Lifeline(p *Play, id int, remark string) []byte {
	meta := map[string]any{"mcpcheck/remark": remark}
	if p.Modern() {
		meta[session.MetaVersion] = string(p.Revision())
		meta[session.MetaClientInfo] = session.ClientInfo
		meta[session.MetaCapabilities] = map[string]any{}
	}
	params, err := json.Marshal(map[string]any{"_meta": meta})
	if err != nil {
		panic(err) // strings and maps of them always have a JSON form
	}
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, id, LifeMethod(p), params)
}
