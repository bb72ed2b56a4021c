// Package leaktest sees that the tests of a package leave no goroutine behind.
package leaktest

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"runtime"
	"time"
)

// patience is how long goroutines have to end after the tests.
const patience = 5 * time.Second

// Runner is a *testing.M; it is an interface so that this package does not import testing.
type Runner interface{ Run() int }

// Main runs the tests of a package and exits: with 1 if goroutines are left that were not there
// before. It is to be all that a TestMain does.
func Main(m Runner) { os.Exit(run(m, patience, os.Stderr)) }

func run(m Runner, patience time.Duration, stderr io.Writer) int {
	before := runtime.NumGoroutine()
	code := m.Run()
	http.DefaultClient.CloseIdleConnections()
	for deadline := time.Now().Add(patience); code == 0 && runtime.NumGoroutine() > before; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			stacks := make([]byte, 1<<20)
			_, _ = fmt.Fprintf(stderr, "goroutines are left:\n%s\n", stacks[:runtime.Stack(stacks, true)]) // there is nobody else to tell
			code = 1
		}
	}
	return code
}
