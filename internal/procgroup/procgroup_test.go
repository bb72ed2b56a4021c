//go:build unix

package procgroup_test

import (
	"bufio"
	"errors"
	"io"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/mcpcheck/mcpcheck/internal/procgroup"
)

// TestGroup: what a shell has started ends with the shell, and what is gone is said to be.
func TestGroup(t *testing.T) {
	for name, end := range map[string]func(int) error{"terminate": procgroup.Terminate,
		"kill": procgroup.Kill} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cmd := exec.Command("sh", "-c", "sleep 60 & echo started; wait")
			procgroup.Separate(cmd)
			began := time.Now()
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			leader := cmd.Process.Pid
			read := bufio.NewReader(out)
			if line, err := read.ReadString('\n'); line != "started\n" {
				t.Fatalf("%q, %v", line, err)
			}
			if !procgroup.Alive(leader) {
				t.Error("the group is not alive after its start")
			}
			if err := end(leader); err != nil {
				t.Error(err)
			}
			// The child holds the output, too: its end is the end of both.
			if rest, err := io.ReadAll(read); err != nil || len(rest) > 0 {
				t.Errorf("%q, %v", rest, err)
			}
			if err := cmd.Wait(); err == nil {
				t.Error("the shell ended by itself")
			}
			if took := time.Since(began); took > 30*time.Second {
				t.Errorf("the child of the shell was waited for: %v", took)
			}
			for deadline := time.Now().Add(10 * time.Second); procgroup.Alive(leader); time.Sleep(
				10 * time.Millisecond) {
				if time.Now().After(deadline) {
					t.Skip("nobody reaps orphans on this machine")
				}
			}
			if err := end(leader); !errors.Is(err, os.ErrProcessDone) {
				t.Errorf("ending what is gone: %v", err)
			}
		})
	}
}
