// Package leaktest sees that tests leave no goroutine behind.
package leaktest

import (
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"runtime"
	"time"
)

// patience is how long goroutines have to end after the tests, on a machine that is busy.
const patience = 30 * time.Second

// Runner is a *testing.M; it is an interface so that this package does not import testing.
type Runner interface{ Run() int }

// TB is what [Check] needs of a *testing.T.
type TB interface {
	Cleanup(func())
	Errorf(format string, args ...any)
}

// Main runs the tests of a package and exits: with 1 if goroutines are left that were not there
// before. It is to be all that a TestMain does.
func Main(m Runner) { os.Exit(run(m, patience, os.Stderr)) }

// Check fails a test that leaves goroutines behind. It is to be called before anything that
// the test cleans up.
func Check(t TB) { check(t, patience) }

func run(m Runner, patience time.Duration, stderr io.Writer) int {
	before := runtime.NumGoroutine()
	code := m.Run()
	if fuzz := flag.Lookup("test.fuzz"); code != 0 || fuzz != nil && fuzz.Value.String() != "" {
		return code // a fuzzer listens for signals to the end
	}
	if stacks := left(before, patience); stacks != "" {
		_, _ = fmt.Fprintf(stderr, "goroutines are left:\n%s\n", stacks) // there is nobody else to tell
		return 1
	}
	return 0
}

func check(t TB, patience time.Duration) {
	before := runtime.NumGoroutine()
	t.Cleanup(func() {
		if stacks := left(before, patience); stacks != "" {
			t.Errorf("goroutines are left:\n%s", stacks)
		}
	})
}

// left waits until no more goroutines run than before; if they do not end, it returns the
// stacks of all.
func left(before int, patience time.Duration) string {
	http.DefaultClient.CloseIdleConnections()
	for deadline := time.Now().Add(patience); runtime.NumGoroutine() > before; time.Sleep(
		10 * time.Millisecond) {
		if time.Now().After(deadline) {
			stacks := make([]byte, 1<<20)
			return string(stacks[:runtime.Stack(stacks, true)])
		}
	}
	return ""
}
