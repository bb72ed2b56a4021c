// Package oauth is an authorization server for tests of MCP clients, to be served at the origin of the
// protected server itself:
//
//	as, err := oauth.New(oauth.Options{User: "alice"})
//	server, err := reference.New(world, reference.Options{OAuth: as})
//
// It has metadata (RFC 8414), dynamic registration (RFC 7591), the authorization-code grant with PKCE (RFC
// 7636, S256 alone), resource indicators (RFC 8707), refresh tokens that are good once, revocation (RFC 7009)
// and the issuer in authorization responses (RFC 9207), as the authorization pages of the specification have
// it. The user is always the same one, and approves without being asked unless there is to be a page.
// Everything is in memory and bounded; tokens expire on request.
//
// The protocol is our own, for want of a library that has it: github.com/zitadel/oidc/v3 (3.51),
// github.com/ory/fosite (0.49) and github.com/go-oauth2/oauth2/v4 (4.5) have no registration endpoint, no
// metadata by RFC 8414 and no issuer in responses, and know resource indicators not at all or for token
// exchange alone; the last has no revocation either. The code grant and refresh that are left would come with
// 63, 253 and 20 packages from outside the standard library, and with a storage that has to be written for
// each. github.com/luikyv/go-oidc (0.23) has all of that but for metadata by RFC 8414, with two dependencies.
// Its issuer and the resources that it accepts are fixed when it is made, where ours are the addresses at
// which the mock is called, namespaces among them; it wants signing keys and a storage of sessions, grants,
// clients and tokens by five interfaces, and is an OpenID provider of 20,000 lines in place of 950.
//
// Redirects go to what a client has registered, character for character (but for the port of a loopback
// address, RFC 8252, section 7.3), and nowhere else: where client or address are not right the answer is a
// page.
package oauth
