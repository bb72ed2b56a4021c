// Package journal keeps what a mock server received and sent, in order.
//
// Everything that a client sends is noted before the server acts on it, and
// everything that the server sends is noted before it leaves. So whoever has an
// answer in hand finds both the answer and its request in the journal.
//
//	j := journal.New(journal.Options{})
//	...
//	reads := j.Query(journal.Query{Method: "resources/read", Direction: journal.In})
//	err := j.WaitFor(ctx, journal.Query{Method: "resources/read"}, 2)
//	err = j.InOrder(journal.Query{Method: "initialize"}, journal.Query{Method: "resources/list"})
//
// A journal is a ring: it keeps a bounded number of entries and bytes, forgets the
// oldest first, and says how many it has forgotten. Sequence numbers begin with 1,
// grow by one with every entry and are never reused, also not by Clear. What must
// not be forgotten goes to a file as one JSON object per line ([Options.Writer])
// or to a function ([Options.Tap]).
//
// # Entries
//
// A message of the client is an entry of direction [In]: [Request], [Notification],
// [Response], [Batch] (one entry for the whole array) or [Unreadable]. A message of
// the server is an entry of direction [Out] with the same kinds. HTTP adds requests
// without a message ([HTTPRequest]: GET, DELETE, OPTIONS), answers without one
// ([HTTPAnswer]: 202, 404 with plain text) and events without one ([Event]: the
// endpoint of HTTP+SSE, the priming event). [Opened] and [Closed] tell of connections, sessions and
// event streams, [Applied] of a rule that changed what happened to a request.
//
// Values of headers, parameters and members whose names tell that they are secrets are
// masked, and those that a client sent wherever they come up later: an entry has none
// once it is noted. A bearer token leaves a fingerprint ([Entry.Identity]) by which
// callers can be told apart.
//
// The methods of a journal may be used from several goroutines. A nil *Journal
// notes nothing and has no entries.
package journal
