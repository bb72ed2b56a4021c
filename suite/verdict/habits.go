package verdict

import (
	"net/http"
	"slices"

	"github.com/mcpcheck/mcpcheck/suite/judge"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/tidwall/gjson"
)

// habit is what a target does with all of its answers of a kind. It breaks each requirement on
// such answers, and is one shared cause of these verdicts.
type habit struct {
	cause, hint string
	shows       func(*recording.Exchange) bool
	// due says that it breaks only what is about requests that have to be refused.
	due bool
}

var habits = []habit{{
	cause: "an HTTP error without a JSON-RPC response",
	hint: "answer a request that fails by a JSON-RPC error of type application/json, whatever the HTTP " +
		"status: " +
		"an error page, or JSON of another form, tells MCP clients nothing",
	shows: pageFor,
	due:   true,
}, {
	cause: "an error object inside result",
	hint: `send the error object in place of result, as {"jsonrpc", "id", "error"}: ` +
		"for clients a request whose response has a result has succeeded",
	shows: errorInResult,
}}

// habitual says what to change about the habit that the first finding rests on, if there is one. If all rest
// on it, it is the cause.
func (v *Verdict) habitual(r *Result, decisive []*Finding) {
	h := v.habit(decisive[:1])
	if h == nil {
		return
	}
	r.Hint, r.Actual = h.hint, h.cause+": "+r.Actual
	if v.habit(decisive) == h {
		r.Cause, r.SharedCause = CauseCode(h.cause), true
	}
}

// habit is the one that all of some findings rest on; nil if there is none.
func (v *Verdict) habit(decisive []*Finding) *habit {
	for i := range habits {
		h := &habits[i]
		shown := map[int]bool{} // the frames of the requests
		v.eachInput(func(x *recording.Exchange) { shown[x.Request] = shown[x.Request] || h.shows(x) })
		if !slices.ContainsFunc(decisive, func(f *Finding) bool {
			return h.due && !f.refusalDue ||
				!slices.ContainsFunc(f.frames, func(n int) bool { return shown[n] })
		}) {
			return h
		}
	}
	return nil
}

// eachInput visits the exchanges of the recordings that the check judges or names.
func (v *Verdict) eachInput(visit func(*recording.Exchange)) {
	for _, name := range v.check.Inputs() {
		if r := v.recs[name]; r != nil {
			for _, x := range r.Exchanges {
				visit(x)
			}
		}
	}
}

// pageFor reports whether a request was answered by an HTTP error without a response, of a status that is
// not about the session,
// the credentials or the address.
func pageFor(x *recording.Exchange) bool {
	about := []int{http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound,
		http.StatusMethodNotAllowed}
	return Request(x) && x.Outcome == recording.HTTPOnly && x.Status >= http.StatusBadRequest &&
		!slices.Contains(about, x.Status)
}

// errorInResult reports whether the result of a request holds an error of JSON-RPC and nothing that any
// method yields.
func errorInResult(x *recording.Exchange) bool {
	failure := x.Value("error")
	return x.Succeeded() && failure.Get("code").Type == gjson.Number &&
		judge.IsString(failure.Get("message")) &&
		!slices.ContainsFunc(judge.Names(x.Result()),
			func(name string) bool {
				return !slices.Contains([]string{"error", "_meta", "resultType"},
					name)
			})
}
