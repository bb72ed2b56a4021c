package fault

import (
	"context"
	"net/http"
	"strings"

	"github.com/mcpcheck/mcpcheck/reference/hook"
)

// guarded is the condition of faults of a server that demands a bearer token.
var guarded = Needs{Transports: []string{hook.HTTP}, Authorization: true}

// The faults of transport security and authorisation.
func init() {
	Register(
		Fault{
			Name: "sec-01-origin-ignored", Requirement: "SEC-01", Needs: overHTTP,
			Summary: "the Origin is not looked at",
			Hooks:   hook.EditRequest(func(r *http.Request) { r.Header.Del("Origin") }),
		},
		Fault{
			Name: "sec-01-invented-id", Requirement: "SEC-01", Needs: overHTTP,
			Summary: "the error about a foreign Origin has the id 1",
			Hooks: hook.EditAnswer(func(_ *http.Request, _ []byte, a *hook.Answer) {
				if a.Status == http.StatusForbidden {
					a.Body = hook.EditRaw(a.Body, func(o hook.Object) { o["id"] = hook.Number(1) })
				}
			}),
		},
		Fault{
			Name: "sec-02-origin-ignored", Requirement: "SEC-02", Needs: Needs{Transports: []string{hook.HTTP, hook.SSE}},
			Summary: "the Origin is not looked at",
			Hooks:   hook.EditRequest(func(r *http.Request) { r.Header.Del("Origin") }),
		},
		Fault{
			Name: "sec-03-first-request-only", Requirement: "SEC-03", Needs: Needs{Transports: []string{hook.HTTP, hook.SSE}},
			Summary: "the Origin is looked at when a session or stream is opened, and not later",
			Hooks: hook.EditRequest(func(r *http.Request) {
				if m := posted(r); m != nil && m["method"] != "initialize" && m["method"] != hook.MethodListen {
					r.Header.Del("Origin")
				}
			}),
		},
		Fault{
			Name: "sec-04-origin-required", Requirement: "SEC-04", Needs: Needs{Transports: []string{hook.HTTP, hook.SSE}},
			Summary: "lists are refused without an Origin",
			Hooks: refuse(func(r *http.Request) bool {
				return r.Header.Get("Origin") == "" && posted(r)["method"] == hook.MethodList
			}, http.StatusForbidden),
		},
		breach("sec-08-no-challenge", "SEC-08", "401 comes without WWW-Authenticate", withoutChallenge()),
		breach("sec-09-no-discovery", "SEC-09", "neither a challenge nor a well-known address leads to the metadata",
			hook.Join(withoutChallenge(), refuse(isMetadata, http.StatusNotFound))),
		breach("sec-10-invalid-403", "SEC-10", "an invalid token is answered by 403", hook.EditHead(func(r *http.Request, status int, _ http.Header) int {
			if status == http.StatusUnauthorized && r.Header.Get("Authorization") != "" {
				return http.StatusForbidden
			}
			return status
		})),
		breach("sec-11-scope-401", "SEC-11", "an insufficient scope is answered by 401", hook.EditHead(func(_ *http.Request, status int, _ http.Header) int {
			if status == http.StatusForbidden {
				return http.StatusUnauthorized
			}
			return status
		})),
		breach("sec-12-readable", "SEC-12", "a protected resource can be read by everybody", reauthorized(hook.TokenWeak)),
		breach("sec-12-checked-once", "SEC-12", "rights are looked at when a session is opened, and not later", hook.EditRequest(func(r *http.Request) {
			if r.Header.Get(headerSession) != "" && r.Header.Get("Authorization") == "Bearer "+hook.TokenWeak {
				r.Header.Set("Authorization", "Bearer "+hook.TokenFull)
			}
		})),
		breach("sec-15-ok-with-error", "SEC-15", "missing credentials are answered by an error with status 200", hook.EditAnswer(func(r *http.Request, body []byte, a *hook.Answer) {
			if id, ok := bodyObject(body)["id"]; ok && a.Status == http.StatusUnauthorized && r.Header.Get("Authorization") == "" {
				a.Status = http.StatusOK
				a.Header.Set("Content-Type", "application/json")
				a.Body = hook.Encode(hook.Object{"jsonrpc": "2.0", "id": id, "error": hook.Object{"code": hook.Number(-32001), "message": "Unauthorized"}})
			}
		})),
		breach("sec-60-no-servers", "SEC-60", "the metadata names no authorization server", hook.EditAnswer(func(r *http.Request, _ []byte, a *hook.Answer) {
			if isMetadata(r) {
				a.Body = hook.EditRaw(a.Body, func(o hook.Object) { o["authorization_servers"] = []any{} })
			}
		})),
		breach("sec-61-any-audience", "SEC-61", "tokens for other servers are accepted", reauthorized(hook.TokenForeign)),
		Fault{
			Name: "sec-14-token-logged", Requirement: "SEC-14", Needs: Needs{Transports: []string{hook.HTTP, hook.SSE}},
			Summary: "the Authorization header of each read is logged",
			Hooks:   hook.OnMethod(hook.MethodRead, logged),
		},
	)
}

// breach makes a fault of a server that demands a bearer token.
func breach(name, requirement, summary string, flaw hook.Hooks) Fault {
	return Fault{Name: name, Requirement: requirement, Summary: summary, Needs: guarded, Hooks: hook.Join(flaw, hook.RequireBearer())}
}

func withoutChallenge() hook.Hooks {
	return hook.EditHead(func(_ *http.Request, status int, h http.Header) int {
		h.Del("WWW-Authenticate")
		return status
	})
}

func isMetadata(r *http.Request) bool { return strings.HasPrefix(r.URL.Path, hook.PathMetadata) }

// reauthorized takes one token for one with all rights.
func reauthorized(token string) hook.Hooks {
	return hook.EditRequest(func(r *http.Request) {
		if r.Header.Get("Authorization") == "Bearer "+token {
			r.Header.Set("Authorization", "Bearer "+hook.TokenFull)
		}
	})
}

// logged writes the credentials of a call into the log.
func logged(ctx context.Context, c *hook.Call, next hook.Handler) *hook.Reply {
	if secret := c.Header.Get("Authorization"); secret != "" {
		_ = c.Emit(ctx, hook.NewNotification("notifications/message", hook.Object{
			"level": "debug", "data": "read with " + secret,
		})) // a client that has gone is noticed by the transport
	}
	return next(ctx, c)
}
