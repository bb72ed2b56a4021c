package requirement

import (
	"cmp"
	"slices"
	"strings"
)

// The bounds of [Suggest]: how many ids it names, how many edits away they may
// be, and the longest input that can be a misspelt id.
const (
	maxSuggestions = 3
	maxEdits       = 2
	maxMisspelt    = 32
)

// Suggest names the ids closest to one that is not in the catalogue, best
// first, at most three; none if nothing is close. Case is ignored.
func Suggest(id string) []string {
	id = strings.ToUpper(strings.TrimSpace(id))
	if id == "" || len(id) > maxMisspelt {
		return nil
	}
	type candidate struct {
		id    string
		edits int
	}
	var found []candidate
	for i := range catalogue {
		if n := edits(id, catalogue[i].ID); n <= maxEdits {
			found = append(found, candidate{catalogue[i].ID, n})
		}
	}
	slices.SortStableFunc(found, func(a, b candidate) int { return cmp.Compare(a.edits, b.edits) })
	var ids []string
	for _, c := range found[:min(len(found), maxSuggestions)] {
		ids = append(ids, c.id)
	}
	return ids
}

// edits is the Levenshtein distance of two strings, in bytes.
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			substituted := diagonal
			if a[i] != b[j] {
				substituted++
			}
			diagonal = row[j+1]
			row[j+1] = min(substituted, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}
