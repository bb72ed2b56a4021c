package procgroup

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
)

// idleTicks is how much processor time, in clock ticks, a group may use between two looks and
// still count as idle: many programs look after something now and then.
const idleTicks = 1

// Works reports whether the group is at work: one of its threads runs, could run if there were a
// processor for it, or waits for a disk; or the group has used processor time since the last look.
func (w *Work) Works() bool {
	var used int64
	ready := false
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
		ready = ready || threadReady(filepath.Dir(path))
	}
	before, looked := w.used, w.looked
	w.used, w.looked = used, true
	return ready || looked && used > before+idleTicks
}

// threadReady reports whether a thread of a process is in the states R (it runs, or could) or D
// (it waits for a disk), of proc_pid_stat(5).
func threadReady(dir string) bool {
	threads, _ := os.ReadDir(filepath.Join(dir, "task")) // none if the process has gone
	for _, t := range threads {
		fields := statFields(fmt.Sprintf("%s/task/%s/stat", dir, t.Name()))
		if len(fields) > statState && (fields[statState] == "R" || fields[statState] == "D") {
			return true
		}
	}
	return false
}
