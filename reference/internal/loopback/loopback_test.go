package loopback

import (
	"context"
	"net"
	"net/http"
	"testing"
)

func TestHost(t *testing.T) {
	for host, want := range map[string]bool{
		"localhost": true, "LocalHost:80": true, "127.0.0.1": true, "127.8.9.1:1": true, "[::1]": true,
		"[::1]:80": true, "::1": true,
		"": false, "localhost.example": false, "10.0.0.1": false, "[::2]:80": false,
		"127.0.0.1.example:80": false, "0.0.0.0": false,
	} {
		if got := Host(host); got != want {
			t.Errorf("%q: %t", host, got)
		}
	}
}

func TestAmong(t *testing.T) {
	for _, test := range []struct {
		host, allowed string
		want          bool
	}{
		{"mock:8931", "mock", true}, {"Mock", "mock", true}, {"mock:8931", "mock:8931", true},
		{"any.example:1", "*", true},
		{"mock:8931", "mock:8932", false}, {"mock.evil.example", "mock", false}, {"", "mock", false},
	} {
		if got := Among(test.host, []string{test.allowed}); got != test.want {
			t.Errorf("%v: %t", test, got)
		}
	}
}

func TestOrigin(t *testing.T) {
	for origin, want := range map[string]bool{
		"http://localhost:3000": true, "https://127.0.0.1": true, "http://[::1]:1": true,
		"null": false, "": false, "http://example.org": false, "file://localhost": false,
		"http:localhost": false, "http://localhost@example.org": false,
	} {
		if got := Origin(origin); got != want {
			t.Errorf("%q: %t", origin, got)
		}
	}
}

func TestRebound(t *testing.T) {
	for _, test := range []struct {
		local, host string
		want        bool
	}{{"127.0.0.1", "evil.example", true}, {"127.0.0.1", "localhost:1", false},
		{"10.0.0.1", "name.example", false}} {
		ctx := context.WithValue(t.Context(), http.LocalAddrContextKey,
			net.Addr(&net.TCPAddr{IP: net.ParseIP(test.local)}))
		r := (&http.Request{Host: test.host}).WithContext(ctx)
		if got := Remote(r); got != (test.local == "10.0.0.1") {
			t.Errorf("%v: remote is %t", test, got)
		}
		if got := rebound(r); got != test.want {
			t.Errorf("%v: %t", test, got)
		}
	}
}
