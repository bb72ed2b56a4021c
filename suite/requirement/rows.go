package requirement

import "slices"

// The sets of revisions and transports that the rows name. They are functions
// so that no row shares its slice with another.

// all lists every revision.
func all() []Revision { return Revisions() }

// legacy lists the revisions that open with a handshake.
func legacy() []Revision { return Legacy() }

// since lists the revisions from first on.
func since(first Revision) []Revision { return span(first, R20260728) }

// until lists the revisions up to last.
func until(last Revision) []Revision { return span(R20241105, last) }

// span lists the revisions from first to last.
func span(first, last Revision) []Revision {
	return slices.DeleteFunc(Revisions(), func(r Revision) bool { return r < first || r > last })
}

// only lists the named revisions.
func only(revisions ...Revision) []Revision { return revisions }

// modern lists the revisions whose requests carry their own metadata.
func modern() []Revision { return only(R20260728) }

// everywhere lists all transports.
func everywhere() []Transport { return Transports() }

// stdioHTTP lists the transports of the revisions from 2025-03-26 on.
func stdioHTTP() []Transport { return []Transport{Stdio, HTTP} }

// stdioOnly, httpOnly and sseOnly list a single transport.
func stdioOnly() []Transport { return []Transport{Stdio} }
func httpOnly() []Transport  { return []Transport{HTTP} }
func sseOnly() []Transport   { return []Transport{SSE} }

// overHTTP lists both transports that run over HTTP.
func overHTTP() []Transport { return []Transport{HTTP, SSE} }

// sec is a section of the specification that stands in the revisions from
// first to last.
func sec(first, last Revision, page, anchor string) Section {
	return Section{From: first, To: last, Page: page, Anchor: anchor}
}

// secIn is a section of one revision.
func secIn(revision Revision, page, anchor string) Section {
	return sec(revision, revision, page, anchor)
}

// secAll is a section that stands in every revision.
func secAll(page, anchor string) Section {
	return sec(R20241105, R20260728, page, anchor)
}

// schema is a definition of the published schema that stands in the revisions
// from first to last.
func schema(first, last Revision, definition string) Section {
	return sec(first, last, "schema", definition)
}

// schemaAll is a definition that stands in the schema of every revision.
func schemaAll(definition string) Section {
	return schema(R20241105, R20260728, definition)
}

// jsonrpc lists the sentence that binds every message to JSON-RPC 2.0, as the
// revisions hold it, and the place in JSON-RPC 2.0 that it brings into force.
func jsonrpc(anchor string) []Section {
	return []Section{
		secIn(R20241105, "basic/messages", ""),
		sec(R20250326, R20260728, "basic/index", "messages"),
		doc("JSON-RPC 2.0", anchor),
	}
}

// except gives the named revisions the same exception.
func except(x Exception, revisions ...Revision) map[Revision]Exception {
	in := make(map[Revision]Exception, len(revisions))
	for _, r := range revisions {
		in[r] = x
	}
	return in
}

// doc is a section of a document outside the specification.
func doc(name, anchor string) Section { return Section{Page: name, Anchor: anchor} }
