// Command mockserver is the reference server of the resources feature of the
// Model Context Protocol: correct unless told otherwise by --quirk or --fault.
package main

import (
	"context"
	"log"
	"os"

	"github.com/mcpcheck/mcpcheck/cmd/internal/lifetime"
	"github.com/mcpcheck/mcpcheck/internal/terminal"
)

func main() {
	log.SetOutput(terminal.Harmless(os.Stderr)) // package net/http says there what clients did
	lifetime.Main("mockserver", context.Canceled, func(ctx context.Context) int {
		return run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	})
}
