package areatest

import (
	"net/http"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	rt "github.com/mcpcheck/mcpcheck/suite/recording/recordtest"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
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

// Discovery is server/discover with a result.
func Discovery(result string) rt.Line {
	return Asked(recording.StepDiscover, "server/discover", "{}", result)
}

// Failure is an error with a code.
func Failure(code string) string { return `{"code":` + code + `,"message":"no"}` }

// HTTPLine is a line that came over HTTP.
func HTTPLine(step recording.Step, status int, l rt.Line) rt.Line {
	l.Step, l.Status = step, status
	if l.Method == "" && l.ID == "" {
		l.Method = "resources/list"
	}
	if l.Outcome == "" && l.Result == "" && l.Error == "" && l.Reply == "" {
		l.Outcome = recording.HTTPOnly
	}
	return l
}

// Mime adds a Content-Type.
func Mime(kind string, l rt.Line) rt.Line {
	l.Header = http.Header{"Content-Type": {kind}}
	return l
}

// WithTags sets the tags of a line, given in pairs.
func WithTags(l rt.Line, pairs ...string) rt.Line {
	l.Tags = Pairs(pairs...)
	return l
}

// WithCode is a line with an error of a code.
func WithCode(code string) rt.Line { return rt.Line{Error: `{"code":` + code + `,"message":"no"}`} }

// HasResources are capabilities with resources alone.
const HasResources = `{"resources":{}}`

// Listing is a whole list on one page.
func Listing(entries string) []rt.Line { return Lines(Page("1d", `{}`, `{"resources":[`+entries+`]}`)) }

// Templates is a whole list of templates on one page.
func Templates(entries string) []rt.Line {
	return Lines(rt.Line{Step: recording.StepPage, Method: "resources/templates/list", Params: `{}`,
		Result: `{"resourceTemplates":[` + entries + `]}`, Tags: recording.Tags{recording.TagPage: "1", recording.TagEnd: "done"}})
}

// Refusal is an exchange that ended with an error of a code.
func Refusal(step recording.Step, method, params, code string, tags ...string) rt.Line {
	return rt.Line{Step: step, Method: method, Params: params, Error: `{"code":` + code + `,"message":"no"}`, Tags: Pairs(tags...)}
}

// Page is a page of resources/list. A letter behind its number says how the walk ended
// there: done, cycle, bound or refused.
func Page(n, params, result string) rt.Line {
	end := recording.Tags{recording.TagPage: n}
	if n[len(n)-1] > '9' {
		end[recording.TagEnd] = map[byte]string{'d': "done", 'c': "cycle", 'b': "bound", 'r': "refused"}[n[len(n)-1]]
	}
	return rt.Line{Step: recording.StepPage, Method: "resources/list", Params: params, Result: result, Tags: end}
}

// OnePage is the result of a list with one resource.
const OnePage = `{"resources":[{"uri":"a:1","name":"1"}]}`

// ReadLine is a read of a URI, listed with a MIME type, that yields contents.
func ReadLine(uri, listed, contents string) rt.Line {
	tags := recording.Tags{recording.TagURI: uri}
	if listed != "" {
		tags[recording.TagType] = listed
	}
	return rt.Line{Step: recording.StepRead, Method: "resources/read", Params: `{"uri":"` + uri + `"}`, Tags: tags, Result: `{"contents":[` + contents + `]}`}
}

// Said is a list request with a whole reply.
func Said(reply string, more ...string) rt.Line {
	return rt.Line{Step: recording.StepList, Method: "resources/list", ID: "5", Reply: reply, More: more}
}

// Unasked is something that the target sends unasked.
func Unasked(messages ...string) rt.Line { return rt.Line{Incoming: messages} }

// Answers to a request.
const (
	NotFoundError = `{"code":-32601,"message":"Method not found"}`
	ParamsError   = `{"code":-32602,"message":"Invalid params"}`
	GoodList      = `{"resultType":"complete","resources":[{"uri":"a:1","name":"1"}]}`
)

// A result and an error of answers over HTTP.
const (
	ListOf     = `{"resources":[]}`
	Mismatched = `{"code":-32020,"message":"Header mismatch"}`
)

// Answers to requests over HTTP, and a message to which none is due.
var (
	OkList    = rt.Line{Result: ListOf}
	HeaderErr = rt.Line{Error: Mismatched}
	NoMessage = rt.Line{}
	Oneway    = rt.Line{ID: "-", Method: "notifications/cancelled", Outcome: recording.Sent}
)

// ModernOne is the modern revision.
const ModernOne = requirement.R20260728

// TaggedRead is a read with tags in pairs.
func TaggedRead(step recording.Step, params, result, err string, tags ...string) rt.Line {
	return rt.Line{Step: step, Method: "resources/read", Params: params, Result: result, Error: err, Tags: Pairs(tags...)}
}

// Answers to reads.
const (
	NoSuch  = `{"code":-32602,"message":"no"}`
	OneText = `{"contents":[{"uri":"a:1","text":"hello"}]}`
	Nothing = `{"contents":[]}`
)

// Pairs makes tags of pairs.
func Pairs(all ...string) recording.Tags {
	tags := recording.Tags{}
	for i := 0; i+1 < len(all); i += 2 {
		tags[recording.Tag(all[i])] = all[i+1]
	}
	return tags
}

// And adds further tags to a line.
func And(l rt.Line, more ...string) rt.Line {
	tags := Pairs(more...)
	for k, v := range l.Tags {
		if _, replaced := tags[k]; !replaced {
			tags[k] = v
		}
	}
	l.Tags = tags
	return l
}
