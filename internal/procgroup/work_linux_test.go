package procgroup_test

import (
	"fmt"
	"os/exec"
	"runtime"
	"testing"
	"time"

	"github.com/mcpcheck/mcpcheck/internal/procgroup"
)

// TestWorks: what a shell has started counts as the shell's work; a group that waits for nothing
// but time is idle, and so is one that has gone.
func TestWorks(t *testing.T) {
	for name, c := range map[string]struct {
		script string
		works  bool
	}{
		// there is no processor for one of them
		"busy children": {fmt.Sprintf("for i in $(seq %d); do (while :; do :; done) & done; wait",
			runtime.NumCPU()+1), true},
		"asleep": {"sleep 60 & wait", false},
		"gone":   {"exit", false},
	} {
		t.Run(name, func(t *testing.T) {
			cmd := exec.Command("sh", "-c", c.script)
			procgroup.Separate(cmd)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				_ = procgroup.Kill(cmd.Process.Pid) // the last one has ended by itself
				_ = cmd.Wait()
			})
			w := procgroup.Work{Leader: cmd.Process.Pid}
			alike := 0 // looks in turn that say what is expected
			for deadline := time.Now().Add(30 * time.Second); alike < 5 || c.works &&
				w.Waited() == 0; time.Sleep(20 * time.Millisecond) {
				if time.Now().After(deadline) {
					t.Fatalf("it is not told that the group works: %t, and waited %v for a processor",
						c.works, w.Waited())
				}
				if alike++; w.Working() != c.works {
					alike = 0
				}
			}
		})
	}
}
