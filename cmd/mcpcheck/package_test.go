package main

import (
	"testing"

	"github.com/mcpcheck/mcpcheck/reports"
)

// TestPackages: the package in a command is noted as it was typed, with a version where the command has one.
func TestPackages(t *testing.T) {
	for command, want := range map[string][2]string{
		"npx -y @example/server@1.2.3 --stdio": {"@example/server@1.2.3", "pkg:npm/%40example/server@1.2.3"},
		"/usr/bin/npx some-server":             {"some-server", "pkg:npm/some-server"},
		"uvx --from My_Server==2.0 serve":      {"My_Server==2.0", "pkg:pypi/my-server@2.0"},
		"uvx server[http]@1.0":                 {"server[http]@1.0", "pkg:pypi/server@1.0"},
		"npx some-server@next":                 {"some-server@next", "pkg:npm/some-server"},
		"pipx run server":                      {"server", "pkg:pypi/server"},
		"uvx --python 3.12 server":             {},
		"node npx":                             {},
		"npx":                                  {},
	} {
		all := packages(t.Context(), reports.Target{Endpoints: []reports.Endpoint{{Address: command}}},
			false, nil)
		var got [2]string
		if len(all) > 0 {
			got = [2]string{all[0].Spec, all[0].PURL}
		}
		if got != want || len(all) > 0 && all[0].Resolved {
			t.Errorf("%s: %q", command, got)
		}
	}
}
