package rpc

import (
	"maps"
	"slices"
	"strings"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
)

// swap is a read that yielded, together with others, what the read of another resource yields alone.
type swap struct {
	read       *recording.Exchange
	own, other *recording.Exchange // the reads alone of the resource and of the other one
	again      []*recording.Exchange
}

func (s *swap) frames() []int {
	frames := slices.Concat(s.own.Evidence(), s.other.Evidence(), s.read.Evidence())
	for _, x := range s.again {
		frames = append(frames, x.Evidence()...)
	}
	return frames
}

// swaps are the reads of a burst that yielded the texts of another resource, as those read alone
// before it tell, and not their own.
func swaps(alone, burst []*recording.Exchange) []*swap {
	var all []*swap
	for _, x := range burst {
		own := readOf(alone, x.URI())
		if own == nil || !telling(x) || sameBodies(x, own) {
			continue
		}
		if i := slices.IndexFunc(alone, func(other *recording.Exchange) bool {
			return sameBodies(x, other)
		}); i >= 0 {
			all = append(all, &swap{read: x, own: own, other: alone[i]})
		}
	}
	return all
}

// proven are the swaps of which both resources yielded the same alone before and after. What changes by
// itself may come to be like another one.
func proven(alone, burst, again []*recording.Exchange) map[*recording.Exchange]*swap {
	all := map[*recording.Exchange]*swap{}
	for _, s := range swaps(alone, burst) {
		own, other := readOf(again, s.own.Tags[recording.TagURI]),
			readOf(again, s.other.URI())
		if own != nil && other != nil && sameBodies(own, s.own) && sameBodies(other, s.other) {
			s.again = []*recording.Exchange{own, other}
			all[s.read] = s
		}
	}
	return all
}

// provenIn are those of all rounds of a recording.
func provenIn(v *verdict.Verdict) map[*recording.Exchange]*swap {
	all, done := map[*recording.Exchange]*swap{}, map[string]bool{}
	for _, x := range v.Steps(stepTogether) {
		round := x.Tags[tagRound]
		if done[round] {
			continue
		}
		done[round] = true
		of := func(step recording.Step) []*recording.Exchange {
			return recording.Keep(v.Steps(step), func(x *recording.Exchange) bool {
				return x.Tags[tagRound] == round
			})
		}
		maps.Copy(all, proven(of(stepAlone), of(stepTogether), of(stepAloneAgain)))
	}
	return all
}

// readOf is the read of a resource that succeeded; nil if there is none.
func readOf(reads []*recording.Exchange, uri string) *recording.Exchange {
	for _, x := range reads {
		if uri != "" && x.Tags[recording.TagURI] == uri && x.Succeeded() {
			return x
		}
	}
	return nil
}

func sameBodies(a, b *recording.Exchange) bool {
	return a.Succeeded() && b.Succeeded() && slices.Equal(verdict.Bodies(a), verdict.Bodies(b))
}

// telling reports whether a read yielded enough to tell whose it is: a few letters, as those of a state, can
// be what several resources say for a moment.
func telling(x *recording.Exchange) bool {
	const least = 8 // without quotes
	return x.Succeeded() && len(strings.Trim(strings.Join(verdict.Bodies(x), ""), `" `)) >= least
}
