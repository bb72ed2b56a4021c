package sample

import (
	"slices"
	"strings"
	"testing"
)

// TestOne: each group has one that is chosen, whatever the order.
func TestOne(t *testing.T) {
	all := strings.Fields("a/1 a/2 a/3 b/1 c/1 c/2")
	group := func(s string) string { return s[:1] }
	name := func(s string) string { return s }
	chosen := map[string][]string{}
	for range 2 {
		is := One(all, group, name)
		for _, s := range all {
			if is(s) {
				chosen[group(s)] = append(chosen[group(s)], s)
			}
		}
		slices.Reverse(all)
	}
	for _, g := range []string{"a", "b", "c"} {
		if len(chosen[g]) != 2 || chosen[g][0] != chosen[g][1] {
			t.Errorf("of %s %v are chosen, in two orders", g, chosen[g])
		}
	}
}
