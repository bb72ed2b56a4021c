package fault

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/mcpcheck/mcpcheck/reference/hook"
)

// legacyRevisions are those that open with a handshake.
var legacyRevisions = []string{hook.R20241105, hook.R20250326, hook.R20250618, hook.R20251125}

// Faults that re-enact defects of released servers, in lists, reads and templates.
func init() {
	Register(
		Fault{
			Name: "list-15-no-empty-host", Requirement: "LIST-15",
			Summary: "a file: URI without a host is refused, although it is listed",
			Hooks: readsOf(func(uri string) bool { return strings.HasPrefix(uri, "file:///") }, func(context.Context, *hook.Call, hook.Handler) *hook.Reply {
				return hook.Fail(-32602, "Invalid params: the host is empty")
			}),
		},
		Fault{
			Name: "list-05-negative-size", Requirement: "LIST-05",
			Summary: "a size that is not known is -1",
			Hooks:   setFirst("size", hook.Number(-1)),
		},
		Fault{
			Name: "list-18-empty-type", Requirement: "LIST-18",
			Summary: "a mimeType that is not known is the empty string",
			Hooks:   setFirst("mimeType", ""),
		},
		Fault{
			Name: "page-13-pages-accumulate", Requirement: "PAGE-13",
			Summary: "every page begins with the entries of the first one", Needs: Needs{PageSize: 3},
			Hooks: hook.OnMethod(hook.MethodList, firstPageAgain),
		},
		missingCode("err-01-own-code", "a missing resource has a code of the server's own, -32001", -32001),
		missingCode("err-01-code-zero", "a missing resource has the code 0", 0),
		Fault{
			Name: "read-01-tool-result", Requirement: "READ-01",
			Summary: "a read is answered with content, as a tool call is",
			Hooks: hook.EditResult(hook.MethodRead, func(result hook.Object) {
				if items, ok := result["contents"].([]any); ok {
					delete(result, "contents")
					result["content"] = []any{hook.Object{"type": "text", "text": string(hook.Encode(items))}}
				}
			}),
		},
		Fault{
			Name: "read-01-count", Requirement: "READ-01",
			Summary: "a read yields the number of contents instead of them",
			Hooks: hook.EditResult(hook.MethodRead, func(result hook.Object) {
				if items, ok := result["contents"].([]any); ok {
					delete(result, "contents")
					result["contentCount"] = hook.Number(int64(len(items)))
				}
			}),
		},
		Fault{
			Name: "read-03-empty-text-dropped", Requirement: "READ-03",
			Summary: "a text of no characters is left out",
			Hooks: hook.EditEachContent(func(_ int, c hook.Object) {
				if c["text"] == "" {
					delete(c, "text")
				}
			}),
		},
		Fault{
			Name: "read-06-alien-characters", Requirement: "READ-06",
			Summary: "blobs have an exclamation mark in them",
			Hooks: editBlobs(func(blob string) string {
				if len(blob) < 4 {
					return blob
				}
				return blob[:2] + "!" + blob[3:]
			}),
		},
		Fault{
			Name: "read-14-base64-as-text", Requirement: "READ-14",
			Summary: "the base64 of a blob comes as text",
			Hooks: hook.EditEachContent(func(_ int, c hook.Object) {
				if blob, ok := c["blob"]; ok {
					c["text"] = blob
					delete(c, "blob")
				}
			}),
		},
		templateText("tmpl-05-line-break", "TMPL-05", "a variable has a line break at the end of its name", "note://{id\n}"),
		expansionHas("tmpl-11-literal-variable", "TMPL-11", "expansions are made with the name of the variable instead of its value", "log://app/2", "text", "{date} 00:00:00 INFO a new day\n"),
		Fault{
			Name: "tmpl-12-delivered-encoded", Requirement: "TMPL-12",
			Summary: "arguments of templates arrive percent-encoded",
			Hooks: hook.EditEachContent(func(_ int, c hook.Object) {
				uri, _ := c["uri"].(string)
				text, ok := c["text"].(string)
				_, query, found := strings.Cut(uri, "?")
				if !ok || !found || !strings.HasPrefix(uri, "search://") {
					return
				}
				for pair := range strings.SplitSeq(query, "&") {
					name, value, _ := strings.Cut(pair, "=")
					if plain, err := url.PathUnescape(value); err == nil {
						text = strings.Replace(text, name+"="+plain, name+"="+value, 1)
					}
				}
				c["text"] = text
			}),
		},
		unmatched("tmpl-12-one-segment", "TMPL-12", "a variable takes no value with a slash in it, encoded or not", func(uri string) bool {
			return strings.Contains(strings.ToUpper(uri), "%2F")
		}),
		unmatched("tmpl-13-query-demanded", "TMPL-13", "a template with query variables does not match a URI without a query", func(uri string) bool {
			return strings.HasPrefix(uri, "search://") && !strings.Contains(uri, "?")
		}),
		unmatched("tmpl-13-query-unmatched", "TMPL-13", "a URI with a query is never matched", func(uri string) bool {
			return strings.HasPrefix(uri, "search://") && strings.Contains(uri, "?")
		}),
	)
}

