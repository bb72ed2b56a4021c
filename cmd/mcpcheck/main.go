// Command mcpcheck judges whether an MCP server's resources feature conforms to
// the Model Context Protocol.
//
//	mcpcheck run -- COMMAND [ARG...]   a server that speaks stdio
//	mcpcheck run --url URL             a server that speaks HTTP
//	mcpcheck run --config FILE         a target file
//	mcpcheck run                       the reference server that is built in
//
// "mcpcheck help" lists the other commands. Results go to standard output,
// progress to standard error and only to a terminal. The exit status is part of
// the contract: see [exitUsage] and its neighbours.
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"runtime/debug"

	"github.com/mcpcheck/mcpcheck/cmd/internal/lifetime"
	"github.com/mcpcheck/mcpcheck/internal/terminal"
	"github.com/mcpcheck/mcpcheck/suite/engine"
)

// The exit statuses, in the order in which they take precedence.
const (
	exitOK             = 0 // conformant, as far as the run went
	exitFindings       = 1 // a fail, or a warning under --strict
	exitUsage          = 2 // wrong flags or configuration: nothing was run
	exitNotEstablished = 3 // interrupted, unreachable, nothing selected, a report not written, a blocked MUST
)

// softMemory is from where on memory is collected eagerly, in bytes: what a hostile
// target sends is bounded, and this keeps what it leaves behind from piling up.
const softMemory = 192 << 20

func main() {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(softMemory)
	}
	// Package net/http writes what servers send unasked to this log, credentials included;
	// nothing of ours does.
	log.SetOutput(io.Discard)
	lifetime.Main("mcpcheck", engine.ErrInterrupted, func(ctx context.Context) int {
		return run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	})
}

// run is the whole program. It returns the exit status.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	stdout, stderr = terminal.Harmless(stdout), terminal.Harmless(stderr)
	p := &program{stdout: stdout, stderr: stderr, args: args}
	root := p.root(args)
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	if err := root.ExecuteContext(ctx); err != nil {
		return p.report(err)
	}
	return p.status
}

// program is one call of the program.
type program struct {
	stdout, stderr io.Writer
	args           []string
	status         int
}

// note writes a line to standard error.
func (p *program) note(format string, args ...any) {
	fmt.Fprintf(p.stderr, "mcpcheck: "+format+"\n", args...)
}

// badUsage is a mistake in flags or configuration, as all errors are but those of [impossible].
var badUsage = fmt.Errorf

// failure is why a command could not do its work.
type failure struct{ error }

// Unwrap is the cause.
func (f failure) Unwrap() error { return f.error }

// impossible is why a command could not do its work.
func impossible(format string, args ...any) error { return failure{fmt.Errorf(format, args...)} }
