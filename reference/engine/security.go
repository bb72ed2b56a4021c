package engine

import (
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpcheck/mcpcheck/reference/internal/loopback"
)

// checkOrigin says why a request may not come from where it says it comes from.
// Browsers send Origin; other clients need not. A server on a loopback address
// also wants to be called by a loopback name: a page whose name has been
// rebound to this address calls it by another.
func (e *Engine) checkOrigin(r *http.Request) string {
	for _, origin := range r.Header["Origin"] {
		if !loopback.Origin(origin) && !slices.Contains(e.config.AllowedOrigins, origin) {
			return "this origin is not allowed"
		}
	}
	if loopback.Foreign(r, e.config.AllowedHosts, e.config.AllowedOrigins) {
		return "this host name is not allowed"
	}
	return ""
}

// exposed are the headers of answers that a page may look at.
const exposed = headerSession + ", " + writtenVersion + ", WWW-Authenticate, Retry-After"

// crossOrigin tells a browser that a page from an origin that may call the server may also see
// its answers (Fetch standard, CORS protocol), and reports whether that was all it asked: a
// preflight carries no token, so that it never gets as far as a guard.
func (e *Engine) crossOrigin(w http.ResponseWriter, r *http.Request) bool {
	origins := r.Header["Origin"]
	if len(origins) != 1 || e.checkOrigin(r) != "" {
		return false
	}
	h := w.Header()
	h.Set("Access-Control-Allow-Origin", origins[0])
	h.Add("Vary", "Origin")
	if r.Method != http.MethodOptions || r.Header.Get("Access-Control-Request-Method") == "" {
		h.Set("Access-Control-Expose-Headers", exposed)
		return false
	}
	h.Set("Access-Control-Allow-Methods", "GET, POST, DELETE")
	if asked := r.Header.Get("Access-Control-Request-Headers"); asked != "" {
		h.Set("Access-Control-Allow-Headers", asked)
	}
	if r.Header.Get("Access-Control-Request-Private-Network") != "" {
		h.Set("Access-Control-Allow-Private-Network", "true")
	}
	w.WriteHeader(http.StatusNoContent)
	return true
}

// usualAccept is what the specification has clients send with a POST.
const usualAccept = "application/json, text/event-stream"

// accepts reports whether the Accept header admits a media type. A request
// without the header admits everything.
func accepts(r *http.Request, mediaType string) bool {
	values := r.Header["Accept"]
	if len(values) == 0 || len(values) == 1 && values[0] == usualAccept {
		return true
	}
	family, _, _ := strings.Cut(mediaType, "/")
	best, quality := 0, 0.0
	for part := range strings.SplitSeq(strings.Join(values, ","), ",") {
		name, params, _ := mime.ParseMediaType(part) // without parameters if these are malformed
		rank := 0
		switch name {
		case mediaType:
			rank = 3
		case family + "/*":
			rank = 2
		case "*/*":
			rank = 1
		}
		if rank > best {
			best, quality = rank, 1
			if q, given := params["q"]; given {
				quality, _ = strconv.ParseFloat(q, 64) // what is no number is none
			}
		}
	}
	return best > 0 && quality > 0
}
