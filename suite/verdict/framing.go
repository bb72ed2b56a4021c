package verdict

import (
	"github.com/mcpcheck/mcpcheck/suite/wire"
)

// ObserveFraming tells of messages whose bounds are not where HTTP says they are (RFC 9112,
// section 6): some clients do not get them, or take what follows for the next answer.
func (v *Verdict) ObserveFraming() {
	var surplus, incomplete Sightings
	for i := range v.Frames {
		f := &v.Frames[i]
		for _, flaw := range f.Flaws {
			switch {
			case flaw.Code == wire.FlawSurplus:
				surplus.Add(f, "%s", flaw.Detail)
			case flaw.Code == wire.FlawUnterminated && f.HTTP != nil && f.Dir == wire.In:
				incomplete.Add(f, "%s", flaw.Detail)
			}
		}
	}
	surplus.Observe(v, "bytes-behind-response",
		"behind %d of the responses something came that belongs to none, which clients take for the next "+
			"one, or give the connection up for: %s")
	incomplete.Observe(v, "body-incomplete",
		"%d of the responses did not end as HTTP has it, which many clients take for no answer: %s")
}
