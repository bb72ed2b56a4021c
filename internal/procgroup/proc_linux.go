package procgroup

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// prSetChildSubreaper is PR_SET_CHILD_SUBREAPER, of prctl(2).
const prSetChildSubreaper = 36

// Adopts says whether this system gives orphans to [Adopt].
const Adopts = true

// Adopt makes this process the parent of whatever its descendants leave behind, as init would
// be, and has [Start] see to it that this ends with us. It is for programs, not for libraries, and
// comes first in them: they are started a second time for that, and then Adopt does not return.
func Adopt() error {
	begin()
	if _, _, errno := syscall.RawSyscall(syscall.SYS_PRCTL, prSetChildSubreaper, 1, 0); errno != 0 {
		return fmt.Errorf("adopting orphans: %w", errno)
	}
	return nil
}

// tied has the kernel end a command when we die, however that comes.
func tied(a *syscall.SysProcAttr) { a.Pdeathsig = syscall.SIGKILL }

// EndStrays ends the processes that descendants of ours have left behind, in sessions and process
// groups of their own, and then our guard. It returns their command lines. It is called when no child
// of this process is left that is waited for elsewhere, and gives up after the time allowed: what
// starts itself anew all the time may be quicker.
func EndStrays(allowed time.Duration) []string {
	var ended []string
	none := 0 // looks in turn: one may miss a process whose parent ends meanwhile
	deadline := time.Now().Add(allowed)
	for ; guard.Load() > 0 && none < 3 && time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		left := strays()
		if none++; len(left) > 0 {
			none = 0
		}
		for _, p := range left {
			if p.command != "" {
				ended = append(ended, p.command)
			}
			// Its children come to us next. Neither call fails but for what is gone.
			_ = syscall.Kill(p.pid, syscall.SIGKILL)
			_, _ = syscall.Wait4(p.pid, nil, syscall.WNOHANG, nil)
		}
	}
	if none == 3 { // else the guard goes on
		if pid := int(guard.Swap(0)); pid > 0 {
			_ = syscall.Kill(pid, syscall.SIGKILL) // a guard itself ends here
			_, _ = syscall.Wait4(pid, nil, 0, nil)
		}
	}
	slices.Sort(ended)
	return slices.Compact(ended)
}

// process is a process that was left behind; its command line is empty if it has ended.
type process struct {
	pid     int
	command string
}

// strays lists those of our children that bear the mark; to a guard, all that bear it and live. Other
// children are not ours: who started them has become us by exec(2).
func strays() []process {
	var all []process
	for _, pid := range numbersIn("/proc") {
		dir := filepath.Join("/proc", strconv.Itoa(pid))
		fields := statFields(filepath.Join(dir, "stat"))
		if len(fields) <= statParent || pid == int(guard.Load()) ||
			fields[statParent] != strconv.Itoa(os.Getpid()) && (mark != 0 || fields[statState] == "Z") {
			continue
		}
		if limits, _ := os.ReadFile(filepath.Join(dir, "limits")); !bytes.Contains(limits, shown) {
			continue
		}
		line, _ := os.ReadFile(filepath.Join(dir, "cmdline"))
		all = append(all, process{pid, strings.TrimSpace(strings.ReplaceAll(string(line), "\x00", " "))})
	}
	return all
}

// numbersIn lists the entries of a directory of proc(5) that are numbers: processes, or threads of
// one. There are none if it has gone.
func numbersIn(dir string) []int {
	f, err := os.Open(dir)
	if err != nil {
		return nil
	}
	defer f.Close()
	names, _ := f.Readdirnames(-1) // what can be read; the process may end meanwhile
	var all []int
	for _, name := range names {
		if n, err := strconv.Atoi(name); err == nil {
			all = append(all, n)
		}
	}
	return all
}

// The places of what [statFields] returns that are looked at.
const (
	statState, statParent, statGroup = 0, 1, 2

	// the first of four: processor time of the process and of its children that have ended, in clock ticks
	statTimes = 11
)

// statFields lists what a file of proc_pid_stat(5) says behind the name of the program; nil if
// the process has gone.
func statFields(path string) []string {
	stat, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	// The name, in parentheses, may hold anything.
	return strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
}

// idleTicks is how much processor time, in clock ticks, a group may use between two looks and
// still count as idle: many programs look after something now and then.
const idleTicks = 1

// Working reports whether the group is at work: one of its threads runs, could run if there were a
// processor for it, or waits for a disk; or the group has used processor time since the last look.
func (w *Work) Working() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	var used int64
	var queued time.Duration
	ready, told := false, true
	for _, pid := range numbersIn("/proc") {
		process := filepath.Join("/proc", strconv.Itoa(pid))
		fields := statFields(filepath.Join(process, "stat"))
		if len(fields) <= statTimes+3 || fields[statGroup] != strconv.Itoa(w.Leader) {
			continue
		}
		for _, ticks := range fields[statTimes : statTimes+4] {
			n, _ := strconv.ParseInt(ticks, 10, 64) // the kernel writes digits
			used += n
		}
		for _, thread := range numbersIn(filepath.Join(process, "task")) {
			dir := filepath.Join(process, "task", strconv.Itoa(thread))
			ready = ready || threadReady(dir)
			wait, err := threadQueued(dir)
			queued += wait
			told = told && !errors.Is(err, errUntold)
		}
	}
	before, looked := w.used, !w.at.IsZero()
	if looked {
		since := time.Since(w.at)
		more := queued - w.queued
		if !told {
			more = since - time.Duration(used-before)*clockTick
		}
		w.waited += min(max(more, 0), since) // several threads may wait at once, and some end
	}
	w.at, w.used, w.queued = time.Now(), used, queued
	return ready || looked && used > before+idleTicks
}

// threadReady reports whether a thread is in the states R (it runs, or could) or D (it waits for a
// disk), of proc_pid_stat(5).
func threadReady(dir string) bool {
	fields := statFields(filepath.Join(dir, "stat"))
	return len(fields) > statState && (fields[statState] == "R" || fields[statState] == "D")
}

// errUntold says that the kernel does not count how long threads wait for a processor.
var errUntold = errors.New("the kernel keeps no schedstat")

// threadQueued is how long a thread has waited for a processor since it was started: the second
// field of its schedstat, in nanoseconds (the kernel's Documentation/scheduler/sched-stats).
func threadQueued(dir string) (time.Duration, error) {
	stat, err := os.ReadFile(filepath.Join(dir, "schedstat"))
	if err != nil {
		if _, gone := os.Stat(dir); gone == nil {
			err = errUntold
		}
		return 0, err
	}
	fields := strings.Fields(string(stat))
	if len(fields) < 2 {
		return 0, errUntold
	}
	n, err := strconv.ParseInt(fields[1], 10, 64)
	return time.Duration(n), err
}
