package scenario

import (
	"slices"
	"strings"
	"testing"

	"github.com/mcpcheck/mcpcheck/suite/judge"
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

// TestSiblings: where templates match what lies beside a listed URI, the guesses lie where none does.
func TestSiblings(t *testing.T) {
	for _, x := range []struct {
		template string
		want     []string
	}{
		{"other:{x}", []string{"notes:///NAME1.txt", "notes:///NAME2.txt"}},
		{"notes:///{name}.txt", []string{"notes:///NAME1", "notes:///NAME2"}},
		{"notes:///{name}", nil},
	} {
		resources := listed(listedAs("resources", "uri", "notes:///a.txt", "notes:///b.txt"), "resources",
			"uri").all
		for i, want := range x.want {
			x.want[i] = strings.ReplaceAll(want, "NAME", "mcpcheck-no-such-resource-")
		}
		if got := Siblings(resources, judge.Matchers{judge.NewMatcher(x.template)}); !slices.Equal(got,
			x.want) {
			t.Errorf("%s: %q, want %q", x.template, got, x.want)
		}
	}
}

func TestNoSuch(t *testing.T) {
	for of, want := range map[string]string{
		"notes:///a/b.txt":    "notes:///mcpcheck-no-such-resource-1",
		"notes:///{+path}":    "notes:///mcpcheck-no-such-resource-1",
		"notes://{id}":        "notes:///mcpcheck-no-such-resource-1",
		"db://host/{table}":   "db://host/mcpcheck-no-such-resource-1",
		"doc:{id}":            "doc:mcpcheck-no-such-resource-1",
		"{+uri}":              "",
		"no scheme":           "",
		"":                    "",
		"https://host/a/b":    "",
		"my_app://x":          "",
		"notes://a b/c/d":     "",
		"notes{x}:///{+path}": "",
	} {
		if got := NoSuch(of); got != want {
			t.Errorf("%q: %q, want %q", of, got, want)
		}
	}
}
