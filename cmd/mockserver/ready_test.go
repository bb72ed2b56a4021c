package main

import (
	"bytes"
	"context"
	"encoding/json"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// awaited reads the ready file as soon as it is there.
func awaited(t *testing.T, name string) readiness {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); <-tick.C {
		data, err := os.ReadFile(name)
		if err != nil {
			continue
		}
		var r readiness
		if err := json.Unmarshal(data, &r); err != nil || !bytes.HasSuffix(data, []byte("}\n")) {
			t.Fatalf("%q: %v", data, err)
		}
		return r
	}
	t.Fatal("the server is not ready")
	return readiness{}
}

// called is the status of a GET by a host name.
func called(t *testing.T, url, host string) int {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Host = host
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	return resp.StatusCode
}

func TestReadyFileAndHosts(t *testing.T) {
	name := filepath.Join(t.TempDir(), "ready.json")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var out, errs bytes.Buffer
	done := make(chan int, 1)
	go func() {
		done <- run(ctx, []string{"--http", "127.0.0.1:0", "--admin", "127.0.0.1:0", "--allow-host", "mock", "--ready-file", name}, strings.NewReader(""), &out, &errs)
	}()
	r := awaited(t, name)
	if r.PID != os.Getpid() || r.Version == "" || !strings.HasSuffix(r.SSEURL, "/sse") {
		t.Errorf("%+v", r)
	}
	base := strings.TrimSuffix(r.URL, "/mcp")
	for _, test := range []struct {
		url, host string
		want      int
	}{
		{base + "/healthz", "any.example", 200}, {r.URL, "mock:80", 400}, {r.URL, "localhost", 400}, {r.URL, "other.example", 403},
		{r.AdminURL + "/health", "mock", 200}, {r.AdminURL + "/health", "other.example", 403},
	} {
		if got := called(t, test.url, test.host); got != test.want {
			t.Errorf("%s by %s: %d", test.url, test.host, got)
		}
	}
	cancel()
	if code := <-done; code != 0 {
		t.Errorf("code %d: %s", code, &errs)
	}
	if _, err := os.Stat(name); !os.IsNotExist(err) {
		t.Errorf("the file is still there: %v", err)
	}
}

func TestReadyWithoutHTTP(t *testing.T) {
	name := filepath.Join(t.TempDir(), "nowhere", "ready.json")
	var out, errs bytes.Buffer
	if code := run(t.Context(), []string{"--stdio", "--ready-file", name}, strings.NewReader(""), &out, &errs); code != 1 || !strings.Contains(errs.String(), "--ready-file") {
		t.Errorf("code %d: %s", code, &errs)
	}
	errs.Reset()
	if code := run(t.Context(), []string{"--stdio", "--ready-file", "-"}, strings.NewReader(""), &out, &errs); code != 2 || !strings.Contains(errs.String(), "--ready-file - is no file") {
		t.Errorf("code %d: %s", code, &errs)
	}
	if at := callable(&net.TCPAddr{IP: net.IPv6unspecified, Port: 8}); at != "127.0.0.1:8" {
		t.Error(at)
	}
}
