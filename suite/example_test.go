package suite_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/mcpcheck/mcpcheck/reference"
	"github.com/mcpcheck/mcpcheck/reports/write"
	"github.com/mcpcheck/mcpcheck/suite"
	"github.com/mcpcheck/mcpcheck/suite/area"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/target"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
)

// The report on a server that is started by a command, with files and known findings.
func ExampleRun() {
	report, err := suite.Run(context.Background(), suite.Config{
		Target:   &target.Target{Endpoints: []target.Endpoint{{Command: []string{"my-server", "--stdio"}}}},
		Baseline: "known.txt",
		Files:    suite.Files{HTML: "report.html", JUnit: "report.xml"},
	})
	if err != nil {
		fmt.Println(err) // such as a mistake in the baseline, with its line
		return
	}
	for _, x := range report.Results {
		if x.Verdict.Red() && !x.Excused {
			fmt.Println(write.Finding(report, &x))
		}
	}
}

// A test of one's own server, without a port: every verdict is a subtest.
func ExampleTest() {
	handler := http.NotFoundHandler() // the server
	_ = func(t *testing.T) {
		suite.Test(t, suite.Config{Target: &target.Target{Endpoints: []target.Endpoint{
			{Handler: handler, Path: "/mcp", Forced: requirement.HTTP},
		}}})
	}
}

// The rules of an organisation stand in an area of its own, and are judged like all others.
var acme = area.Area{File: "acme.yaml", Rows: `
area: ACME
title: Rules of Acme
profile: core
documents: {Acme handbook: [schemes]}
rows:
  ACME-01:
    title: Nothing is served under the scheme file
    text: A server of ours lists no resource with a file URI, for these name places on a machine.
    level: MUST
    section: Acme handbook#schemes
`, Checks: verdict.Checks{"ACME-01": {
	From: recording.Names{recording.WalkResources},
	Judge: func(v *verdict.Verdict) {
		for _, i := range verdict.ListedItems(v) {
			uri := i.Get("uri").String()
			v.That(i, !strings.HasPrefix(uri, "file:"), "a URI without the scheme file", "%s", i.Name).
				Hint("serve it under a scheme of ours")
		}
	},
}}}

func ExampleRun_areas() {
	server, err := reference.New(reference.World{
		Resources: []reference.Resource{{URI: "file:///etc/motd", Name: "motd"}},
	}, reference.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer server.Close()
	pipe := func(context.Context) (io.ReadWriteCloser, error) {
		return server.Pipe(context.Background()) // it outlives the dialling
	}
	report, err := suite.Run(context.Background(), suite.Config{
		Target:    &target.Target{Endpoints: []target.Endpoint{{Pipe: pipe}}},
		Areas:     []area.Area{acme},
		Only:      []string{"ACME-01"},
		Revisions: []requirement.Revision{requirement.R20251125},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, x := range report.Results {
		fmt.Println(x.ID, x.Verdict, "-", x.Actual)
	}
	// Output: ACME-01 fail - the resource "file:///etc/motd"
}
