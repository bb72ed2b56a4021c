package engine

import (
	"cmp"

	"github.com/mcpcheck/mcpcheck/internal/mask"
	"github.com/mcpcheck/mcpcheck/suite/judge"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
	"github.com/mcpcheck/mcpcheck/suite/wire"
)

// A target that is asked for files that it must not give away may do so. That it did is
// told, what was in them is not: reports and recordings are passed on. So the contents
// are cut to their beginning, after everything was judged.

// leaks are the frames that may hold what a target should have kept for itself. Of those
// that answer what tried to climb out of a directory all contents are cut, of the others
// only what looks like a file of the system.
type leaks map[int]judge.LeakCut

// leaks looks through what was recorded.
func (r *Run) leaks() leaks {
	found := leaks{}
	for take := range r.played() {
		for name, rec := range take.Recordings {
			for _, x := range rec.Exchanges {
				if name != recording.Traversal && x.Kind != recording.Probe {
					continue
				}
				for _, n := range x.Evidence() {
					cut := found[n]
					if name == recording.Traversal {
						cut.Contents = true
						cut.Marker = cmp.Or(cut.Marker, x.Tags[recording.TagMarker])
					}
					found[n] = cut
				}
			}
		}
	}
	return found
}

// noteLeaks notes with each exchange what leaked in it, for those who judge it again
// without the contents that showed it.
func noteLeaks(take *Take) {
	rec := take.Recordings[recording.Traversal]
	if rec == nil {
		return
	}
	for _, x := range rec.Exchanges {
		if what, sure := verdict.Leaked(x); what != "" {
			x.Tags[recording.TagLeaked] = what
			if sure {
				x.Tags[recording.TagProven] = "yes"
			}
		}
	}
}

// without is a frame without what leaked in it. Secrets are masked before, so that no half
// of one is left where nobody recognizes it.
func (l leaks) without(f wire.Frame, m *mask.Masker) wire.Frame {
	if cut, ok := l[f.Number]; ok && f.Dir == wire.In && len(f.Raw) > 0 {
		f.Raw, f.Long = []byte(cut.Cut(string(masked(m, &f)))), nil
	}
	return f
}
