package verify

import (
	"cmp"
	"slices"

	"github.com/mcpcheck/mcpcheck/reference/journal"
)

// Merge joins the journals of several servers that a client used, by time, under new
// numbers. What one of them has lost is lost in the result.
func Merge(journals ...[]journal.Entry) []journal.Entry {
	type place struct {
		journal int
		seq     uint64
	}
	type sourced struct {
		journal.Entry
		from int
	}
	var all []sourced
	lost := uint64(0)
	for n, entries := range journals {
		for i := range entries {
			if i == 0 && entries[i].Seq > 1 || i > 0 && entries[i].Seq != entries[i-1].Seq+1 {
				lost = 1
			}
			all = append(all, sourced{entries[i], n})
		}
	}
	slices.SortStableFunc(all, func(a, b sourced) int {
		if a.from == b.from {
			return cmp.Compare(a.Seq, b.Seq)
		}
		return a.Time.Compare(b.Time)
	})
	numbers := map[place]uint64{}
	merged := make([]journal.Entry, len(all))
	for i, e := range all {
		numbers[place{e.from, e.Seq}] = uint64(i) + 1 + lost
		merged[i] = e.Entry
		merged[i].Seq = uint64(i) + 1 + lost
	}
	for i, e := range all {
		merged[i].RequestSeq = numbers[place{e.from, e.RequestSeq}]
	}
	return merged
}
