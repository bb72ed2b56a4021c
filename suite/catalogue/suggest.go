package catalogue

import (
	"cmp"
	"slices"
	"strings"

	"github.com/mcpcheck/mcpcheck/internal/nearest"
)

// The bounds of [Catalogue.Suggest]: how many ids it names, how many edits away they may
// be, and the longest input that can be a misspelt id.
const (
	maxSuggestions = 3
	maxEdits       = 2
	maxMisspelt    = 32
)

// Suggest names the ids closest to one that is not in the catalogue, best
// first, at most three; none if nothing is close. Case is ignored. Where only the
// way to write it is wrong, as in "page-2", there is no more than one.
func (c *Catalogue) Suggest(id string) []string {
	id = strings.ToUpper(strings.TrimSpace(id))
	if id == "" || len(id) > maxMisspelt {
		return nil
	}
	for i := range c.rows {
		if sameNumber(id, c.rows[i].ID) {
			return []string{c.rows[i].ID}
		}
	}
	type candidate struct {
		id    string
		edits int
	}
	var found []candidate
	for i := range c.rows {
		if n := nearest.Edits(id, c.rows[i].ID); n <= maxEdits {
			found = append(found, candidate{c.rows[i].ID, n})
		}
	}
	slices.SortStableFunc(found, func(a, b candidate) int { return cmp.Compare(a.edits, b.edits) })
	var ids []string
	for _, x := range found[:min(len(found), maxSuggestions)] {
		ids = append(ids, x.id)
	}
	return ids
}

// sameNumber reports whether two ids are of the same area and number, however the
// number is written.
func sameNumber(a, b string) bool {
	split := func(id string) (area, digits string) {
		digits = id[len(strings.TrimRight(id, "0123456789")):]
		return strings.TrimRight(strings.TrimSuffix(id, digits), "-_ "), strings.TrimLeft(digits, "0")
	}
	areaA, digitsA := split(a)
	areaB, digitsB := split(b)
	return areaA == areaB && digitsA == digitsB && digitsA != ""
}
