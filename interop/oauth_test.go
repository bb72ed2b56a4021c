package interop

import (
	"context"
	"net"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/mcpcheck/mcpcheck/reference"
	"github.com/mcpcheck/mcpcheck/reference/admin"
	"github.com/mcpcheck/mcpcheck/reference/cert"
	"github.com/mcpcheck/mcpcheck/reference/oauth"
)

// TestNodeClientsAuthorize: real OAuth clients find out all by themselves over HTTPS, and refresh tokens that
// have expired.
func TestNodeClientsAuthorize(t *testing.T) {
	node, dir := installNode(t)
	as, err := oauth.New(oauth.Options{User: "alice"})
	if err != nil {
		t.Fatal(err)
	}
	config, authority, err := cert.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	ca := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(ca, authority, 0o600); err != nil {
		t.Fatal(err)
	}
	server, err := reference.New(reference.DefaultWorld(), reference.Options{OAuth: as, TLS: config})
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- server.Serve(ctx, l) }()
	defer func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	}()
	steering := httptest.NewServer(admin.New(server, admin.Options{}))
	defer steering.Close()
	url := "https://" + l.Addr().String() + "/mcp"
	for _, sdk := range []string{"ts1", "ts2"} {
		as.Forget()
		cmd := exec.CommandContext(t.Context(), node, filepath.Join(dir, "oauth.mjs"), sdk, url, steering.URL)
		cmd.Env = append(os.Environ(), "NODE_EXTRA_CA_CERTS="+ca)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", sdk, err, out)
		}
		if all := as.Grants(); len(all) != 1 || all[0].Client != sdk || all[0].Refreshed != 1 ||
			all[0].Resource != url || all[0].User != "alice" {
			t.Errorf("%s: %+v", sdk, all)
		}
	}
}
