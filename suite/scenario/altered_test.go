package scenario_test

import (
	"testing"

	"github.com/mcpcheck/mcpcheck/suite/scenario"
)

func TestAltered(t *testing.T) {
	for s, want := range map[string]string{
		"stream_3":             "stream_900000000",
		"page=2&size=10":       "page=2&size=900000000",
		"eyJvZmZzZXQiOjEwfQ==": "eyJvZmZzZXQiOjkwMDAwMDAwMH0=", // {"offset":10}
		"none":                 "none",
	} {
		if got := scenario.Raised(s); got != want {
			t.Errorf("%s raised: %s, not %s", s, got, want)
		}
	}
	for s, want := range map[string]string{"3f9": "3e9", "3gz": "3hz", "ü": "ý"} {
		if got := scenario.Changed(s, 1); got != want {
			t.Errorf("%s changed: %s, not %s", s, got, want)
		}
	}
}
