package procgroup

import (
	"bytes"
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
// be, so that [EndStrays] can find it. It is for programs, not for libraries: all orphans come
// here from now on.
func Adopt() error {
	if _, _, errno := syscall.RawSyscall(syscall.SYS_PRCTL, prSetChildSubreaper, 1, 0); errno != 0 {
		return fmt.Errorf("adopting orphans: %w", errno)
	}
	return nil
}

// tied has the kernel end a command when we die, however that comes.
func tied(a *syscall.SysProcAttr) { a.Pdeathsig = syscall.SIGKILL }

// EndStrays ends the processes that were adopted: those that descendants of ours started and
// left behind, in sessions and process groups of their own. It returns their command lines. It
// is called when no child of this process is left that is waited for elsewhere, and gives up
// after the time allowed: what starts itself anew all the time may be quicker.
func EndStrays(allowed time.Duration) []string {
	var ended []string
	named := map[int]bool{}
	for deadline := time.Now().Add(allowed); ; time.Sleep(5 * time.Millisecond) {
		left := adopted()
		if len(left) == 0 || time.Now().After(deadline) {
			slices.Sort(ended)
			return slices.Compact(ended)
		}
		for _, p := range left {
			if !named[p.pid] && p.command != "" {
				named[p.pid] = true
				ended = append(ended, p.command)
			}
			// Its children come to us next. Neither call fails but for what is gone.
			_ = syscall.Kill(p.pid, syscall.SIGKILL)
			_, _ = syscall.Wait4(p.pid, nil, syscall.WNOHANG, nil)
		}
	}
}

// process is a process that was adopted; its command line is empty if it has ended.
type process struct {
	pid     int
	command string
}

// adopted lists our children.
func adopted() []process {
	var all []process
	stats, _ := filepath.Glob("/proc/[0-9]*/stat") // the pattern is right
	for _, path := range stats {
		fields := statFields(path)
		if len(fields) <= statParent || fields[statParent] != strconv.Itoa(os.Getpid()) {
			continue
		}
		dir := filepath.Dir(path)
		pid, _ := strconv.Atoi(filepath.Base(dir)) // digits: see the pattern
		line, _ := os.ReadFile(filepath.Join(dir, "cmdline"))
		all = append(all, process{pid, strings.TrimSpace(strings.ReplaceAll(string(line), "\x00", " "))})
	}
	return all
}

// The places of what [statFields] returns that are looked at.
const (
	statState, statParent, statGroup = 0, 1, 2

	statTimes = 11 // the first of four: processor time of the process and of its children that have ended, in clock ticks
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
