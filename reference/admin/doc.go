// Package admin is the HTTP interface by which a mock server is steered while it runs: its
// resources, templates, rules and sessions, its journal, and verdicts on its clients.
//
//	api, err := admin.New(server, admin.Options{})
//	listener, err := admin.Listen(ctx, "127.0.0.1:0", admin.Options{})
//	err = api.Serve(ctx, listener) // until the context ends
//
// It speaks JSON, strictly: a member that a request does not know is an error that names it.
// Errors are {"error":{"code","message","field"}}. Everything is described by an OpenAPI document
// that is served at /openapi.json. Package adminclient calls it from Go.
//
// # Who may call
//
// The interface can do with the server what it likes, so without a token it is for this machine only: it
// listens on loopback addresses and wants to be called by a loopback name (a page whose name has been
// rebound to the address calls it by another). With a token, which every request has to bring, it may
// listen anywhere. It refuses what comes from a web page of another origin, and gives no page leave to
// read its answers.
package admin
