// Package lifetime is what the mains of our programs have in common: they end by signals, and at
// defects, and nothing that they start outlives them.
package lifetime

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"
	"time"

	"github.com/mcpcheck/mcpcheck/internal/procgroup"
	"github.com/mcpcheck/mcpcheck/internal/safe"
	"github.com/mcpcheck/mcpcheck/internal/terminal"
	"github.com/mcpcheck/mcpcheck/reports"
)

// strayTime bounds the ending of what was left behind.
const strayTime = 2 * time.Second

// Main runs a program and exits with the status that it returns. The first signal ends the context of
// the program, with a cause; a second one ends the program without waiting, as a panic does.
func Main(name string, cause error, run func(context.Context) int) {
	// What is left behind comes to us; where that is refused it stays unknown.
	_ = procgroup.Adopt()
	stderr := terminal.Harmless(os.Stderr)
	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	// With a channel for the signal of a broken pipe writes to standard output fail instead
	// of ending the process, so that the rest is still done. It is not ignored: children
	// would inherit that.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	go func() {
		<-signals
		cancel(cause)
		<-signals
		abort()
	}()
	defer func() {
		if f := recover(); f != nil {
			const defect = "%s: this is a defect of %[1]s, please report it: %v\n%s"
			fmt.Fprintf(stderr, defect, name, f, debug.Stack())
			abort()
		}
	}()
	status := run(ctx)
	// Where nobody has told them yet, nobody knows the secrets that their arguments may hold.
	EndStrays(stderr, name+": a program", func(line string) string { return strings.Fields(line)[0] })
	os.Exit(status)
}

// abort ends everything, and the program.
func abort() {
	procgroup.KillAll()
	procgroup.EndStrays(strayTime)
	os.Exit(reports.ExitNotEstablished)
}

// EndStrays ends what a program that was started has left behind in other sessions, and says
// that it, whose name follows ours, has. It returns the command lines, with secrets hidden.
func EndStrays(stderr io.Writer, it string, hide func(string) string) []string {
	all := procgroup.EndStrays(strayTime)
	for i := range all {
		all[i] = safe.Clean(hide(all[i]), 200)
	}
	if len(all) > 0 {
		list := strings.Join(all, "; ")
		fmt.Fprintf(stderr, "%s had left processes behind, which were ended: %s\n", it, list)
	}
	return all
}
