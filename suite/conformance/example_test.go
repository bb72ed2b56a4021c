package conformance_test

import (
	"github.com/mcpcheck/mcpcheck/suite"
	"github.com/mcpcheck/mcpcheck/suite/conformance"
	"github.com/mcpcheck/mcpcheck/suite/target"
)

// In a Ginkgo suite of one's own, at the top level of a file.
func ExampleSpecs() {
	var _ = conformance.Specs(suite.Config{
		Target:   &target.Target{Endpoints: []target.Endpoint{{URL: "http://127.0.0.1:3000/mcp"}}},
		Baseline: "known.txt",
		Files:    suite.Files{HTML: "report.html"},
	}, conformance.Options{})
}
