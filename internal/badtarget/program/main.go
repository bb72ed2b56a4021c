// The program badtarget is package badtarget as a program of its own, which starts in a moment:
// tests start it hundreds of times. Its name says what it does.
//
//	badtarget MODE: a server on standard input and output
//	badserver MODE FILE: one on a loopback port; FILE gets the address
//	badserved MODE ADDRESS: one that listens where it is told
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/mcpcheck/mcpcheck/internal/badtarget"
)

func main() {
	name := strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe")
	switch args := os.Args[1:]; {
	case name == "badtarget" && len(args) > 0:
		os.Exit(badtarget.Main(args[0]))
	case name == "badserver" && len(args) > 1:
		os.Exit(badtarget.Listen(args[0], args[1]))
	case name == "badserved" && len(args) > 1:
		os.Exit(badtarget.Serve(args[0], args[1]))
	}
	fmt.Fprintln(os.Stderr, "badtarget MODE, badserver MODE FILE or badserved MODE ADDRESS")
	os.Exit(2)
}
