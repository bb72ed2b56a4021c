// Package control switches deviations of the reference server on and off while it
// runs: faults, quirks, canned failures, failures of the connection, delays, and operations
// of one's own (package operation), which are what faults and quirks are made of.
//
// Each is a [Rule]. A rule says what is to happen and to which messages
// ([Limits]): by method, by URI, for one session or identity, for the next N
// of them or after some have passed.
//
//	set.Add(control.Rule{Fault: "page-01-null-cursor"})
//	set.Add(control.Rule{Fail: &control.Failure{Code: -32603, Message: "busy"},
//		Limits: control.Limits{Method: "resources/read", Count: 2}}) // two reads fail, then reads work
//	set.Add(control.Rule{Delay: &control.Delay{Kind: operation.KindFixed, Min: 50 * time.Millisecond}})
//	set.Add(control.Rule{Do: []operation.Operation{{Method: "resources/list",
//		Drop: "result.resources[0].name"}}})
//
// The command line writes the same as text, see [ParseFault], [ParseQuirk] and
// [ParseLatency].
//
// # Order
//
// Delays come first and add up. Then come failures, canned or of the connection, then faults and
// operations, then quirks; among rules of one sort the newest comes first, except that those a
// server starts with keep the order in which they were given.
//
// # Counting
//
// A rule counts messages of the client, each once, however many of its hooks act on it. What
// the server sends unasked (a change notification of a legacy revision) is counted and
// limited as a message of its own. A rule for whole connections on stdio takes effect with the
// next connection. Where the limits count, messages that it leaves as they are do not, on every transport:
// what it lets pass is compared with what came ([hook.Compared]). What it needs to act, as event streams or a
// demand for tokens, is there for the others as well.
//
// # Chance
//
// Everything random follows the seed of the set and the order in which rules were
// added, so that a run with the same requests repeats exactly.
package control
