package hook

import (
	"bytes"
	"context"
	"net/http"
	"strings"
)

// The credentials that [RequireBearer] knows, and where its metadata stands.
const (
	TokenFull    = "reference-token-full"    // may do everything
	TokenWeak    = "reference-token-weak"    // may not see ProtectedURI
	TokenForeign = "reference-token-foreign" // was issued for another server
	ProtectedURI = "note:shopping"           // of the default world

	PathMetadata = "/.well-known/oauth-protected-resource"
)

// metadata is the protected-resource metadata (RFC 9728).
const metadata = `{"resource":"http://127.0.0.1/mcp",` +
	`"authorization_servers":["https://auth.example.invalid"],"scopes_supported":["read","read:notes"]}`

type guardKey struct{}

// WithGuard says that somebody else decides about the bearer tokens of a request: within
// its context [RequireBearer] lets everything pass.
func WithGuard(ctx context.Context) context.Context {
	return context.WithValue(ctx, guardKey{}, true)
}

type ownerKey struct{}

// WithOwner says to whom a request belongs. It reaches the sessions of that owner alone.
func WithOwner(ctx context.Context, owner string) context.Context {
	return context.WithValue(ctx, ownerKey{}, owner)
}

// OwnerOf returns what [WithOwner] said; empty if nobody did.
func OwnerOf(ctx context.Context) string {
	owner, _ := ctx.Value(ownerKey{}).(string)
	return owner
}

// RequireBearer makes the HTTP endpoints demand a bearer token, as the
// authorization pages of the specification have it: without a valid one 401 with a
// challenge, beyond the rights of a weak one 403.
func RequireBearer() Hooks {
	return OnHTTP(nil, func(x Serving) {
		if x.Context().Value(guardKey{}) != nil {
			x.Next()
			return
		}
		if strings.HasPrefix(x.URL.Path, PathMetadata) {
			x.Reply(http.StatusOK, "application/json", metadata)
			return
		}
		challenge := func(why, text string, status int) {
			x.W.Header().Set("WWW-Authenticate", "Bearer "+why+
				`resource_metadata="http://127.0.0.1`+PathMetadata+`/mcp"`)
			http.Error(x.W, text, status)
		}
		switch x.Header.Get("Authorization") {
		case "Bearer " + TokenFull:
			x.Next()
		case "Bearer " + TokenWeak:
			if body, err := PeekBody(x.Request); err == nil && bytes.Contains(body, []byte(ProtectedURI)) {
				challenge(`error="insufficient_scope", scope="read:notes", `, "insufficient scope",
					http.StatusForbidden)
				return
			}
			x.Next()
		default:
			challenge("", "a valid token is required", http.StatusUnauthorized)
		}
	})
}
