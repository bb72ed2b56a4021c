// Package sample says how much of the proof a test run judges. By default that is a
// sample, chosen by names and therefore the same every time; the environment variable
// [env] asks for more.
package sample

import (
	"flag"
	"fmt"
	"hash/fnv"
	"os"
	"sync"
	"testing"
)

// env is the environment variable that says how much is judged: [some], [all] or
// [everywhere].
const env = "PROOF_FAULTS"

// What [env] can be.
const (
	// some is one fault of each requirement and a share of what else takes long. It is the
	// default of runs of whole packages.
	some = "some"
	// all is every fault and every quirk, in one combination or two. It is the default where
	// -run names the tests: whoever asks for one gets it.
	all = "all"
	// everywhere is every fault and every quirk in all combinations.
	everywhere = "everywhere"
)

// asked is what is judged in this run.
var asked = sync.OnceValue(func() string {
	switch value := os.Getenv(env); value {
	case some, all, everywhere:
		return value
	case "":
	default:
		panic(fmt.Sprintf("the environment variable %s is %q: it can be %s, %s or %s", env, value, some, all,
			everywhere))
	}
	if named() {
		return all
	}
	return some
})

// named reports whether -run names tests.
func named() bool {
	run := flag.Lookup("test.run")
	return run != nil && run.Value.String() != "" && !testing.Short()
}

// Whole reports whether every fault and every quirk is judged.
func Whole() bool { return asked() != some }

// InAll reports whether that happens in all combinations.
func InAll() bool { return asked() == everywhere }

// Share reports whether something is judged of which a sample has one of n, by its name.
func Share(name string, n int) bool { return Whole() || Hash(name)%n == 0 }

// Slow is [Share] for what takes long and proves no check: also with [all] there is a sample of it.
func Slow(name string, n int) bool { return InAll() || named() || Hash(name)%n == 0 }

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
