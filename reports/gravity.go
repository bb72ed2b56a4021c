package reports

import (
	"cmp"
	"slices"
)

// Gravity says what a finding means to the users of a target, whatever sentence of the
// specification it breaks.
type Gravity string

// The gravities, which are contract. Codes are findings about nothing more than the code
// of an error: they are true, and most servers have some. Basic are failures of what clients get nothing
// without.
const (
	GravityBasic    Gravity = "basic"
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

// Weight is the gravity of a result, also where the report is of a version that had none.
func (x *Result) Weight() Gravity {
	if !x.Verdict.Red() {
		return ""
	}
	return cmp.Or(x.Gravity, GravityOf(x.Verdict))
}

// Harms reports whether a result is a finding about security.
func (x *Result) Harms() bool { return x.Weight() == GravitySecurity }

// ByGravity puts what is basic first and then what harms, then the gravest verdicts, and of these last what
// is only about codes.
func ByGravity(a, b *Result) int { return cmp.Compare(a.rank(), b.rank()) }

// rank is the lower the graver a result is.
func (x *Result) rank() int {
	rank := 2 * slices.Index(Verdicts(), x.Verdict)
	switch x.Weight() {
	case GravityBasic:
		rank -= 200
	case GravitySecurity:
		rank -= 100
	case GravityCodes:
		rank++
	}
	return rank
}

// Basic reports whether a result is a failure of what clients get nothing without.
func (x *Result) Basic() bool { return x.Weight() == GravityBasic }

// SecurityCounts counts the red verdicts about security; they count among fail and warn too.
type SecurityCounts struct {
	Fail int `json:"fail"`
	Warn int `json:"warn"`
}

// Total counts both.
func (s SecurityCounts) Total() int { return s.Fail + s.Warn }

// add counts a result.
func (s *SecurityCounts) add(x *Result) {
	switch {
	case !x.Harms():
	case x.Verdict == Fail:
		s.Fail++
	default:
		s.Warn++
	}
}
