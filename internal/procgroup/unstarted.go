package procgroup

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
)

// Unstarted says in one sentence why a command did not start, given the error of its start.
func Unstarted(cmd *exec.Cmd, err error) string {
	why := err.Error()
	switch info, missing := os.Stat(cmd.Dir); {
	case cmd.Dir != "" && (missing != nil || !info.IsDir()):
		why = fmt.Sprintf("the working directory %q does not exist: %v", cmd.Dir, err)
	case errors.Is(err, exec.ErrNotFound):
		why = "executable file not found in PATH"
	case errors.Is(err, fs.ErrNotExist):
		why = "no such file, or its interpreter is missing"
	case errors.Is(err, fs.ErrPermission):
		why = "permission denied; is it executable?"
	}
	return fmt.Sprintf("cannot start %q: %s", cmd.Args[0], why)
}
