package scenario

import (
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/session"
)

// Ordinary is a request that the target has to serve if it does what it declares.
func Ordinary(p *Play, step recording.Step) session.Request {
	switch {
	case p.Facts.Declares("resources") && p.Modern():
		return session.Request{Step: step, Method: "resources/list"}
	case p.Facts.Declares("resources"):
		return session.Request{Step: step, Method: "resources/list", Params: map[string]any{}}
	case p.Modern():
		return session.Request{Step: step, Method: "server/discover"}
	}
	return session.Request{Step: step, Method: "ping"}
}
