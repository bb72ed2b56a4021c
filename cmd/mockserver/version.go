package main

import (
	"github.com/mcpcheck/mcpcheck/internal/version"
	"github.com/mcpcheck/mcpcheck/reports"
)

// release is set by the linker when a release is built.
var release string

// tool describes this program, from the information of its build.
func tool() reports.Tool {
	b := version.Of(release)
	return reports.Tool{Name: "mockserver", Version: b.Version, Commit: b.Commit}
}
