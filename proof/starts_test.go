package proof

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/mcpcheck/mcpcheck/internal/sample"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
)

// perCombination is how many processes of an ordinary server a combination may cost, with
// the repetition of what is red; perLegacy is the same with the client that declares what it can do, in
// revisions with a handshake.
const perCombination, perLegacy = 6, 7

// TestStarts: a run does not start a process for each of its scripts.
func TestStarts(t *testing.T) {
	server, err := mockserver()
	if err != nil {
		t.Fatal(err)
	}
	// What several servers in use do wrong, each of it to be repeated.
	const habits = "page-05-first-page,err-01-code-zero,rpc-13-internal-error,rpc-15-wrong-code"
	for name, c := range map[string]struct {
		server []string // flags
		run    []string
		most   int
		status int
	}{
		"2024-11-05": {nil, []string{"--revision", "2024-11-05"}, perLegacy, 0},
		"2025-03-26": {nil, []string{"--revision", "2025-03-26"}, perLegacy, 0},
		"2025-06-18": {nil, []string{"--revision", "2025-06-18"}, perLegacy, 0},
		"2025-11-25": {nil, []string{"--revision", "2025-11-25"}, perLegacy, 0},
		"2026-07-28": {[]string{"--revision", "2026-07-28"}, []string{"--revision", "2026-07-28"},
			perCombination, 0},
		// each version that discovery lists is tried on its own; none is asked what modern-only servers are
		"beside legacy": {nil, []string{"--revision", "2026-07-28"},
			perCombination - 1 + len(requirement.Legacy()), 0},
		"pages": {[]string{"--page-size", "3"}, []string{"--revision", "2025-11-25"}, perLegacy,
			0},
		"red": {[]string{"--fault", habits}, []string{"--revision", "2025-11-25"}, perLegacy, 0},
		"all": {nil, nil, len(requirement.Revisions())*perCombination +
			len(requirement.Legacy()), 0},
		"all of them, red": {[]string{"--fault", habits}, nil, len(requirement.Revisions())*perCombination +
			len(requirement.Legacy()), 1},
		"quick": {[]string{"--revision", "2025-11-25"}, []string{"--quick"}, 2, 0},
		"quick, red": {[]string{"--revision", "2025-11-25", "--fault", habits}, []string{"--quick"}, 3,
			0},
		"a single row":   {nil, []string{"--revision", "2025-11-25", "--only", "LIST-01"}, 1, 0},
		"a single probe": {nil, []string{"--revision", "2025-11-25", "--only", "ERR-01"}, 2, 0},
		// the race in a fresh one, and the control, in which nothing is cancelled; neither is repeated
		"deaf in the end": {[]string{"--fault", "canc-03-lock-stays-held"},
			[]string{"--revision", "2025-11-25", "--timeout", "2s"}, perLegacy + 1, 1},
	} {
		t.Run(name, func(t *testing.T) {
			if !sample.Share(name, 2) {
				t.Skip("not in the sample")
			}
			t.Parallel()
			starts := filepath.Join(t.TempDir(), "starts")
			args := append(c.run, "--quiet", "--", "/bin/sh", "-c", `echo >>"$0"; exec "$@"`, starts, server,
				"--stdio")
			o := runWithin(t, 5*time.Minute, nil, append(args, c.server...)...)
			lines, err := os.ReadFile(starts)
			if err != nil {
				t.Fatal(err)
			}
			if n := bytes.Count(lines, []byte("\n")); n > c.most || n == 0 {
				t.Errorf("%d processes were started, at most %d are needed", n, c.most)
			}
			if o.status != c.status {
				t.Errorf("exit status %d instead of %d\n%s%s", o.status, c.status, o.stdout, o.stderr)
			}
		})
	}
}
