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
	return OnHTTP(nil, func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if r.Context().Value(guardKey{}) != nil {
			next.ServeHTTP(w, r)
			return
		}
		if strings.HasPrefix(r.URL.Path, PathMetadata) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write([]byte(metadata)) // a client that has gone needs no answer
			return
		}
		const where = `resource_metadata="http://127.0.0.1` + PathMetadata + `/mcp"`
		switch r.Header.Get("Authorization") {
		case "Bearer " + TokenFull:
			next.ServeHTTP(w, r)
		case "Bearer " + TokenWeak:
			if body, err := PeekBody(r); err == nil && bytes.Contains(body, []byte(ProtectedURI)) {
				w.Header().Set(
					"WWW-Authenticate",
					`Bearer error="insufficient_scope", scope="read:notes", `+where,
				)
				http.Error(w, "insufficient scope", http.StatusForbidden)
				return
			}
			next.ServeHTTP(w, r)
		default:
			w.Header().Set("WWW-Authenticate", "Bearer "+where)
			http.Error(w, "a valid token is required", http.StatusUnauthorized)
		}
	})
}
