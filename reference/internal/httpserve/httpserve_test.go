package httpserve

import (
	"context"
	"net"
	"net/http"
	"testing"
	"time"
)

// TestUntil: requests under way are told to end, and those that do not are cut off.
func TestUntil(t *testing.T) {
	for name, grace := range map[string]time.Duration{"polite": 10 * time.Second,
		"stubborn": 50 * time.Millisecond} {
		stubborn := name == "stubborn"
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			arrived, release := make(chan bool), make(chan bool)
			web := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				close(arrived)
				<-r.Context().Done()
				if stubborn {
					<-release
				}
			})
			done := make(chan error, 1)
			go func() { done <- Until(ctx, l, web, grace) }()
			answered := make(chan error, 1)
			go func() {
				resp, err := http.Get("http://" + l.Addr().String())
				if err == nil {
					err = resp.Body.Close()
				}
				answered <- err
			}()
			<-arrived
			cancel()
			if err := <-done; err != nil {
				t.Error(err)
			}
			if err := <-answered; (err != nil) != stubborn {
				t.Errorf("the request: %v", err)
			}
			close(release)
			if _, err := net.Dial("tcp", l.Addr().String()); err == nil {
				t.Error("it still listens")
			}
		})
	}
}

// TestCannotServe: a listener that is closed is an error at once.
func TestCannotServe(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = l.Close()
	if Until(t.Context(), l, http.NotFoundHandler(), time.Second) == nil {
		t.Error("no error")
	}
}
