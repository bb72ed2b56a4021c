package verdict

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/wire"
)

// Place is where a violation stands: the messages that it rests on, and what in them it is about.
type Place struct {
	// Messages are what was asked and how it was answered, such as "ping error -32601": the
	// same in another scenario is the same place. What answers no request is named by its frame.
	Messages []string
	Member   string
}

// mostPlaces bounds the places of a verdict: a hostile list has millions.
const mostPlaces = 64

// places lists where the findings that decide stand, each once.
func (v *Verdict) places(decisive []*Finding) []Place {
	about := map[int]string{}
	for _, f := range decisive[:min(len(decisive), mostPlaces)] {
		for _, n := range f.frames {
			about[n] = "frame " + strconv.Itoa(n)
		}
	}
	for _, r := range v.recs {
		if r == nil {
			continue
		}
		for _, x := range r.Exchanges {
			for _, n := range append([]int{x.Request}, x.Replies...) {
				if about[n] != "" {
					about[n] = cmp.Or(x.Method, string(x.Step.Sent())) + " " + answer(x)
				}
			}
		}
	}
	var all []Place
	for _, f := range decisive[:min(len(decisive), mostPlaces)] {
		p := Place{Member: f.member}
		for _, n := range f.frames {
			if !slices.Contains(p.Messages, about[n]) {
				p.Messages = append(p.Messages, about[n])
			}
		}
		if !slices.ContainsFunc(all,
			func(q Place) bool { return q.Member == p.Member && slices.Equal(q.Messages, p.Messages) }) {
			all = append(all, p)
		}
	}
	return all
}

// answer says in a word or two how a request was answered.
func answer(x *recording.Exchange) string {
	switch code, ok := x.Code(); {
	case ok:
		return fmt.Sprintf("error %d", code)
	case x.Succeeded():
		return "result"
	}
	return fmt.Sprint(x.Outcome, " ", x.Status)
}

// Within reports whether a red result stands in no place but those of another one. Findings
// about different members of a message stand in different places.
func (r *Result) Within(other *Result) bool {
	return len(r.Places) > 0 && !slices.ContainsFunc(r.Places, func(p Place) bool {
		return !slices.ContainsFunc(other.Places, func(q Place) bool {
			return (p.Member == q.Member || p.Member == "" || q.Member == "") &&
				slices.ContainsFunc(p.Messages, func(m string) bool { return slices.Contains(q.Messages, m) })
		})
	})
}

// What names a request by its method, and any other message by what was sent.
func (v *Verdict) What(x *recording.Exchange) string {
	if x.Method != "" {
		return x.Method
	}
	for _, r := range v.recs {
		if r != nil && r.Frame(x.Request) != nil {
			return Sent(r, x)
		}
	}
	return "a message"
}

// Sent says what was sent: a method with its params, or the beginning of a message that has none, or is
// written in an unusual way.
func Sent(r *recording.Recording, x *recording.Exchange) string {
	f := r.Frame(x.Request)
	switch {
	case f != nil && len(f.Raw) == 0 && f.HTTP != nil:
		return "an HTTP " + f.HTTP.Method
	case f != nil && (x.Method == "" || !utf8.Valid(f.Raw) || f.Raw[0] != '{' || f.Raw[len(f.Raw)-1] != '}'):
		return "the message " + wire.Excerpt(f.Raw, 120)
	case len(x.Params) == 0 || x.Method == "":
		return cmp.Or(x.Method, "a message")
	}
	return x.Method + " with params " + ParamsOf(x)
}

// evidence collects that of the first findings that decide; a report is to be read, so it is
// not all of them. What belongs to one finding stands together, and that of the first one, of
// which the verdict speaks, comes first: between scenarios there is no order of time.
func evidence(decisive []*Finding, of func(*Finding) []int) []int {
	const findings = 3
	var frames []int
	for _, f := range decisive[:min(len(decisive), findings)] {
		for _, n := range slices.Sorted(slices.Values(of(f))) {
			if !slices.Contains(frames, n) {
				frames = append(frames, n)
			}
		}
	}
	return frames
}
