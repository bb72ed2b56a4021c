package main

import (
	"bytes"
	"context"
	"regexp"
	"strings"
	"testing"
)

// TestVersion: the program says which build it is.
func TestVersion(t *testing.T) {
	var out, errs bytes.Buffer
	status := run(context.Background(), []string{"--version"}, strings.NewReader(""), &out, &errs)
	if status != exitOK || errs.Len() > 0 ||
		!regexp.MustCompile(`^mockserver \S+( \(.*\))?\n$`).MatchString(out.String()) {
		t.Errorf("status %d: %q %q", status, out.String(), errs.String())
	}
}
