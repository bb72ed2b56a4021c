package conformance_test

import (
	"flag"
	"testing"

	"github.com/mcpcheck/mcpcheck/internal/embedded"
	"github.com/mcpcheck/mcpcheck/reference"
	"github.com/mcpcheck/mcpcheck/suite/conformance"
	"github.com/onsi/ginkgo/v2"
)

var arguments = conformance.Flags(flag.CommandLine)

// TestConformance is the suite. It judges the target that the flags describe, or, without
// one, the reference server that is built in. The command ginkgo takes a directory for a suite if
// its tests import Ginkgo; it would run "go test" in any other, without flags.
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
	conformance.RunSpecs(ginkgo.GinkgoTestingT(t), c, conformance.Options{Strict: c.Strict,
		Arguments: arguments.String()})
}
