// Package oauth is an authorization server for tests of MCP clients, to be served at the origin of the
// protected server itself:
//
//	as, err := oauth.New(oauth.Options{User: "alice"})
//	server, err := reference.New(world, reference.Options{OAuth: as})
//
// It has metadata (RFC 8414), dynamic registration (RFC 7591), the authorization-code grant with PKCE (RFC 7636,
// S256 alone), resource indicators (RFC 8707), refresh tokens that are good once, revocation (RFC 7009) and the
// issuer in authorization responses (RFC 9207), as the authorization pages of the specification have it. The user is
// always the same one, and approves without being asked unless there is to be a page. Everything is in memory and
// bounded; tokens expire when they are told to.
//
// Redirects go to what a client has registered, character for character (but for the port of a loopback address,
// RFC 8252, section 7.3), and nowhere else: where client or address are not right the answer is a page.
package oauth
