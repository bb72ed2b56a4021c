// Package areatest judges recordings that tests make up with the checks of the areas.
package areatest

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/mcpcheck/mcpcheck/suite/area"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	rt "github.com/mcpcheck/mcpcheck/suite/recording/recordtest"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
)

// Run is a requirement judged on a recording, and the verdict that is due.
type Run struct {
	ID   string
	Want verdict.Outcome
	Rec  []rt.Line
}

// Pass, Warn, Fail, Blocked and NotApplicable are runs of a requirement, named after the verdict that is due
// on a recording of these lines.
func Pass(id string, l ...rt.Line) Run          { return Run{id, verdict.Pass, l} }
func Warn(id string, l ...rt.Line) Run          { return Run{id, verdict.Warn, l} }
func Fail(id string, l ...rt.Line) Run          { return Run{id, verdict.Fail, l} }
func Blocked(id string, l ...rt.Line) Run       { return Run{id, verdict.Blocked, l} }
func NotApplicable(id string, l ...rt.Line) Run { return Run{id, verdict.NotApplicable, l} }

// Lines lists lines.
func Lines(l ...rt.Line) []rt.Line { return l }

// Stdio and HTTP are the facts of a target over the transport of this name, in a revision.
func Stdio(rev requirement.Revision, capabilities string) *recording.Facts {
	return rt.Facts(requirement.Combination{Revision: rev, Transport: requirement.Stdio}, capabilities)
}

func HTTP(rev requirement.Revision, capabilities string) *recording.Facts {
	return rt.Facts(requirement.Combination{Revision: rev, Transport: requirement.HTTP}, capabilities)
}

// Judge judges a requirement on recordings of one target.
func Judge(id string, recs ...*recording.Recording) verdict.Result {
	req, known := area.Catalogue().Find(id)
	k, ok := area.BuiltIn().Check(id)
	if !known || !ok {
		panic(id + " has no check")
	}
	all := verdict.Recordings{}
	for _, r := range recs {
		all[r.Scenario] = r
	}
	return verdict.Evaluate(k, req, recs[0].Facts, all)
}

// Due judges a requirement in a case, in which a verdict is due.
func Due(t *testing.T, id string, in any, want verdict.Outcome, recs ...*recording.Recording) {
	t.Helper()
	if got := Judge(id, recs...); got.Outcome != want {
		t.Errorf("%s, %v: %s, expected %s\n%+v", id, in, got.Outcome, want, got)
	}
}

// WalkRuns judges each run in every revision of its requirement on stdio; a
// fail that is due becomes a warn where the grade says so.
func WalkRuns(t *testing.T, name recording.Name, capabilities string, runs ...Run) {
	t.Helper()
	WalkRunsIn(t, name, capabilities, runs)
}

// WalkRunsIn judges runs in particular revisions.
func WalkRunsIn(t *testing.T, name recording.Name, capabilities string, runs []Run,
	revisions ...requirement.Revision) {
	t.Helper()
	for i, x := range runs {
		req, ok := area.Catalogue().Find(x.ID)
		if !ok {
			t.Fatalf("%s is not in the catalogue", x.ID)
		}
		in := revisions
		if len(in) == 0 {
			in = req.Revisions
		}
		for _, rev := range in {
			t.Run(fmt.Sprintf("%s/%d/%s", x.ID, i, rev), func(t *testing.T) {
				tr := req.Transports[0]
				facts := rt.Facts(requirement.Combination{Revision: rev, Transport: tr}, capabilities)
				want := x.Want
				if want == verdict.Fail && req.GradeIn(rev) != requirement.Fail {
					want = verdict.Warn
				}
				Due(t, x.ID, rev, want, rt.New(name, facts, x.Rec...))
			})
		}
	}
}

// Observations are those of a check on a recording, in one revision; recs are further
// recordings that it looks at.
func Observations(t *testing.T, id string, name recording.Name, rec []rt.Line,
	recs ...*recording.Recording) map[string]string {
	t.Helper()
	own := rt.New(name, Stdio(requirement.R20251125, HasResources), rec...)
	found := map[string]string{}
	for _, o := range Judge(id, slices.Insert(recs, 0, own)...).Observations {
		if found[o.ID] != "" {
			t.Errorf("%s is told twice", o.ID)
		}
		if len(o.Frames) == 0 {
			t.Errorf("%s has no evidence", o.ID)
		}
		found[o.ID] = o.Detail
	}
	return found
}

// Observed checks that there is one observation, and what it says.
func Observed(t *testing.T, got map[string]string, id string, parts ...string) {
	t.Helper()
	if id == "" {
		if len(got) > 0 {
			t.Errorf("observed: %v", got)
		}
		return
	}
	if len(got) != 1 || got[id] == "" {
		t.Errorf("observed: %v instead of %s", got, id)
	}
	for _, part := range parts {
		if !strings.Contains(got[id], part) {
			t.Errorf("%s: %q does not contain %q", id, got[id], part)
		}
	}
}

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

