package main

import (
	"io"
	"strings"
	"testing"
)

// TestProtectHasNoScopes: what would be ignored is refused.
func TestProtectHasNoScopes(t *testing.T) {
	var stderr lockedBuffer
	code := run(t.Context(), []string{"verify", "--protect", "--require-scope", "a=resources/read", "--",
		"true"}, nil, io.Discard, &stderr)
	if code == 0 || !strings.Contains(stderr.String(), "--require-scope needs --token-env") {
		t.Errorf("code %d: %s", code, stderr.String())
	}
}
