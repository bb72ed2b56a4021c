package badtarget

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"time"
)

var highWater = regexp.MustCompile(`VmHWM:\s*(\d+) kB`)

// PeakMemory watches the memory of a process until the function that it returns is
// called, which says what the most was, in bytes; 0 where /proc does not tell. What
// wait reports instead counts the memory of the parent before it became the program.
func PeakMemory(pid int) func() int64 {
	done, most := make(chan struct{}), make(chan int64, 1)
	go func() {
		var peak int64
		for {
			if status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid)); err == nil {
				if m := highWater.FindSubmatch(status); m != nil {
					kib, _ := strconv.ParseInt(string(m[1]), 10, 64) // it is digits
					peak = max(peak, kib<<10)
				}
			}
			select {
			case <-done:
				most <- peak
				return
			case <-time.After(10 * time.Millisecond):
			}
		}
	}()
	return func() int64 {
		close(done)
		return <-most
	}
}
