package journal_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/mcpcheck/mcpcheck/reference/journal"
)

// TestWaitsLookAtNewEntriesAlone: an entry is looked at once by each who waits, whatever the journal holds.
func TestWaitsLookAtNewEntriesAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := journal.New(journal.Options{})
		for range 100 {
			note(j, journal.In, list)
		}
		looks := 0
		ctx, cancel := context.WithCancel(t.Context())
		for range 10 {
			go func() {
				look := func(*journal.Entry) bool { looks++; return false }
				_ = j.WaitFor(ctx, journal.Query{Method: "resources/list", Match: look}, 1)
			}()
		}
		synctest.Wait()
		for range 20 {
			note(j, journal.In, list)
			note(j, journal.In, readA)
			synctest.Wait()
		}
		cancel()
		synctest.Wait()
		if looks != 10*(100+20) {
			t.Errorf("entries were looked at %d times", looks)
		}
	})
}

// TestWaitsAreFullCounts: a wait ends with the entry that makes a full count come up to it, and says that
// count when it ends in vain, also where entries are forgotten.
func TestWaitsAreFullCounts(t *testing.T) {
	type waiting struct {
		query journal.Query
		n     int
		end   context.CancelFunc
		done  chan error
	}
	all := []string{
		initialize, list, readA, readB, `{"jsonrpc":"2.0","id":1,"result":{}}`, `no json`,
		`{"x":"` + strings.Repeat("x", 900) + `"}`,
	}
	long := func(e *journal.Entry) bool { return e.Truncated() }
	queries := []journal.Query{
		{}, {Method: "resources/read"}, {Method: "resources/*"}, {URI: "a:2"}, {Direction: journal.Out},
		{Session: "s2"}, {Session: "s1", URI: "a:1"}, {Limit: 2}, {Match: long},
		{Kinds: []journal.Kind{journal.Unreadable}}, {Method: "none"},
		{Transport: "stdio", Method: "initialize"},
	}
	run := func(t *testing.T, r *rand.Rand) {
		j := journal.New(journal.Options{Entries: 2 + r.IntN(8), Bytes: 1000 + r.IntN(4000), MaxRaw: 500})
		var open []waiting
		for range 60 {
			switch r.IntN(8) {
			case 0:
				j.Clear()
			case 1, 2:
				ctx, end := context.WithCancel(t.Context())
				w := waiting{queries[r.IntN(len(queries))], r.IntN(5), end, make(chan error, 1)}
				if r.IntN(3) == 0 {
					w.query.Since = j.Last()
				}
				go func() { w.done <- j.WaitFor(ctx, w.query, w.n) }()
				open = append(open, w)
			default:
				note(j, []journal.Direction{journal.In, journal.Out}[r.IntN(2)], all[r.IntN(len(all))])
			}
			synctest.Wait()
			open = slices.DeleteFunc(open, func(w waiting) bool {
				got, over := j.Count(w.query), r.IntN(10) == 0
				if met := len(w.done) > 0; met != (got >= w.n) {
					t.Errorf("%s: it is %v that it was met, and there are %d of %d", w.query, met, got, w.n)
				}
				if !over && got < w.n {
					return false
				}
				w.end()
				want := fmt.Sprintf("%s: %d of %d: ", w.query, got, w.n)
				if err := <-w.done; err != nil && !strings.Contains(err.Error(), want) {
					t.Errorf("%v, and there are %d", err, got)
				}
				return true
			})
		}
		for _, w := range open {
			w.end()
		}
	}
	for seed := range uint64(200) {
		synctest.Test(t, func(t *testing.T) { run(t, rand.New(rand.NewPCG(seed, 0))) })
	}
}
