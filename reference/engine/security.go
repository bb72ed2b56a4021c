package engine

import (
	"mime"
	"net/http"
	"strconv"
	"strings"

	"github.com/mcpcheck/mcpcheck/reference/internal/loopback"
)

// access says who may call the endpoints.
func (e *Engine) access() loopback.Access {
	return loopback.Access{Hosts: e.config.AllowedHosts, Origins: e.config.AllowedOrigins}
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
