package verdict

import (
	"slices"

	"github.com/mcpcheck/mcpcheck/suite/recording"
)

// withoutCut takes out what was found in the answers to requests that we cut off ourselves,
// for want of time, or because more came than is read, and to those that the target asks to send
// later, or that a gateway could not pass on: nothing follows from what is missing.
func (v *Verdict) withoutCut() {
	if len(v.findings) == 0 {
		return
	}
	named := map[int]bool{}
	for _, f := range v.findings {
		for _, n := range f.frames {
			named[n] = true
		}
	}
	var cut []*recording.Exchange
	v.eachInput(func(x *recording.Exchange) {
		if x.CutOff() || named[x.Request] && orphaned(x) {
			cut = append(cut, x)
		}
	})
	v.findings = slices.DeleteFunc(v.findings, func(f *Finding) bool {
		if f.aboutRefusal {
			return false
		}
		i := slices.IndexFunc(cut, func(x *recording.Exchange) bool {
			// it was not even sent
			return slices.Contains(f.frames, x.Request) || x.Request == 0 && len(f.frames) == 0
		})
		if i >= 0 {
			v.judged--
			v.cutOff(cut[i])
		}
		return i >= 0
	})
}