// Faults that re-enact defects of released servers, in messages and connections.
func init() {
	legacy := Needs{Revisions: legacyRevisions}
	Register(
		Fault{
			Name: "batch-07-still-served", Requirement: "BATCH-07",
			Summary: "batches are answered in revisions that no longer have them",
			Needs:   Needs{Revisions: []string{hook.R20250618, hook.R20251125, hook.R20260728}},
			Hooks:   lateBatches(),
		},
		Fault{
			Name: "rpc-04-strings-become-numbers", Requirement: "RPC-04",
			Summary: "an id that is a string comes back as the number it begins with, or 0",
			Hooks: hook.EditEnvelope("", func(envelope hook.Object) {
				if id, ok := envelope["id"].(string); ok {
					digits := len(id) - len(strings.TrimLeft(id, "0123456789"))
					n, err := strconv.ParseInt(id[:digits], 10, 64)
					if err != nil {
						n = 0
					}
					envelope["id"] = hook.Number(n)
				}
			}),
		},
		Fault{
			Name: "rpc-04-strings-refused", Requirement: "RPC-04",
			Summary: "a request whose id is a string is an internal error",
			Hooks:   stringIDs(func() *hook.Reply { return hook.Fail(-32603, "Internal error: the id must be of type int") }),
		},
		Fault{
			Name: "rpc-04-strings-unanswered", Requirement: "RPC-04",
			Summary: "a request whose id is a string is not answered",
			Hooks:   stringIDs(func() *hook.Reply { return &hook.Reply{Silent: true} }),
		},
		Fault{
			Name: "rpc-09-not-flushed", Requirement: "RPC-09", Needs: overHTTP,
			Summary: "the list of templates stays in the buffer of its event stream, which stays open",
			Hooks: hook.Join(streaming, hook.OnEvent(func(ctx context.Context, e hook.Event, next hook.EventWriter) error {
				if e.Stream != "post" || !e.Response || !strings.Contains(string(e.Data), `"resourceTemplates"`) {
					return next(ctx, e)
				}
				<-ctx.Done()
				return ctx.Err()
			})),
		},
		Fault{
			Name: "rpc-14-dies-of-alien-bytes", Requirement: "RPC-14",
			Summary: "the connection ends at a message that is not UTF-8",
			Needs:   Needs{Transports: []string{hook.Stdio}},
			Hooks: onIncoming(func(in hook.Incoming) bool {
				if in.Transport != hook.Stdio || in.Peer == nil || utf8.Valid(in.Raw) {
					return true
				}
				in.Peer.Abort()
				return false
			}),
		},
		Fault{
			Name: "rpc-09-large-read-lost", Requirement: "RPC-09",
			Summary: "the read of a large resource is never answered",
			Hooks: readsOf(func(uri string) bool { return uri == "test://generated/one-mebibyte" }, func(context.Context, *hook.Call, hook.Handler) *hook.Reply {
				return &hook.Reply{Silent: true}
			}),
		},
		Fault{
			Name: "life-04-refused", Requirement: "LIFE-04", Needs: legacy,
			Summary: "a handshake for an unknown version is refused instead of met with another version",
			Hooks: hook.OnMethod("initialize", func(ctx context.Context, c *hook.Call, next hook.Handler) *hook.Reply {
				if c.Param("protocolVersion") == alienVersion {
					return hook.Fail(-32602, "Unsupported protocol version")
				}
				return next(ctx, c)
			}),
		},
		Fault{
			Name: "sub-06-undeclared-updates", Requirement: "SUB-06", Needs: legacy,
			Summary: "reads are followed by updates, although nothing can be subscribed",
			Hooks: hook.Join(
				editCapabilities(func(c hook.Object) { delete(hook.MakeObjectAt(c, "resources"), "subscribe") }),
				hook.Tee(func(m hook.Message) bool {
					return m.Kind == hook.Response && m.Call != nil && m.Call.Method == hook.MethodRead && !m.Call.Modern
				}, nil, func(m hook.Message) [][]byte {
					return [][]byte{hook.NewNotification(hook.NotificationUpdated, hook.Object{"uri": m.Call.Param("uri")}).Raw}
				})),
		},
	)
}

