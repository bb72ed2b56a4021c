package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestOAuthOverTLS(t *testing.T) {
	dir := t.TempDir()
	ready, ca := filepath.Join(dir, "ready.json"), filepath.Join(dir, "ca.pem")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var out, errs bytes.Buffer
	done := make(chan int, 1)
	go func() {
		done <- run(ctx, []string{"--http", "127.0.0.1:0", "--oauth", "--tls-ca", ca, "--ready-file", ready,
			"--require-scope", "notes=resources/read"}, strings.NewReader(""), &out, &errs)
	}()
	base := strings.TrimSuffix(awaited(t, ready).URL, "/mcp")
	data, err := os.ReadFile(ca)
	if err != nil || !strings.HasPrefix(base, "https://") {
		t.Fatalf("%s, %v", base, err)
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(data)
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool},
		DisableKeepAlives: true}}
	for path, want := range map[string]int{"/mcp": 401, "/token": 405,
		"/.well-known/oauth-authorization-server": 200} {
		resp, err := client.Get(base + path)
		if err != nil {
			t.Fatal(err)
		}
		var v struct {
			Issuer string
			Scopes []string `json:"scopes_supported"`
		}
		if resp.StatusCode != want {
			t.Errorf("%s: %d", path, resp.StatusCode)
		}
		if want == 200 && (json.NewDecoder(resp.Body).Decode(&v) != nil || v.Issuer != base ||
			len(v.Scopes) != 1 || v.Scopes[0] != "notes") {
			t.Errorf("%+v", v)
		}
		_ = resp.Body.Close()
	}
	cancel()
	if code := <-done; code != 0 {
		t.Errorf("code %d: %s", code, &errs)
	}
}

func TestFlagsOfOAuth(t *testing.T) {
	for _, test := range []struct{ args, want string }{
		{"--stdio --oauth", "need --http"}, {"--stdio --tls-ca x", "need --http"},
		{"--http 127.0.0.1:0 --oauth-user a", "need --oauth"},
		{"--http 127.0.0.1:0 --oauth-consent", "need --oauth"},
		{"--http 127.0.0.1:0 --oauth --oauth-expires 1ms", "at least 1s"},
		{"--http 127.0.0.1:0 --oauth --authorization-server https://a.example", "either --oauth"},
		{"--http 127.0.0.1:0 --tls-ca /nonexistent/ca.pem", "--tls-ca"}, {"verify --protect --oauth -- true",
			"either --protect"},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		cancel() // what begins nevertheless ends
		var out, errs bytes.Buffer
		if code := run(ctx, strings.Fields(test.args), strings.NewReader(""), &out, &errs); code != 2 ||
			!strings.Contains(errs.String(), test.want) {
			t.Errorf("%s: code %d: %s", test.args, code, &errs)
		}
	}
}
