package leaktest

import (
	"fmt"
	"strings"
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
	hold, ended := make(chan bool), make(chan bool)
	code := run(tests(func() int {
		go func() {
			<-hold
			close(ended)
		}()
		return 0
	}), short, &told)
	if code != 1 || !strings.Contains(told.String(), "TestRun") {
		t.Errorf("code %d, %s", code, &told)
	}
	close(hold)
	<-ended
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
	hold, ended := make(chan bool), make(chan bool)
	go func() {
		<-hold
		close(ended)
	}()
	if leaky.cleanup(); !strings.Contains(leaky.failed, "TestCheck") {
		t.Errorf("told: %q", leaky.failed)
	}
	close(hold)
	<-ended
}

func TestMain(m *testing.M) { Main(m) }
