// Package nearest finds what somebody may have meant who misspelt a name.
package nearest

import (
	"cmp"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"
)

// The bounds of [Names]: how many names it gives, and the longest input that can
// be a misspelt name, in bytes.
const (
	most    = 3
	longest = 64
)

// Names gives the known names closest to a word, best first, at most three; none
// if nothing is close. Case and leading zeros of numbers are ignored. A name is close if a third
// of the word, or less, has to be changed; next come names that begin with the word, and those of
// which another word does. Without any, those are close of which the beginning is, or is that of the word.
func Names(word string, known []string) []string {
	word = plain(strings.TrimSpace(word))
	if word == "" || len(word) > longest {
		return nil
	}
	type candidate struct {
		name string
		rank int
	}
	var found, begun []candidate
	id := beginning(word, "-") // two parts, as ids of requirements have
	for _, name := range known {
		plain := plain(name)
		n, limit := Edits(word, plain), max(1, len(word)/3)
		begins := rank(plain, word)
		switch {
		case n <= limit:
			found = append(found, candidate{name, 2 * n})
		case len(word) > 3 && begins >= 0:
			found = append(found, candidate{name, begins})
		default:
			begin := beginning(plain, word)
			switch n := Edits(word, begin); {
			case begin != "" && len(word) > 2 && n <= max(1, len(word)/4):
				begun = append(begun, candidate{name, n})
			case len(id) > 2 && id == beginning(plain, "-"):
				begun = append(begun, candidate{name, longest})
			}
		}
	}
	if len(found) == 0 {
		found = begun
	}
	slices.SortStableFunc(found, func(a, b candidate) int { return cmp.Compare(a.rank, b.rank) })
	var names []string
	for _, c := range found {
		if len(names) < most && !slices.Contains(names, c.name) {
			names = append(names, c.name)
		}
	}
	return names
}

// zeros are those in front of a number.
var zeros = regexp.MustCompile(`\b0+([0-9])`)

// plain is a name as it is compared.
func plain(name string) string { return zeros.ReplaceAllString(strings.ToLower(name), "$1") }

// rank is the less the closer a name is that has a word: 3 if it begins with the word and a
// hyphen, which is closer than two edits, more if it begins with the word alone, and most if a
// part of it behind a separator does; else it is negative.
func rank(name, word string) int {
	switch {
	case strings.HasPrefix(name, word+"-"):
		return 3
	case strings.HasPrefix(name, word):
		return 2 * longest
	}
	for at := range name {
		if at > 0 && strings.HasPrefix(name[at:], word) && (!letter(name[at-1]) || !letter(word[0])) {
			return 3 * longest
		}
	}
	return -1
}

// beginning is so much of a name as has as many parts as a word, with hyphens between them; it is
// empty for a name that has no more.
func beginning(name, word string) string {
	parts, n := strings.Split(name, "-"), 1+strings.Count(word, "-")
	if len(parts) <= n {
		return ""
	}
	return strings.Join(parts[:n], "-")
}

func letter(c byte) bool { return 'a' <= c && c <= 'z' }

// Members are the names that the members of a type have in JSON; none if it is no struct.
func Members(t reflect.Type) []string {
	if t == nil || t.Kind() != reflect.Struct {
		return nil
	}
	var names []string
	for _, f := range reflect.VisibleFields(t) {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" && name != "-" {
			names = append(names, name)
		}
	}
	return names
}

// Question is "did you mean A or B?" for a misspelt word, with a colon and a space
// in front; empty if nothing is close.
func Question(word string, known []string) string {
	names := Names(word, known)
	if len(names) == 0 {
		return ""
	}
	return ": did you mean " + strings.Join(names, " or ") + "?"
}

// Duration is [time.ParseDuration] with an error in words, which asks for seconds where the unit
// is missing.
func Duration(text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	if err == nil {
		return d, nil
	}
	if _, err := time.ParseDuration(text + "s"); err == nil {
		return 0, fmt.Errorf("%q has no unit: did you mean %ss?", text, text)
	}
	return 0, fmt.Errorf("%q is no duration, such as 500ms, 10s or 1m30s", text)
}

// Edits is the number of single-byte insertions, deletions, substitutions and swaps of
// neighbours that lead from a to b.
func Edits(a, b string) int {
	rows := [3][]int{make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)}
	for j := range rows[1] {
		rows[1][j] = j
	}
	before, last, row := rows[0], rows[1], rows[2]
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
