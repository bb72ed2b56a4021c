package engine

import (
	"context"
	"slices"
	"sync"

	"github.com/mcpcheck/mcpcheck/suite/requirement"
)

// key tells rows apart.
type key struct {
	id string
	c  requirement.Combination
}

func keyOf(row Row) key { return key{row.Requirement.ID, row.Combination} }

// results are the verdicts of a run, each of which can be waited for.
type results struct {
	started chan struct{} // closed when it is known for which rows there will be one

	mu sync.Mutex
	of map[key]*awaited
}

// awaited is a verdict that is final once given is closed.
type awaited struct {
	given chan struct{}
	j     *Judgement
}

// expect says for which rows there will be a verdict. It is called once.
func (v *results) expect(rows []Row) {
	v.of = make(map[key]*awaited, len(rows))
	for _, row := range rows {
		v.of[keyOf(row)] = &awaited{given: make(chan struct{})}
	}
	close(v.started)
}

// give makes a verdict final; the first one on a row counts.
func (v *results) give(j *Judgement) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if a := v.of[keyOf(j.Row)]; a.j == nil {
		a.j = j
		close(a.given)
	}
}

// given is the verdict on a row if it is final, else nil.
func (v *results) given(row Row) *Judgement {
	v.mu.Lock()
	defer v.mu.Unlock()
	if a := v.of[keyOf(row)]; a != nil {
		return a.j
	}
	return nil
}

// Await waits for the verdict on a row, which is final then. ok is false if the context
// ends first, and if the row is none of those that the run was started for.
func (r *Run) Await(ctx context.Context, row Row) (j *Judgement, ok bool) {
	select {
	case <-r.results.started:
	case <-ctx.Done():
		return nil, false
	}
	a := r.results.of[keyOf(row)]
	if a == nil {
		return nil, false
	}
	select {
	case <-a.given: // rather than that the context has ended, too
		return a.j, true
	default:
	}
	select {
	case <-a.given:
		return a.j, true
	case <-ctx.Done():
		return nil, false
	}
}

// Done is closed when the run is over: every verdict is final, and no process and no
// connection is left.
func (r *Run) Done() <-chan struct{} { return r.done }

// choose narrows the run down to some of its rows.
func (r *Run) choose(rows []Row) {
	wanted := map[key]bool{}
	for _, row := range rows {
		wanted[keyOf(row)] = true
	}
	r.rows = slices.DeleteFunc(slices.Clone(r.rows), func(row Row) bool { return !wanted[keyOf(row)] })
}