// Faults that re-enact defects of released servers, over HTTP.
func init() {
	Register(
		notified("http-05-null-body", "notifications are answered 200 with null", http.StatusOK, "application/json", "null"),
		notified("http-05-null-id", "notifications are answered 200 with an id of null", http.StatusOK, "application/json", `{"jsonrpc":"2.0","id":null}`),
		notified("http-05-result", "notifications are answered 200 with an empty result without id", http.StatusOK, "application/json", `{"jsonrpc":"2.0","result":{}}`),
		notified("http-05-no-content", "notifications are answered 204", http.StatusNoContent, "", ""),
		notified("http-05-event-stream", "notifications are answered by an empty event stream", http.StatusOK, "text/event-stream", ": done\n\n"),
		Fault{
			Name: "http-32-no-parameters", Requirement: "HTTP-32", Needs: overHTTP,
			Summary: "an Accept header with parameters is refused",
			Hooks: refuse(func(r *http.Request) bool {
				return r.Method == http.MethodPost && strings.Contains(r.Header.Get("Accept"), ";")
			}, http.StatusNotAcceptable),
		},
		Fault{
			Name: "sec-01-status-400", Requirement: "SEC-01", Needs: overHTTP,
			Summary: "a foreign Origin is refused with status 400",
			Hooks: hook.EditHead(func(r *http.Request, status int, _ http.Header) int {
				if status == http.StatusForbidden && r.Header.Get("Origin") != "" {
					return http.StatusBadRequest
				}
				return status
			}),
		},
		expelled("sess-04-ended-403", "SESS-04", "an ended session is answered by 403", http.StatusForbidden, "", ""),
		expelled("sess-04-ended-event", "SESS-04", "an ended session is answered by an event that holds no message", http.StatusOK, "text/event-stream",
			"data: {\"error\":\"session expired\"}\n\n"),
		expelled("sess-05-unknown-400", "SESS-05", "an unknown session id is answered by 400", http.StatusBadRequest, "", ""),
		Fault{
			Name: "sse-02-priming-for-all", Requirement: "SSE-02",
			Needs:   Needs{Transports: []string{hook.HTTP}, Revisions: []string{hook.R20250326, hook.R20250618, hook.R20260728}},
			Summary: "streams begin with a priming event also in revisions that have none",
			Hooks: hook.Join(streaming, hook.OnEvent(func(ctx context.Context, e hook.Event, next hook.EventWriter) error {
				if e.Stream == "post" && e.Response && len(e.Data) > 0 {
					if err := next(ctx, hook.Event{Stream: e.Stream, Raw: []byte("id: 0\ndata: \n\n")}); err != nil {
						return err
					}
				}
				return next(ctx, e)
			})),
		},
		Fault{
			Name: "sse-06-same-priming-id", Requirement: "SSE-06",
			Needs:   Needs{Transports: []string{hook.HTTP}, Revisions: []string{hook.R20251125}},
			Summary: "the priming event of every stream has the id 0",
			Hooks: hook.Join(streaming, hook.OnEvent(func(ctx context.Context, e hook.Event, next hook.EventWriter) error {
				if e.Stream == "post" && e.ID != "" && len(e.Data) == 0 {
					e.ID = "0"
				}
				return next(ctx, e)
			})),
		},
	)
}

