// Package record writes down the conversation of a client with a server, serves it back, and makes
// a world of it.
//
// A [Recorder] sits between the two. [Recorder.Stdio] and [Recorder.Proxy] pass the bytes on as
// they are, where both sides speak the same transport; a [Remote] is a server at a URL for a client
// on stdio, and [Sessions] are servers on stdio for clients on HTTP, one for each session. What is
// written has a header line and then the entries of a journal, a line of JSON each (package
// journal), from the client's point of view; secrets are masked, and what patterns say. [Read]
// reads it, [Recording.Serve] makes a server that answers as the recorded one did, [Recording.World]
// a world.
package record
