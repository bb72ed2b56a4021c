package leaktest

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"
)

type tests func() int

func (f tests) Run() int { return f() }

func TestRun(t *testing.T) {
	const short = 50 * time.Millisecond
	var told strings.Builder
	if code := run(tests(func() int { return 0 }), short, &told); code != 0 || told.Len() > 0 {
		t.Errorf("code %d, %s", code, &told)
	}
	if code := run(tests(func() int { return 7 }), short, &told); code != 7 || told.Len() > 0 {
		t.Errorf("code %d, %s", code, &told)
	}
	var release func()
	code := run(tests(func() int {
		release = leak()
		return 0
	}), short, &told)
	if code != 1 || !strings.Contains(told.String(), "TestRun") {
		t.Errorf("code %d, %s", code, &told)
	}
	release()
}

// leak leaves more goroutines behind than can end meanwhile of the tests before, and returns
// what ends them.
func leak() (release func()) {
	hold := make(chan bool)
	var left sync.WaitGroup
	for range 20 {
		left.Go(func() { <-hold })
	}
	return func() {
		close(hold)
		left.Wait()
	}
}

// endedTest is a test that runs its clean-up when it is told to.
type endedTest struct {
	cleanup func()
	failed  string
}

func (e *endedTest) Cleanup(f func())                  { e.cleanup = f }
func (e *endedTest) Errorf(format string, args ...any) { e.failed = fmt.Sprintf(format, args...) }

func TestCheck(t *testing.T) {
	const short = 50 * time.Millisecond
	var clean, leaky endedTest
	check(&clean, short)
	if clean.cleanup(); clean.failed != "" {
		t.Error(clean.failed)
	}
	check(&leaky, short)
	defer leak()()
	if leaky.cleanup(); !strings.Contains(leaky.failed, "TestCheck") {
		t.Errorf("told: %q", leaky.failed)
	}
}

func TestMain(m *testing.M) { Main(m) }