// missingCode is a fault of the code for what does not exist.
func missingCode(name, summary string, code int64) Fault {
	return Fault{Name: name, Requirement: "ERR-01", Summary: summary,
		Hooks: hook.EditError(hook.MethodRead, func(e hook.Object) {
			if e["message"] == notFoundMessage {
				e["code"] = hook.Number(code)
			}
		})}
}

// firstPageAgain puts the entries of the first page before those of each other one.
func firstPageAgain(ctx context.Context, c *hook.Call, next hook.Handler) *hook.Reply {
	r := next(ctx, c)
	if c.Param("cursor") == nil || r == nil || r.Error != nil {
		return r
	}
	before := *c
	removeCursor(&before)
	first := next(ctx, &before)
	if first == nil || first.Error != nil {
		return r
	}
	old, _ := first.Result["resources"].([]any)
	own, _ := r.Result["resources"].([]any)
	r.Result["resources"] = append(append([]any{}, old...), own...)
	return r
}

// stringIDs gives requests whose id is a string another reply.
func stringIDs(reply func() *hook.Reply) hook.Hooks {
	return hook.OnMethod("", func(ctx context.Context, c *hook.Call, next hook.Handler) *hook.Reply {
		if _, text := c.IDValue().(string); text {
			return reply()
		}
		return next(ctx, c)
	})
}

// lateBatches takes batches apart whatever the revision, and answers each request in
// an array.
func lateBatches() hook.Hooks {
	receive := func(next hook.Receiver) hook.Receiver {
		return func(ctx context.Context, in hook.Incoming) {
			v, err := hook.Decode(in.Raw)
			members, ok := v.([]any)
			if err != nil || !ok || len(members) != 1 {
				next(ctx, in)
				return
			}
			in.Raw = hook.Encode(members[0])
			next(context.WithValue(ctx, batchKey{}, true), in)
		}
	}
	return hook.Join(hook.Hooks{Receive: receive}, hook.OnResponse("", func(ctx context.Context, m hook.Message, next hook.Emitter) error {
		if ctx.Value(batchKey{}) == nil {
			return next(ctx, m)
		}
		return inArray(ctx, m, next)
	}))
}

// notified is a fault of the answer to notifications that were accepted.
func notified(name, summary string, status int, mediaType, body string) Fault {
	return Fault{Name: name, Requirement: "HTTP-05", Summary: summary, Needs: overHTTP,
		Hooks: hook.EditAnswer(func(_ *http.Request, _ []byte, a *hook.Answer) {
			if a.Status != http.StatusAccepted {
				return
			}
			a.Status, a.Body = status, []byte(body)
			if mediaType != "" {
				a.Header.Set("Content-Type", mediaType)
			}
		})}
}

// expelled is a fault of the answer to requests under a session id that the server
// does not know, or no longer.
func expelled(name, requirement, summary string, status int, mediaType, body string) Fault {
	return Fault{Name: name, Requirement: requirement, Summary: summary, Needs: overHTTP,
		Hooks: hook.EditAnswer(func(r *http.Request, _ []byte, a *hook.Answer) {
			if a.Status != http.StatusNotFound || r.Header.Get(headerSession) == "" {
				return
			}
			a.Status, a.Body = status, []byte(body)
			a.Header.Del("Content-Type")
			if mediaType != "" {
				a.Header.Set("Content-Type", mediaType)
			}
		})}
}
