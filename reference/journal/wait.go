package journal

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// wait is somebody who waits for entries. What it has found belongs to the journal.
type wait struct {
	query Query
	n     int           // how many entries are wanted
	found []uint64      // the numbers of those that are selected, oldest first
	met   chan struct{} // closed when there are enough
}

// aim is the method, session and URI that an entry must have for a wait to look at it. Empty ones stand for
// any.
type aim [3]string

// aim finds the wait among many.
func (q *Query) aim() aim {
	if strings.HasSuffix(q.Method, "*") {
		return aim{"", q.Session, q.URI}
	}
	return aim{q.Method, q.Session, q.URI}
}

// WaitFor waits until at least n entries are selected. When the context ends
// before, the error says how many there were.
func (j *Journal) WaitFor(ctx context.Context, q Query, n int) error {
	if j == nil {
		return fmt.Errorf("there is no journal: %s is not noted", q)
	}
	w := &wait{query: q, n: n, met: make(chan struct{})}
	j.locked(func() { j.join(w) })
	select {
	case <-w.met:
		return nil
	case <-ctx.Done():
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if !j.leave(q.aim(), func(other *wait) bool { return other == w }) {
		return nil // it was met meanwhile
	}
	return fmt.Errorf("%s: %d of %d: %w", q, j.still(w), n, context.Cause(ctx))
}

// join counts once what is there. If it is not enough, w is shown what comes from now on. The caller holds
// mu.
func (j *Journal) join(w *wait) {
	j.each(w.query.Since, func(e *Entry) bool {
		if w.query.selects(e) {
			w.found = append(w.found, e.Seq)
		}
		return true
	})
	if j.still(w) >= w.n {
		close(w.met)
		return
	}
	at := w.query.aim()
	j.waits[at] = append(j.waits[at], w)
}

// leave takes waits away and reports whether there were any. The caller holds mu.
func (j *Journal) leave(at aim, which func(w *wait) bool) bool {
	all := j.waits[at]
	rest := slices.DeleteFunc(all, which)
	if len(rest) == len(all) {
		return false
	}
	if j.waits[at] = rest; len(rest) == 0 {
		delete(j.waits, at)
	}
	return true
}

// show shows the newest entry to those who wait for its like, and lets those go on who have enough.
// The caller holds mu.
func (j *Journal) show() {
	if len(j.waits) == 0 {
		return
	}
	j.each(j.last-1, func(e *Entry) bool {
		meets := func(w *wait) bool { return j.meets(w, e) }
		for _, method := range slices.Compact([]string{"", e.Method}) {
			for _, session := range slices.Compact([]string{"", e.Session}) {
				for _, uri := range slices.Compact([]string{"", e.URI}) {
					j.leave(aim{method, session, uri}, meets)
				}
			}
		}
		return true
	})
}

// meets adds an entry to what w has found, if it is selected, and reports whether that is enough.
// The caller holds mu.
func (j *Journal) meets(w *wait, e *Entry) bool {
	if !w.query.selects(e) {
		return false
	}
	w.found = append(w.found, e.Seq)
	if j.still(w) < w.n {
		return false
	}
	close(w.met)
	return true
}

// still is how many of the entries that w has found are kept, and at most as many as its query wants.
// It forgets the others. The caller holds mu.
func (j *Journal) still(w *wait) int {
	oldest := j.last + 1 - uint64(len(j.ring)-j.gone) // #nosec G115 -- there are no more places than numbers
	lost, _ := slices.BinarySearch(w.found, oldest)
	if w.found = w.found[lost:]; w.query.Limit > 0 {
		return min(len(w.found), w.query.Limit)
	}
	return len(w.found)
}
