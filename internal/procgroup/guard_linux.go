package procgroup

import (
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"
)

// A guard ends what we have started if we cannot (SIGKILL, no memory, a fatal error). It is our
// program once more, in another session, at the end of a pipe that we alone hold open. What it
// ends bears a mark: a limit of real-time processor time that no process ever reaches. Descendants
// inherit it whatever becomes of their parents, sessions, environments and files, unless they change
// that limit themselves.
const (
	rlimitRTTime = 15      // RLIMIT_RTTIME of getrlimit(2)
	leastMark    = 1 << 62 // in microseconds
	guardWord    = "end-what-is-left"
	guardTime    = 10 * time.Second
)

var (
	guard  atomic.Int64 // its process id; 0 if there is none
	holder *exec.Cmd    // holds the pipe open
	own    syscall.Rlimit
	mark   uint64 // 0 before [Adopt], and in a guard
	shown  []byte // how the mark stands in /proc/PID/limits
)

// limit sets the limit of this process.
func limit(cur uint64) error {
	return syscall.Setrlimit(rlimitRTTime, &syscall.Rlimit{Cur: cur, Max: own.Max})
}

// begin chooses the mark. Where the system refuses it, there is none to tell our children by. In a
// guard it has the mark from the limit, ends what bears it once its input has ended, and does not return.
func begin() {
	_ = syscall.Getrlimit(rlimitRTTime, &own) // else the mark is refused
	if len(os.Args) == 2 && os.Args[1] == guardWord {
		signal.Ignore()
		_, _ = io.Copy(io.Discard, os.Stdin) // an error is the end of it, too
		if own.Cur>>62 == leastMark>>62 {    // one of ours has started it
			guard.Store(int64(os.Getpid()))
			shown = fmt.Appendf(nil, " %d ", own.Cur)
			EndStrays(guardTime)
		}
		os.Exit(0)
	}
	// #nosec G404 -- it tells our processes from others, and keeps nobody out
	mark = leastMark + rand.Uint64N(leastMark)
	// Without a child, as nearly always, all that come to us are ours, even one that has changed its limit.
	const look = syscall.WEXITED | syscall.WNOHANG | syscall.WNOWAIT
	_, _, none := syscall.Syscall6(syscall.SYS_WAITID, 0 /* P_ALL */, 0, 0, look, 0, 0)
	if shown = fmt.Appendf(nil, " %d ", mark); limit(mark) != nil || none == syscall.ECHILD {
		shown = []byte("Limit") // stands in all of them
	}
	_ = limit(own.Cur) // it is so, or was: whoever has started us may have a guard, too
}

// marked starts a process that bears the mark, if the system allows it; and before the first one the
// guard, which holds none of our files and bears our name. Without /proc there is no guard.
func marked(start func() error) error {
	if mark == 0 {
		return start()
	}
	_ = limit(mark)
	defer limit(own.Cur) //nolint:errcheck // it was allowed before
	if guard.Load() == 0 {
		holder = &exec.Cmd{
			Path: "/proc/self/exe", Args: []string{os.Args[0], guardWord}, Env: []string{}, Dir: "/",
			SysProcAttr: &syscall.SysProcAttr{Setsid: true},
		}
		if _, err := holder.StdinPipe(); err == nil && holder.Start() == nil {
			guard.Store(int64(holder.Process.Pid))
		}
	}
	return start()
}
