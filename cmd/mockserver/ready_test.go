package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
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
		done <- run(ctx, []string{"--http", "127.0.0.1:0", "--admin", "127.0.0.1:0", "--allow-host", "mock",
			"--ready-file", name}, strings.NewReader(""), &out, &errs)
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
		{base + "/healthz", "any.example", 200}, {r.URL, "mock:80", 400}, {r.URL, "localhost", 400},
		{r.URL, "other.example", 403},
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
	if code := run(t.Context(), []string{"--stdio", "--ready-file", name}, strings.NewReader(""), &out,
		&errs); code != 2 || !strings.Contains(errs.String(), "--ready-file") {
		t.Errorf("code %d: %s", code, &errs)
	}
	errs.Reset()
	if code := run(t.Context(), []string{"--stdio", "--ready-file", "-"}, strings.NewReader(""), &out,
		&errs); code != 2 || !strings.Contains(errs.String(), "--ready-file - is no file") {
		t.Errorf("code %d: %s", code, &errs)
	}
	if at := callable(&net.TCPAddr{IP: net.IPv6unspecified, Port: 8}); at != "127.0.0.1:8" {
		t.Error(at)
	}
}

// TestReadyFileAndLinks: links that others put in the way of the file while the server starts, or serves,
// lead nowhere.
func TestReadyFileAndLinks(t *testing.T) {
	elsewhere := func() error { return errors.Join(os.Rename("run", "away"), os.Symlink("theirs", "run")) }
	link := func(to string) func() error { return func() error { return os.Symlink(to, "run/ready") } }
	for name, c := range map[string]struct {
		before, starting, serving func() error
		err                       string
		left                      bool // the file is
	}{
		"nothing":         {},
		"a link":          {starting: link("../theirs/ready")},
		"a dangling link": {starting: link("../theirs/new")},
		"the directory": {starting: elsewhere,
			err:  "--ready-file run/ready: write run/ready: the file or its directory has been replaced",
			left: true},
		"the directory, while serving": {serving: elsewhere, left: true},
		"the user's link":              {before: link("../away/ready")},
		"another server's file": {serving: func() error {
			return errors.Join(os.WriteFile("run/next", nil, 0o600), os.Rename("run/next", "run/ready"))
		}, left: true},
		"a reader who removes it": {serving: func() error { return os.Remove("run/ready") }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			if err := errors.Join(os.Mkdir("run", 0o700), os.Mkdir("theirs", 0o700),
				os.WriteFile("theirs/ready", []byte("theirs"), 0o600)); err != nil {
				t.Fatal(err)
			}
			play := func(step func() error) {
				if step == nil {
					return
				}
				if err := step(); err != nil {
					t.Skip("no links, and no open directories that move: ", err)
				}
			}
			if c.before != nil {
				if err := os.Mkdir("away", 0o700); err != nil {
					t.Fatal(err)
				}
			}
			play(c.before)
			s := &settings{ready: "run/ready"}
			if err := s.check(); err != nil {
				t.Fatal(err)
			}
			play(c.starting)
			err := s.whileReady(readiness{}, func() error {
				if data, err := os.ReadFile("run/ready"); err != nil ||
					!bytes.Contains(data, []byte(`"pid":`)) {
					t.Errorf("%q, %v", data, err)
				}
				play(c.serving)
				return nil
			})
			if (err == nil) != (c.err == "") || err != nil && !strings.HasPrefix(err.Error(), c.err) {
				t.Errorf("%v, not %q", err, c.err)
			}
			left, err := os.ReadDir("theirs")
			if got, e := os.ReadFile("theirs/ready"); string(got) != "theirs" || len(left) != 1 ||
				errors.Join(err, e) != nil {
				t.Errorf("of others there are %v, and %q: %v, %v", left, got, err, e)
			}
			if _, err := os.Lstat("run/ready"); (err == nil) != c.left {
				t.Errorf("what is left: %v", err)
			}
		})
	}
	s := &settings{ready: "none/ready"}
	if err := s.check(); err == nil || err.Error() != "--ready-file none/ready: there is no directory none" {
		t.Error(err)
	}
}
