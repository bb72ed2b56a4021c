// Package sample says how much of the proof a test run judges. By default that is a
// sample, chosen by names and therefore the same every time; the environment variable
// [Env] asks for more.
package sample

import (
	"flag"
	"fmt"
	"hash/fnv"
	"os"
	"sync"
	"testing"
)

// Env is the environment variable that says how much is judged: [Some], [All] or
// [Everywhere].
const Env = "PROOF_FAULTS"

// What [Env] can be.
const (
	// Some is one fault of each requirement and a share of what else takes long. It is the
	// default of runs of whole packages.
	Some = "some"
	// All is every fault and every quirk, in one combination or two. It is the default where
	// -run names the tests: whoever asks for one gets it.
	All = "all"
	// Everywhere is every fault and every quirk in all combinations.
	Everywhere = "everywhere"
)

// asked is what is judged in this run.
var asked = sync.OnceValue(func() string {
	switch value := os.Getenv(Env); value {
	case Some, All, Everywhere:
		return value
	case "":
	default:
		panic(fmt.Sprintf("the environment variable %s is %q: it can be %s, %s or %s", Env, value, Some, All, Everywhere))
	}
	if run := flag.Lookup("test.run"); run != nil && run.Value.String() != "" && !testing.Short() {
		return All
	}
	return Some
})

// Whole reports whether every fault and every quirk is judged.
func Whole() bool { return asked() != Some }

// InAll reports whether that happens in all combinations.
func InAll() bool { return asked() == Everywhere }

// Share reports whether something is judged of which a sample has one of n, by its name.
func Share(name string, n int) bool { return Whole() || Hash(name)%n == 0 }

// Hash makes a number of a name; it is not negative.
func Hash(name string) int {
	h := fnv.New32a()
	_, _ = h.Write([]byte(name)) // a hash never fails
	return int(h.Sum32() >> 1)
}

// One reports of each element whether it is the chosen one of its group: the one whose
// name has the smallest hash.
func One[T any](all []T, group, name func(T) string) func(T) bool {
	chosen := map[string]string{}
	for _, x := range all {
		at, ok := chosen[group(x)]
		if !ok || Hash(name(x)) < Hash(at) {
			chosen[group(x)] = name(x)
		}
	}
	return func(x T) bool { return chosen[group(x)] == name(x) }
}
