package procgroup

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// idleTicks is how much processor time, in clock ticks, a group may use between two looks and
// still count as idle: many programs look after something now and then.
const idleTicks = 1

// Works reports whether the group is at work: one of its threads runs, could run if there were a
// processor for it, or waits for a disk; or the group has used processor time since the last look.
func (w *Work) Works() bool {
	var used int64
	var queued time.Duration
	ready, told := false, true
	stats, _ := filepath.Glob("/proc/[0-9]*/stat") // the pattern is right
	for _, path := range stats {
		fields := statFields(path)
		if len(fields) <= statTimes+3 || fields[statGroup] != strconv.Itoa(w.Leader) {
			continue
		}
		for _, ticks := range fields[statTimes : statTimes+4] {
			n, _ := strconv.ParseInt(ticks, 10, 64) // the kernel writes digits
			used += n
		}
		threads, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "task/[0-9]*")) // none if the process has gone
		for _, dir := range threads {
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
