package areatest

import (
	rt "github.com/mcpcheck/mcpcheck/suite/recording/recordtest"
)

const HasResources = `{"resources":{}}`

// Listing is a whole list on one page.
func Listing(entries string) []rt.Line { return Lines(Page("1d", `{}`, `{"resources":[`+entries+`]}`)) }

func Templates(entries string) []rt.Line {
	return Lines(rt.Line{Step: "page", Method: "resources/templates/list", Params: `{}`,
		Result: `{"resourceTemplates":[` + entries + `]}`, Tags: map[string]string{"page": "1", "end": "done"}})
}

// Refusal is an exchange that ended with an error of a code.
func Refusal(step, method, params, code string, tags ...string) rt.Line {
	l := rt.Line{Step: step, Method: method, Params: params, Error: `{"code":` + code + `,"message":"no"}`, Tags: map[string]string{}}
	for i := 0; i+1 < len(tags); i += 2 {
		l.Tags[tags[i]] = tags[i+1]
	}
	return l
}
