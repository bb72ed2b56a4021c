// Package client judges clients: from the journal of a mock server it says, requirement
// by requirement, what a client did right, what it did wrong, and what it had no occasion
// to do. In a test it takes one line, after the client has been closed:
//
//	client.Verify(t, server.Journal())
//
// [Judge] makes a report of a journal in its JSON form (JSON Lines, as "mockserver --journal"
// writes it), and is a pure function of it: nothing is sent, nothing is waited for.
//
//	journal, err := client.Read(file)
//	...
//	report := client.Judge(journal, client.Options{})
//	err = reports.WriteConsole(os.Stdout, report, reports.ConsoleOptions{Areas: client.Catalogue().Titles()})
//
// The result is a report as mcpcheck writes it about servers, with the same verdicts, reason
// codes and exit statuses; every writer and tool for reports takes it.
//
// # How entries become verdicts
//
// Entries are sorted into conversations: a connection over stdio or HTTP+SSE, a session of
// Streamable HTTP, all requests of 2026-07-28 over HTTP. A connection over stdio on which
// both eras are spoken counts as two. A conversation has a revision, the one that was
// negotiated, and a transport; a requirement is judged once for each combination of the
// two, over all of its conversations.
//
// A client is held only to what the server in fact said. Where the server was told to
// break a rule, what cannot be told apart from a right reaction is not held against the
// client.
//
// The requirements stand in rows.yaml. One that the specification states with MUST, or by
// its schema, fails a client; one stated with SHOULD, or only implied, warns; what the
// specification leaves to the client is an observation at the most.
package client
