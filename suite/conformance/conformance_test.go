package conformance_test

import (
	"flag"
	"testing"

	"github.com/mcpcheck/mcpcheck/internal/embedded"
	"github.com/mcpcheck/mcpcheck/reference"
	"github.com/mcpcheck/mcpcheck/suite/conformance"
)

var arguments = conformance.Flags(flag.CommandLine)

// TestConformance is the suite. It judges the target that the flags describe, or, without
// one, the reference server that is built in.
func TestConformance(t *testing.T) {
	c, err := arguments.Config()
	if err != nil {
		t.Fatal(err)
	}
	if c.Target == nil {
		described, server, err := embedded.Complete(reference.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer server.Close()
		c.Target, c.Embedded = described, true
		if c.QuietWindow == 0 {
			c.QuietWindow = embedded.QuietWindow
		}
	}
	conformance.RunSpecs(t, c, conformance.Options{Strict: c.Strict, Arguments: arguments.String()})
}
