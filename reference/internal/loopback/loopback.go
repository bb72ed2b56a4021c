// Package loopback tells this machine from others, by the names that HTTP requests carry, and lets web pages
// call a server.
package loopback

import (
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// Host reports whether a host, with or without port, is this machine for sure.
func Host(hostport string) bool {
	host := hostport
	if h, _, err := net.SplitHostPort(hostport); err == nil {
		host = h
	}
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

// Among reports whether a host is one of those that were allowed: a name, with or without a port, or
// "*" for all.
func Among(hostport string, allowed []string) bool {
	host := hostport
	if h, _, err := net.SplitHostPort(hostport); err == nil {
		host = h
	}
	return slices.ContainsFunc(allowed, func(name string) bool {
		return name == "*" || strings.EqualFold(name, host) || strings.EqualFold(name, hostport)
	})
}

// Origin reports whether a web origin is one of this machine.
func Origin(origin string) bool {
	u, err := url.Parse(origin)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Opaque == "" && Host(u.Host)
}

// Remote reports whether a request has come to an address that other machines can call.
func Remote(r *http.Request) bool {
	local, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	return ok && !local.IP.IsLoopback()
}

// foreign reports whether a request calls the server by a name that it must not be called by: beside those of
// loopback addresses and those that were allowed, also as hosts of origins, there are others only at other
// addresses, and only where no names were allowed.
func foreign(r *http.Request, allowed, origins []string) bool {
	guarded := len(allowed) > 0 && !Host(r.Host)
	return (guarded || rebound(r)) && !Among(r.Host, allowed) &&
		!slices.ContainsFunc(origins, func(origin string) bool {
			u, err := url.Parse(origin)
			return err == nil && strings.EqualFold(u.Host, r.Host)
		})
}

// rebound reports whether a request has come to a loopback address by a name that is none: a
// page whose name has been rebound to this address calls it so.
func rebound(r *http.Request) bool {
	local, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	return ok && local.IP.IsLoopback() && !Host(r.Host)
}

// Access says by which host names and from which web origins a server may be called, beside those of this
// machine.
type Access struct {
	Hosts, Origins []string
	// Linked lets pages of other origins lead here, without an Origin.
	Linked bool
}

// Refusal returns why a request must not be served; empty if it may be. Browsers say what page a request
// comes from, other clients need not. The server itself may have more origins, which allow no hosts.
func (a Access) Refusal(r *http.Request, own ...string) string {
	origins := r.Header["Origin"]
	for _, origin := range origins {
		if !Origin(origin) && !slices.Contains(a.Origins, origin) && !slices.Contains(own, origin) {
			return "this origin is not allowed"
		}
	}
	if foreign(r, a.Hosts, a.Origins) {
		return "this host name is not allowed"
	}
	// The images, scripts and links of a page come without Origin.
	site := r.Header.Get("Sec-Fetch-Site")
	if len(origins) == 0 && !a.Linked && (site == "cross-site" || site == "same-site") {
		return "a page of another origin may not call the server without naming its origin"
	}
	return ""
}

// exposed lists the headers of answers that a page may look at.
const exposed = "Mcp-Session-Id, Mcp-Protocol-Version, WWW-Authenticate, Retry-After"

// Share tells a browser that a page from an origin that may call the server may also see its answers
// (Fetch standard, CORS protocol). It reports whether the request was a preflight, which it has answered.
func (a Access) Share(w http.ResponseWriter, r *http.Request, methods string, own ...string) bool {
	origins := r.Header["Origin"]
	if len(origins) != 1 || a.Refusal(r, own...) != "" {
		return false
	}
	h := w.Header()
	h.Set("Access-Control-Allow-Origin", origins[0])
	h.Add("Vary", "Origin")
	if r.Method != http.MethodOptions || r.Header.Get("Access-Control-Request-Method") == "" {
		h.Set("Access-Control-Expose-Headers", exposed)
		return false
	}
	h.Set("Access-Control-Allow-Methods", methods)
	if asked := r.Header.Get("Access-Control-Request-Headers"); asked != "" {
		h.Set("Access-Control-Allow-Headers", asked)
	}
	if r.Header.Get("Access-Control-Request-Private-Network") != "" {
		h.Set("Access-Control-Allow-Private-Network", "true")
	}
	w.WriteHeader(http.StatusNoContent)
	return true
}
