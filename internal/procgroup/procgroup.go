// Package procgroup ends programs together with everything that they have started: a
// wrapper or a shell between us and the work must not leave the work behind. It also tells
// whether they are at work, where the system says so.
//
// Where a system has no process groups ([Supported] is false) only the program itself is
// ended, and only the hard way.
package procgroup

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"
)

// Work looks at what the group of a leader does. It may be used from several goroutines.
type Work struct {
	Leader int
	mu     sync.Mutex
	at     time.Time // of the last look; zero before the first
	used   int64     // processor time at the last look, in clock ticks
	// time in which a thread could run and did not, over all threads there were at the last look
	queued time.Duration
	waited time.Duration
}

// clockTick is the unit of processor time in proc_pid_stat(5), sysconf(_SC_CLK_TCK), which is
// the same on all of Linux's architectures that Go knows.
const clockTick = 10 * time.Millisecond

// Waited is how long the group has waited for a processor between the first look and the last: a
// thread could run, and others did. Where the kernel does not tell, it is what the group did not
// use of that time.
func (w *Work) Waited() time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.waited
}

// Unstarted says in one sentence why a command did not start, given the error of its start.
func Unstarted(cmd *exec.Cmd, err error) string {
	why := err.Error()
	switch info, missing := os.Stat(cmd.Dir); {
	case cmd.Dir != "" && (missing != nil || !info.IsDir()):
		why = fmt.Sprintf("the working directory %q does not exist, or is no directory", cmd.Dir)
	case errors.Is(err, exec.ErrNotFound):
		why = "executable file not found in PATH"
	case errors.Is(err, fs.ErrNotExist):
		why = "no such file, or its interpreter is missing"
	case errors.Is(err, fs.ErrPermission):
		why = "permission denied; is it executable?"
	}
	if len(cmd.Args) == 1 && strings.Contains(cmd.Args[0], " ") {
		why += "; the program and each of its arguments are words of their own, without quotes around all " +
			"of them"
	}
	return fmt.Sprintf("cannot start %q: %s", cmd.Args[0], why)
}
