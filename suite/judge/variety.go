package judge

import (
	"math"
	"strings"
)

// Variety is by how many characters texts differ, and at most how many bits of chance these stand for, by
// what they are: digits, hexadecimal digits, or others. Where the texts are not equally long, all but what
// they begin and end with counts.
func Variety(texts []string) (differing int, bits float64) {
	var varied strings.Builder
	if len(texts) == 0 {
		return 0, 0
	}
	first, begin, end, longest, same := texts[0], len(texts[0]), len(texts[0]), 0, true
	for _, t := range texts {
		n := 0
		for n < min(begin, len(t)) && t[n] == first[n] {
			n++
		}
		begin = n
		for n = 0; n < min(end, len(t)) && t[len(t)-1-n] == first[len(first)-1-n]; {
			n++
		}
		end, longest, same = n, max(longest, len(t)), same && len(t) == len(first)
	}
	for i := range longest {
		differs := !same && i >= begin && i < longest-end
		for _, t := range texts {
			differs = differs || same && t[i] != first[i]
		}
		if !differs {
			continue
		}
		differing++
		for _, t := range texts {
			if i < len(t) {
				varied.WriteByte(t[i])
			}
		}
	}
	return differing, float64(differing) * math.Log2(alphabet(varied.String()))
}

// alphabet is how many characters there are of the kind that a text consists of.
func alphabet(text string) float64 {
	switch only := func(set string) bool { return strings.Trim(text, set) == "" }; {
	case only("0123456789"):
		return 10
	case only("0123456789abcdef-"), only("0123456789ABCDEF-"):
		return 16
	case only("0123456789abcdefghijklmnopqrstuvwxyz-_"), only("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ-_"):
		return 36
	}
	return 64
}
