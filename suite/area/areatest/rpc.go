package areatest

import (
	rt "github.com/mcpcheck/mcpcheck/suite/recording/recordtest"
)

// Said is a list request with a whole reply.
func Said(reply string, more ...string) rt.Line {
	return rt.Line{Step: "list", Method: "resources/list", ID: "5", Reply: reply, More: more}
}

// Unasked is something that the target sends unasked.
func Unasked(messages ...string) rt.Line { return rt.Line{Incoming: messages} }
