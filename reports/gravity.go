package reports

import (
	"cmp"
	"fmt"
	"slices"
)

// Gravity says what a finding means to the users of a target, whatever sentence of the
// specification it breaks.
type Gravity string

// The gravities, which are contract. Codes are findings about nothing more than the code
// of an error: they are true, and most servers have some.
const (
	GravitySecurity Gravity = "security"
	GravityFailure  Gravity = "failure"
	GravityWarning  Gravity = "warning"
	GravityCodes    Gravity = "codes"
)

// GravityOf is the gravity of a red verdict of which nothing more is known; empty for
// others.
func GravityOf(v Verdict) Gravity {
	switch v {
	case Fail:
		return GravityFailure
	case Warn:
		return GravityWarning
	}
	return ""
}

// weight is the gravity of a result, also where the report is of a version that had none.
func (x *Result) weight() Gravity {
	if !x.Verdict.Red() {
		return ""
	}
	return cmp.Or(x.Gravity, GravityOf(x.Verdict))
}

// harms reports whether a result is a finding about security.
func (x *Result) harms() bool { return x.weight() == GravitySecurity }

// byGravity puts what harms first, then the gravest verdicts, and of these last what is
// only about codes.
func byGravity(a, b *Result) int {
	order := Verdicts()
	return cmp.Or(last(!a.harms(), !b.harms()), cmp.Compare(slices.Index(order, a.Verdict), slices.Index(order, b.Verdict)),
		last(a.weight() == GravityCodes, b.weight() == GravityCodes))
}

// last orders what is so behind what is not.
func last(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

// SecurityCounts counts the red verdicts about security; they count among fail and warn too.
type SecurityCounts struct {
	Fail int `json:"fail"`
	Warn int `json:"warn"`
}

// add counts a result.
func (s *SecurityCounts) add(x *Result) {
	switch {
	case !x.harms():
	case x.Verdict == Fail:
		s.Fail++
	default:
		s.Warn++
	}
}

// among says how many of what was counted are about security; empty if none is.
func among(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" (%d security)", n)
}

// groups are the findings that nothing excuses, the gravest first, as lists under titles.
func (v view) groups() []findingGroup {
	parts := []findingGroup{{title: "Security"}, {title: "Failures"}, {title: "Warnings"}}
	for _, f := range findings(v.r, func(x *Result) bool { return x.Verdict.Red() && !x.Excused }) {
		i := 2
		switch x := f.results[0]; {
		case x.harms():
			i = 0
		case x.Verdict == Fail:
			i = 1
		}
		parts[i].list = append(parts[i].list, f)
	}
	return slices.DeleteFunc(parts, func(p findingGroup) bool { return len(p.list) == 0 })
}

// findingGroup is findings of about the same gravity.
type findingGroup struct {
	title string
	list  []*finding
}
