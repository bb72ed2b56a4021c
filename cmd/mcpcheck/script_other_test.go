//go:build !unix

package main

import "github.com/rogpeppe/go-internal/testscript"

// noneleft cannot be told where there are no process groups.
func noneLeft(ts *testscript.TestScript, _ bool, _ []string) {
	ts.Logf("this system has no process groups")
}
