//go:build unix

package lifetime_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/mcpcheck/mcpcheck/cmd/internal/lifetime"
	"github.com/mcpcheck/mcpcheck/internal/procgroup"
)

// TestMain is a program of ours as well, which starts a shell and then ends as a variable says.
func TestMain(m *testing.M) {
	_ = procgroup.Adopt() // which does not return in a guard
	how := os.Getenv("LIFETIME_TEST")
	if how == "" {
		os.Exit(m.Run())
	}
	lifetime.Main("tester", context.Canceled, func(ctx context.Context) int {
		cmd := exec.Command("sh", "-c", "trap '' TERM; sleep 60 & echo $!; wait")
		out, err := cmd.StdoutPipe()
		if err == nil {
			err = procgroup.Start(cmd)
		}
		line, _ := bufio.NewReader(out).ReadString('\n')
		fmt.Print(line)
		if how == "panics" {
			panic("oh")
		}
		<-ctx.Done()
		fmt.Println(context.Cause(ctx), err)
		select {} // until the second signal
	})
}

// guards lists the guards of this program, where there is a /proc.
func guards() []string {
	all, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	return slices.DeleteFunc(all, func(path string) bool {
		line, _ := os.ReadFile(path) // its process may end meanwhile
		return !strings.HasPrefix(string(line), os.Args[0]+"\x00end-")
	})
}

// TestMainEnds: a panic and a second signal end a program with what it has started.
func TestMainEnds(t *testing.T) {
	for how, want := range map[string]string{
		"panics": `^(\d+)\ntester: this is a defect of tester, please report it: oh\ngoroutine `,
		"waits":  `^(\d+)\ncontext canceled <nil>\n$`,
	} {
		t.Run(how, func(t *testing.T) {
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), "LIFETIME_TEST="+how)
			read, write, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			cmd.Stdout, cmd.Stderr = write, write
			if err := errors.Join(cmd.Start(), write.Close()); err != nil {
				t.Fatal(err)
			}
			out := bufio.NewReader(read)
			said, err := out.ReadString('\n')
			for range 2 {
				_ = cmd.Process.Signal(syscall.SIGTERM) // it may have panicked
				if how == "waits" && strings.Count(said, "\n") < 2 {
					line, _ := out.ReadString('\n')
					said += line
				}
			}
			rest, _ := io.ReadAll(out)
			said += string(rest)
			m := regexp.MustCompile(want).FindStringSubmatch(said)
			_ = cmd.Wait() // the status says it
			if m == nil || err != nil || cmd.ProcessState.ExitCode() != 3 {
				t.Fatalf("%v, %v:\n%s", cmd.ProcessState, err, said)
			}
			pid, _ := strconv.Atoi(m[1])
			for end := time.Now().Add(10 * time.Second); syscall.Kill(pid,
				0) == nil; time.Sleep(10 * time.Millisecond) {
				if time.Now().After(end) {
					t.Fatal("the child of the shell is left")
				}
			}
			for _, path := range guards() {
				t.Error("a guard is left: ", path)
			}
		})
	}
}
