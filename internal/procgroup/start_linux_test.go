package procgroup_test

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/mcpcheck/mcpcheck/internal/procgroup"
)

// TestStartOnAThreadThatEnds: a process outlives the thread of the goroutine that has it started.
func TestStartOnAThreadThatEnds(t *testing.T) {
	cmd := exec.Command("sleep", "60")
	threads := make(chan int)
	runtime.LockOSThread() // the test may have the first thread, which never ends
	defer runtime.UnlockOSThread()
	go func() { // the thread ends with the goroutine that has locked it
		for runtime.LockOSThread(); syscall.Gettid() == os.Getpid(); runtime.LockOSThread() {
			runtime.UnlockOSThread()
			time.Sleep(time.Millisecond)
		}
		if err := procgroup.Start(cmd); err != nil {
			t.Error(err)
		}
		threads <- syscall.Gettid()
	}()
	thread := <-threads
	for end := time.Now().Add(5 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if _, err := os.Stat(fmt.Sprintf("/proc/self/task/%d", thread)); err != nil {
			break
		}
	}
	ended := make(chan error)
	go func() { ended <- procgroup.Wait(cmd) }()
	select {
	case err := <-ended:
		t.Errorf("it ended with the thread: %v", err)
	case <-time.After(200 * time.Millisecond):
		procgroup.KillAll()
		<-ended
	}
	procgroup.Clear(cmd.Process.Pid)
}

// TestWaitForOutput: that another process holds its output is no failure of a command.
func TestWaitForOutput(t *testing.T) {
	for script, want := range map[string]string{"setsid sleep 60 & echo $!": "<nil>",
		"setsid sleep 60 & echo $!; exit 3": "exit status 3"} {
		cmd := exec.Command("sh", "-c", script)
		var out pidOf
		cmd.Stdout, cmd.WaitDelay = &out, 50*time.Millisecond
		if err := procgroup.Start(cmd); err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(procgroup.Wait(cmd)); got != want {
			t.Errorf("%s: %s", script, got)
		}
		procgroup.Clear(cmd.Process.Pid)
		_ = syscall.Kill(int(out), syscall.SIGKILL)
	}
}

// pidOf takes the id of a process that is written to it.
type pidOf int

func (p *pidOf) Write(data []byte) (int, error) {
	_, err := fmt.Sscan(string(data), (*int)(p))
	return len(data), err
}
