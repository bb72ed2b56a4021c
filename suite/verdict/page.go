package verdict

import (
	"net/http"
	"slices"

	"github.com/mcpcheck/mcpcheck/suite/recording"
)

// errorPage is the cause of what breaks each requirement that is about an error, where errors are no JSON-RPC.
const (
	errorPage     = "an HTTP error without a JSON-RPC response"
	errorPageHint = "answer a request that fails by a JSON-RPC error of type application/json, whatever the HTTP status: an error page, or JSON of another form, tells MCP clients nothing"
)

// errorPages reports whether all that decides is that errors are due, and HTTP errors came with a page, or another JSON, in their place.
func (v *Verdict) errorPages(decisive []Finding) bool {
	pages := map[int]bool{} // the frames of the requests
	for _, name := range v.check.Inputs() {
		if r := v.recs[name]; r != nil {
			for _, x := range r.Exchanges {
				if pageFor(x) {
					pages[x.Request] = true
				}
			}
		}
	}
	return len(pages) > 0 && !slices.ContainsFunc(decisive, func(f Finding) bool {
		return !f.RefusalDue || !slices.ContainsFunc(f.Frames, func(n int) bool { return pages[n] })
	})
}

// pageFor reports whether a request was answered by an HTTP error without a response, of a status that is not about the session,
// the credentials or the address.
func pageFor(x *recording.Exchange) bool {
	about := []int{http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusMethodNotAllowed}
	return Request(x) && x.Outcome == recording.HTTPOnly && x.Status >= http.StatusBadRequest && !slices.Contains(about, x.Status)
}
