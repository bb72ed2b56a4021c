// Package client has a test with the mock in a container: "docker build --target mockserver -t mockserver ."
// makes the image.
package client

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/testcontainers/testcontainers-go"
	"github.com/testcontainers/testcontainers-go/wait"
)

// startMock starts a mock for a test, and says where it can be called.
func startMock(t *testing.T) string {
	mock, err := testcontainers.Run(t.Context(), "mockserver",
		testcontainers.WithCmd("--http", "0.0.0.0:8931", "--world", "small"),
		testcontainers.WithExposedPorts("8931/tcp"),
		testcontainers.WithWaitStrategy(wait.ForHTTP("/healthz").WithPort("8931/tcp")),
	)
	testcontainers.CleanupContainer(t, mock)
	if err != nil {
		t.Fatal(err)
	}
	endpoint, err := mock.PortEndpoint(t.Context(), "8931/tcp", "http")
	if err != nil {
		t.Fatal(err)
	}
	return endpoint + "/mcp"
}

func TestRead(t *testing.T) {
	// In the place of your client.
	const body = `{"jsonrpc": "2.0", "id": 1, "method": "resources/read", "params": {"uri": "note:hello", "_meta": {
		"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}}}`
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, startMock(t),
		strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{
		"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
		"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "resources/read", "Mcp-Name": "note:hello",
	} {
		request.Header.Set(name, value)
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if text, err := io.ReadAll(answer.Body); err != nil || !strings.Contains(string(text), "Hello, world!") {
		t.Fatalf("%v: %s", err, text)
	}
}
