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
			got := of(c.release, &debug.BuildInfo{Main: debug.Module{Version: c.module}, Settings: c.settings})
			if got.String() != c.want {
				t.Errorf("%q, not %q", got, c.want)
			}
		})
	}
}