// Bare is a line without a message in the answer.
func Bare(step recording.Step, status int) rt.Line { return HTTPLine(step, status, rt.Line{}) }

// Listed is a line that is answered with a list.
func Listed(step recording.Step) rt.Line { return HTTPLine(step, 200, OkList) }

// Mismatch is a line that is refused for its headers.
func Mismatch(step recording.Step) rt.Line { return HTTPLine(step, 400, HeaderErr) }

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
func WithCode(code string) rt.Line { return rt.Line{Error: Failure(code)} }

// HasResources are capabilities with resources alone.
const HasResources = `{"resources":{}}`

// Listing is a whole list on one page.
func Listing(entries string) []rt.Line { return Lines(Page("1d", `{}`, `{"resources":[`+entries+`]}`)) }

// Templates is a whole list of templates on one page.
func Templates(entries string) []rt.Line {
	return Lines(Asked(recording.StepPage, "resources/templates/list", `{}`,
		`{"resourceTemplates":[`+entries+`]}`, "page", "1", "end", "done"))
}

// Refusal is an exchange that ended with an error of a code.
func Refusal(step recording.Step, method, params, code string, tags ...string) rt.Line {
	return Asked(step, method, params, Failure(code), tags...)
}

// Page is a page of resources/list. A letter behind its number says how the walk ended
// there: done, cycle, bound or refused.
func Page(n, params, result string) rt.Line {
	l := Asked(recording.StepPage, "resources/list", params, result, "page", n)
	if n[len(n)-1] > '9' {
		l.Tags[recording.TagEnd] = map[byte]string{'d': "done", 'c': "cycle", 'b': "bound", 'i': "idle",
			'r': "refused"}[n[len(n)-1]]
	}
	return l
}

// OnePage is the result of a list with one resource.
const OnePage = `{"resources":[{"uri":"a:1","name":"1"}]}`

// ReadLine is a read of a URI, listed with a MIME type, that yields contents.
func ReadLine(uri, listed, contents string) rt.Line {
	l := Asked(recording.StepRead, "resources/read", `{"uri":"`+uri+`"}`, `{"contents":[`+contents+`]}`,
		"uri", uri)
	if listed != "" {
		l.Tags[recording.TagType] = listed
	}
	return l
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
	return rt.Line{Step: step, Method: "resources/read", Params: params, Result: result, Error: err,
		Tags: Pairs(tags...)}
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
	l.Tags = l.Tags.With(Pairs(more...))
	return l
}

// Sent is a notification of a subscription; an empty id leaves it out.
func Sent(method, id, params string) string {
	if id != "" {
		if params != "" {
			params += ","
		}
		params += `"_meta":{"io.modelcontextprotocol/subscriptionId":` + id + `}`
	}
	return `{"jsonrpc":"2.0","method":"` + method + `","params":{` + params + `}}`
}

// Script counts frames, so that listen requests can name the one of their
// acknowledgment.
type Script struct {
	Lines  []rt.Line
	frames int
}

// Add adds a line and counts its frames.
func (s *Script) Add(l rt.Line) *Script {
	s.Lines = append(s.Lines, l)
	s.frames += len(l.Incoming) + len(l.More)
	if l.Method != "" || l.Step != "" {
		s.frames++
	}
	if l.Reply != "" || l.Result != "" || l.Error != "" {
		s.frames++
	}
	return s
}

// Listen is a request for a filter that is acknowledged with another one.
func (s *Script) Listen(id, name, asked, granted string, tags ...string) *Script {
	return s.Acked(id, name, asked, Sent(verdict.Acked, id, `"notifications":`+granted), tags...)
}

// Acked is a listen request followed by a message that passes for its
// acknowledgment.
func (s *Script) Acked(id, name, asked, ack string, tags ...string) *Script {
	l := rt.Line{Step: recording.StepListen, Method: "subscriptions/listen", ID: id,
		Params: `{"notifications":` + asked + `}`, Outcome: recording.Sent,
		Incoming: []string{ack}, Tags: Pairs("name", name, "who", "watcher", "uri", "a:1", "other", "b:2",
			"ack", strconv.Itoa(s.frames+2))}
	return s.Add(And(l, tags...))
}

// Hears adds messages that come after a mark.
func (s *Script) Hears(mark recording.MarkName, messages ...string) *Script {
	return s.Add(rt.Line{Mark: mark, Incoming: messages})
}

// URIFilter asks for updates of one resource.
const URIFilter = `{"resourceSubscriptions":["a:1"]}`
