package cert_test

import (
	"crypto/tls"
	"crypto/x509"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/mcpcheck/mcpcheck/reference/cert"
)

func TestClientsTrustTheAuthority(t *testing.T) {
	config, ca, err := cert.New([]string{"mock", "192.0.2.1"})
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_,
			_ = io.WriteString(w, "hello")
	}))
	web.TLS = config
	web.StartTLS()
	defer web.Close()
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(ca) || strings.Contains(string(ca), "KEY") {
		t.Fatalf("%s", ca)
	}
	for name, want := range map[string]bool{"localhost": true, "127.0.0.1": true, "::1": true, "mock": true,
		"192.0.2.1": true, "other": false} {
		conn, err := tls.Dial("tcp", web.Listener.Addr().String(),
			&tls.Config{RootCAs: pool, ServerName: name})
		if (err == nil) != want {
			t.Errorf("%s: %v", name, err)
		}
		if err == nil {
			_ = conn.Close()
		}
	}
	if conn, err := tls.Dial("tcp",
		net.JoinHostPort("127.0.0.1", web.URL[strings.LastIndex(web.URL, ":")+1:]),
		&tls.Config{RootCAs: x509.NewCertPool()}); err == nil {
		_ = conn.Close()
		t.Error("clients trust it without the authority")
	}
}
