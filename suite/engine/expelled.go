package engine

import (
	"net/http"
	"slices"

	"github.com/mcpcheck/mcpcheck/suite/engine/pool"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/wire"
)

// expelled reports whether a red verdict rests on HTTP 404 where there are sessions: a target may end one at any time and answers
// so from then on (2025-11-25 basic/transports#session-management), and one that keeps no more than some at a time does when
// others begin.
func (r *Run) expelled(j *Judgement) bool {
	return j.Outcome.Red() && j.Combination.Transport == requirement.HTTP && !j.Combination.Revision.Modern() && slices.ContainsFunc(j.Frames, func(n int) bool {
		f, ok := r.transcript.Frame(n)
		return ok && f.Dir == wire.In && f.HTTP != nil && f.HTTP.Status == http.StatusNotFound
	})
}

// fewAtATime prepares stages for repetitions in which no more than two sessions of an endpoint stand, whatever the revision: one beside
// which no other can stand was found out before.
func (r *Run) fewAtATime() func(e *endpoint, st *pool.Pool) *pool.Pool {
	const few = 2
	limits := map[*endpoint]*pool.Limit{}
	return func(e *endpoint, st *pool.Pool) *pool.Pool {
		if limits[e] == nil {
			limits[e] = pool.Connections(few)
		}
		stage := r.newStage(e, limits[e], st.Facts)
		stage.Instances = few
		return stage
	}
}
