package version

import (
	"runtime/debug"
	"testing"
)

func TestOf(t *testing.T) {
	vcs := []debug.BuildSetting{{Key: "vcs.revision", Value: "abc"}, {Key: "vcs.modified", Value: "true"}}
	for name, c := range map[string]struct {
		release, module string
		settings        []debug.BuildSetting
		want            string
	}{
		"nothing":   {"", "", nil, "devel"},
		"go run":    {"", "(devel)", nil, "devel"},
		"installed": {"", "v0.2.0", nil, "v0.2.0"},
		"release":   {"0.2.0", "(devel)", vcs[:1], "0.2.0 (commit abc)"},
		"checkout":  {"", "v0.0.0-20261121-abc", vcs, "v0.0.0-20261121-abc (commit abc, with changes)"},
	} {
		t.Run(name, func(t *testing.T) {
			got := of(c.release, &debug.BuildInfo{Main: debug.Module{Version: c.module},
				Settings: c.settings})
			if got.String() != c.want {
				t.Errorf("%q, not %q", got, c.want)
			}
		})
	}
}

// TestOfLibrary: what judges in a program of another module is the version that this module requires.
func TestOfLibrary(t *testing.T) {
	program := debug.Module{Path: "example.com/server", Version: "v9.9.9"}
	ours := debug.Module{Path: "github.com/mcpcheck/mcpcheck", Version: "v0.2.0"}
	for want, info := range map[string]*debug.BuildInfo{
		"v0.2.0": {Main: program, Deps: []*debug.Module{&ours}},
		"devel": {Main: program,
			Deps: []*debug.Module{{Path: ours.Path, Version: "v0.2.0",
				Replace: &debug.Module{Path: "../mcpcheck"}}}},
		"v9.9.9": {Main: program},
	} {
		if got := ofLibrary(info); got != want {
			t.Errorf("%q, not %q", got, want)
		}
	}
}
