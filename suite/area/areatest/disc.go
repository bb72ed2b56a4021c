package areatest

import (
	"github.com/mcpcheck/mcpcheck/suite/recording"
	rt "github.com/mcpcheck/mcpcheck/suite/recording/recordtest"
)

// Asked is a request and what came back: a result, or an error if it has a code.
func Asked(step recording.Step, method, params, answer string, tags ...string) rt.Line {
	l := rt.Line{Step: step, Method: method, Params: params, Tags: Pairs(tags...)}
	if len(answer) > 8 && answer[:8] == `{"code":` {
		l.Error = answer
	} else {
		l.Result = answer
	}
	return l
}

func Discovery(result string) rt.Line { return Asked("discover", "server/discover", "{}", result) }

const (
	NotFoundError = `{"code":-32601,"message":"Method not found"}`
	ParamsError   = `{"code":-32602,"message":"Invalid params"}`
	GoodList      = `{"resultType":"complete","resources":[{"uri":"a:1","name":"1"}]}`
)
