// Command mockserver is the reference server of the resources feature of the
// Model Context Protocol: correct unless told otherwise by --quirk or --fault.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	// With a channel for the signal of a broken pipe writes to standard output fail instead
	// of ending the process, so that what is begun is ended. It is not ignored: children
	// would inherit that.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	code := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}
