package verdict

import (
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/wire"
)

// NoArrays: no message of the target is an array.
func NoArrays(r *recording.Recording, v *Verdict) {
	for _, p := range ParsedFrames(r) {
		if f := p.Frame; CarriesMessage(r.Combination.Transport, f) && !f.Truncated {
			v.That(!p.Valid || !p.Value.IsArray(), "single messages: the revision has no batches", "an array: "+wire.Excerpt(f.Raw, 60), f.Number)
			v.Hint("send each message by itself")
		}
	}
}
