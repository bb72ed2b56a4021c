package operation

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpcheck/mcpcheck/internal/nearest"
)

// Problem is something that is wrong with an operation, a rule, or a part of a world.
type Problem struct {
	// Member is that which is to blame, as in "when[0].at"; empty for the whole.
	Member string
	Text   string
}

// Error is the problem in one sentence.
func (p Problem) Error() string {
	if p.Member == "" {
		return p.Text
	}
	return p.Member + ": " + p.Text
}

// Problems are all that is wrong with something.
type Problems []Problem

// First is the first problem as an error; nil if there is none.
func (all Problems) First() error {
	if len(all) == 0 {
		return nil
	}
	return all[0]
}

// Say adds a problem of a member, which is empty for the whole.
func (all *Problems) Say(member, format string, args ...any) {
	*all = append(*all, Problem{member, fmt.Sprintf(format, args...)})
}

// Below adds the problems of a part from the point of view of what it is a part of. A member may begin with
// the bracket of an element.
func (all *Problems) Below(part string, problems Problems) {
	for _, p := range problems {
		member := strings.Replace(part+"."+p.Member, ".[", "[", 1)
		*all = append(*all, Problem{strings.Trim(member, "."), p.Text})
	}
}

// OneOf complains about a word that is not known.
func (all *Problems) OneOf(member, given string, known []string) {
	if given != "" && !slices.Contains(known, given) {
		all.Say(member, "is %q: known are %s%s", given, strings.Join(known, ", "),
			nearest.Question(given, known))
	}
}

// Between complains about a value that is out of bounds.
func Between[T cmp.Ordered](all *Problems, member string, value, least, most T) {
	if value >= least && value <= most {
		return
	}
	from := fmt.Sprint(least)
	if least == *new(T) {
		from = "0" // which needs no unit
	}
	all.Say(member, "must be between %s and %v", from, most)
}
