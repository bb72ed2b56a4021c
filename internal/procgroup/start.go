package procgroup

import (
	"errors"
	"os/exec"
	"runtime"
	"sync"
	"time"
)

// started holds the leaders whose groups have not been cleared.
var started sync.Map

// Start starts a command with [Separate], whose group is asked to end when the context of the command
// ends. On Linux what it leaves behind, in whatever session, ends with us if we have called [Adopt].
// [Clear] is to follow the end of the command.
func Start(cmd *exec.Cmd) error {
	Separate(cmd)
	if cmd.Cancel != nil {
		cmd.Cancel = func() error { return Terminate(cmd.Process.Pid) }
	}
	result := make(chan error)
	starter() <- func() { result <- marked(cmd.Start) }
	err := <-result
	if err == nil {
		started.Store(cmd.Process.Pid, nil)
	}
	return err
}

// starter is a thread that lasts as long as we do: Linux takes the end of the thread that has
// started a process for our end. What it does, it does one by one.
var starter = sync.OnceValue(func() chan<- func() {
	todo := make(chan func())
	go func() {
		runtime.LockOSThread()
		for do := range todo {
			do()
		}
	}()
	return todo
})

// Wait waits for the end of a command. That another process holds its output is no failure of it.
func Wait(cmd *exec.Cmd) error {
	err := cmd.Wait()
	if errors.Is(err, exec.ErrWaitDelay) && cmd.ProcessState.Success() {
		return nil
	}
	return err
}

// goneWait is how long the end of a killed group is awaited.
const goneWait = 500 * time.Millisecond

// Clear kills what is left of a group whose leader has ended. It gives up waiting in the end: where
// nobody reaps orphans they stay as zombies for good.
func Clear(leader int) {
	_ = Kill(leader) // that nobody is left is the ordinary case
	for end := time.Now().Add(goneWait); Alive(leader) && time.Now().Before(end); {
		time.Sleep(2 * time.Millisecond)
	}
	started.Delete(leader)
}

// KillAll kills all groups that were not cleared, without waiting: for a program that is about to
// exit and cannot end its connections one by one.
func KillAll() {
	started.Range(func(leader, _ any) bool {
		_ = Kill(leader.(int)) // it may have ended by itself
		return true
	})
}
