package areatest

import (
	"github.com/mcpcheck/mcpcheck/suite/recording"
	rt "github.com/mcpcheck/mcpcheck/suite/recording/recordtest"
)

func Page(n, params, result string) rt.Line {
	end := recording.Tags{"page": n}
	if n[len(n)-1] > '9' {
		end["end"] = map[byte]string{'d': "done", 'c': "cycle", 'b': "bound", 'r': "refused"}[n[len(n)-1]]
	}
	return rt.Line{Step: "page", Method: "resources/list", Params: params, Result: result, Tags: end}
}

const OnePage = `{"resources":[{"uri":"a:1","name":"1"}]}`
