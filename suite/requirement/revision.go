package requirement

import "slices"

// Revision is a protocol version: the date by which the specification names it.
type Revision string

// The revisions. Those up to 2025-11-25 are legacy (they open with an
// initialize handshake); 2026-07-28 is modern (stateless, metadata in every
// request).
const (
	R20241105 Revision = "2024-11-05"
	R20250326 Revision = "2025-03-26"
	R20250618 Revision = "2025-06-18"
	R20251125 Revision = "2025-11-25"
	R20260728 Revision = "2026-07-28"
)

// Revisions lists all revisions, oldest first.
func Revisions() []Revision {
	return []Revision{R20241105, R20250326, R20250618, R20251125, R20260728}
}

// Legacy lists the revisions that open with a handshake, oldest first.
func Legacy() []Revision { return Revisions()[:4] }

// Modern reports whether the revision carries its metadata in every request
// instead of opening with a handshake.
func (r Revision) Modern() bool { return r >= R20260728 }

// Known reports whether the revision is one of the five.
func (r Revision) Known() bool { return slices.Contains(Revisions(), r) }

// Transports lists the transports that the revision defines.
func (r Revision) Transports() []Transport {
	if r == R20241105 {
		return []Transport{Stdio, SSE}
	}
	return []Transport{Stdio, HTTP}
}

// Transport is a way to carry messages.
type Transport string

// The transports: standard streams, Streamable HTTP (2025-03-26 on) and
// HTTP+SSE (2024-11-05).
const (
	Stdio Transport = "stdio"
	HTTP  Transport = "http"
	SSE   Transport = "sse"
)

// Transports lists all transports.
func Transports() []Transport { return []Transport{Stdio, HTTP, SSE} }

// Combination is a revision on a transport: what one set of verdicts is about.
type Combination struct {
	Revision  Revision  `json:"revision"`
	Transport Transport `json:"transport"`
}

// String is the combination in writing: "2025-11-25 on http".
func (c Combination) String() string {
	return string(c.Revision) + " on " + string(c.Transport)
}

// Defined reports whether the specification defines the combination. Real
// servers also negotiate others.
func (c Combination) Defined() bool {
	return slices.Contains(c.Revision.Transports(), c.Transport)
}

// Grid lists the ten combinations that the specification defines, by revision
// and then transport.
func Grid() []Combination {
	var grid []Combination
	for _, r := range Revisions() {
		for _, t := range r.Transports() {
			grid = append(grid, Combination{Revision: r, Transport: t})
		}
	}
	return grid
}
