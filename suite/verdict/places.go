package verdict

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/mcpcheck/mcpcheck/suite/recording"
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
func (v *Verdict) places(decisive []Finding) []Place {
	about := map[int]string{}
	for _, f := range decisive[:min(len(decisive), mostPlaces)] {
		for _, n := range f.Frames {
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
		p := Place{Member: f.Member}
		for _, n := range f.Frames {
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
