package write

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpcheck/mcpcheck/internal/group"
	"github.com/mcpcheck/mcpcheck/reports"
)

func why(x *reports.Result) string { return x.Reason }

// tallied is a reason with the results that it concerns.
type tallied struct {
	Code, Text string
	IDs        []string
	Results    []*reports.Result
	// First is shown and repeated: one with frames, if any has some, in the combination in which most are,
	// the newest of several.
	First *reports.Result
	// Command repeats all that is in the combination of the first result. Remark says so if that is not all.
	Command, Remark string
}

// tally groups some results by code and text, in order of the code and then of the
// first appearance.
func tally(results []*reports.Result, text func(*reports.Result) string) []*tallied {
	var list []*tallied
	for _, same := range group.By(results, func(x *reports.Result) [2]string {
		return [2]string{x.ReasonCode, text(x)}
	}) {
		t := &tallied{Code: same[0].ReasonCode, Text: text(same[0]), Results: same}
		in := map[reports.Combination]int{}
		for _, x := range same {
			t.IDs = append(t.IDs, x.ID)
			in[x.Combination()]++
		}
		t.First = slices.MinFunc(same, func(a, b *reports.Result) int {
			return cmp.Or(cmp.Compare(min(len(b.Evidence), 1), min(len(a.Evidence), 1)),
				cmp.Compare(in[b.Combination()], in[a.Combination()]),
				cmp.Compare(b.Revision, a.Revision))
		})
		slices.SortFunc(t.IDs, reports.CompareIDs)
		t.IDs = slices.Compact(t.IDs)
		t.Command, t.Remark = t.repeated()
		list = append(list, t)
	}
	slices.SortStableFunc(list, func(a, b *tallied) int { return cmp.Compare(a.Code, b.Code) })
	return list
}

// repeated is the command that repeats all that is in the combination of the first result, and a remark if
// that is not all. Those whose commands differ by more than the id are left to their own commands.
func (t *tallied) repeated() (command, remark string) {
	var ids []string
	without := func(x *reports.Result) string {
		return strings.Replace(x.Rerun, "--only "+x.ID+" ", "--only ", 1)
	}
	for _, x := range t.Results {
		if x == t.First || x.Combination() == t.First.Combination() && x.Rerun != without(x) &&
			without(x) == without(t.First) {
			ids = append(ids, x.ID)
		}
	}
	all := *t.First
	all.Rerun = strings.Replace(all.Rerun, "--only "+all.ID+" ", "--only "+strings.Join(ids, ",")+" ", 1)
	command = repeated(&all)
	if command == elsewhere {
		ids, command = ids[:1], repeated(t.First)
	}
	if command == "" || command == elsewhere || len(ids) == len(t.Results) {
		return command, ""
	}
	return command, fmt.Sprintf("repeats %d of the %d verdicts, in %s on %s", len(ids), len(t.Results),
		t.First.Revision, t.First.Transport)
}

// BlockedBy lists why verdicts are blocked.
func (v view) BlockedBy() []*tallied {
	return tally(v.Only(blocked), why)
}

// IdleFor lists why requirements were not exercised, or what to do about it.
func (v view) IdleFor() []*tallied {
	return tally(v.Only((*reports.Result).Idle), func(x *reports.Result) string {
		return cmp.Or(x.Hint, x.Reason)
	})
}
