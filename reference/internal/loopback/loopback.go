// Package loopback tells this machine from others, by the names that HTTP requests carry.
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

// Foreign reports whether a request calls the server by a name that it must not be called by: beside those of
// loopback addresses and those that were allowed, also as hosts of origins, there are others only at other
// addresses, and only where no names were allowed.
func Foreign(r *http.Request, allowed, origins []string) bool {
	guarded := len(allowed) > 0 && !Host(r.Host)
	return (guarded || Rebound(r)) && !Among(r.Host, allowed) && !slices.ContainsFunc(origins, func(origin string) bool {
		u, err := url.Parse(origin)
		return err == nil && strings.EqualFold(u.Host, r.Host)
	})
}

// Rebound reports whether a request has come to a loopback address by a name that is none: a
// page whose name has been rebound to this address calls it so.
func Rebound(r *http.Request) bool {
	local, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	return ok && local.IP.IsLoopback() && !Host(r.Host)
}
