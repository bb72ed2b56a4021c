package scenario

import (
	"slices"
	"strings"
	"testing"
)

// TestAbsent holds which URIs stand for what does not exist beside a listed one.
func TestAbsent(t *testing.T) {
	for _, x := range []struct {
		uri  string
		want []string
	}{
		{"test://static/resource/1", []string{"test://static/resource/NAME", "test://static/NAME"}},
		{"file:///a/b.txt", []string{"file:///a/NAME.txt", "file:///NAME"}},
		{"file:///b.txt", []string{"file:///NAME.txt"}},
		{"file:///", []string{"file:///NAME"}},
		{"file://", []string{"file:///NAME"}},
		{"http://host/", []string{"http://host/NAME"}},
		{"memory://graph", []string{"memory://NAME"}},
		{"urn:a:b", []string{"urn:a:NAME"}},
		{"doc:1", []string{"doc:NAME"}},
	} {
		for i, want := range x.want {
			x.want[i] = strings.ReplaceAll(want, "NAME", "mcpcheck-no-such-resource-1")
		}
		if got := absent(x.uri, 1); !slices.Equal(got, x.want) {
			t.Errorf("%s: %q, want %q", x.uri, got, x.want)
		}
	}
}
