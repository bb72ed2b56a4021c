package areatest

import (
	"github.com/mcpcheck/mcpcheck/suite/recording"
	rt "github.com/mcpcheck/mcpcheck/suite/recording/recordtest"
)

const HasResources = `{"resources":{}}`

// Listing is a whole list on one page.
func Listing(entries string) []rt.Line { return Lines(Page("1d", `{}`, `{"resources":[`+entries+`]}`)) }

func Templates(entries string) []rt.Line {
	return Lines(rt.Line{Step: "page", Method: "resources/templates/list", Params: `{}`,
		Result: `{"resourceTemplates":[` + entries + `]}`, Tags: recording.Tags{"page": "1", "end": "done"}})
}

// Refusal is an exchange that ended with an error of a code.
func Refusal(step recording.Step, method, params, code string, tags ...string) rt.Line {
	return rt.Line{Step: step, Method: method, Params: params, Error: `{"code":` + code + `,"message":"no"}`, Tags: Pairs(tags...)}
}
