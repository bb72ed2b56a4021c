package verdict

import (
	"github.com/mcpcheck/mcpcheck/suite/judge"
	"github.com/mcpcheck/mcpcheck/suite/matcher"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/tidwall/gjson"
)

// ParamsOf is the params of a request for a sentence.
func ParamsOf(x *recording.Exchange) string {
	return judge.Brief(matcher.WithoutMeta(gjson.ParseBytes(x.Params)))
}
