// Command mockserver is the reference server of the resources feature of the
// Model Context Protocol: correct unless told otherwise by --quirk or --fault.
package main

import (
	"context"
	"log"
	"os"
	"os/signal"
	"syscall"

	"github.com/mcpcheck/mcpcheck/internal/terminal"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	// With a channel for the signal of a broken pipe writes to standard output fail instead
	// of ending the process, so that what is begun is ended. It is not ignored: children
	// would inherit that.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	log.SetOutput(terminal.Harmless(os.Stderr)) // package net/http says there what clients did
	code := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}
