package mockbench

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	mcpgo "github.com/mark3labs/mcp-go/mcp"
	mcpgoserver "github.com/mark3labs/mcp-go/server"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpcheck/mcpcheck/reference"
)

// What all servers have: many short resources, one long one, pages of 100.
const (
	resources = 1000
	pageSize  = 100
	shortSize = 1 << 10
	longSize  = 1 << 20
)

func shortURI(i int) string { return fmt.Sprintf("file:///bench/%04d.txt", i) }

const longURI = "file:///bench/long.txt"

var (
	shortText = strings.Repeat("0123456789abcde\n", shortSize/16)
	longText  = strings.Repeat("0123456789abcde\n", longSize/16)
)

// each visits all resources.
func each(visit func(uri, name string, text *string)) {
	for i := range resources - 1 {
		visit(shortURI(i), fmt.Sprintf("%04d.txt", i), &shortText)
	}
	visit(longURI, "long.txt", &longText)
}

// elsewhere are the deviations of a mock server that are armed for something else than an
// operation: without limits for another method, and limited to what nobody sends for its own.
type elsewhere struct{ faults, quirks []string }

func (o operation) elsewhere() elsewhere {
	if o.method == "resources/list" {
		return elsewhere{
			faults: []string{"read-02-null-uri", "list-02-null-uri:session=none"},
			quirks: []string{"contents-under-other-uris", "changing-order:session=none"},
		}
	}
	return elsewhere{
		faults: []string{"list-02-null-uri", "read-02-null-uri:uri=file:///bench/other.txt"},
		quirks: []string{"changing-order", "contents-under-other-uris:uri=file:///bench/other.txt"},
	}
}

// mockServer is the mock with deviations from the start.
func mockServer(b *testing.B, faults, quirks []string) *httptest.Server {
	w := reference.World{}
	each(func(uri, name string, text *string) {
		w.Resources = append(w.Resources, reference.Resource{URI: uri, Name: name, MIMEType: "text/plain",
			Text: text})
	})
	s, err := reference.New(w, reference.Options{PageSize: pageSize, Faults: faults, Quirks: quirks})
	if err != nil {
		b.Fatal(err)
	}
	return serve(b, s.Handler())
}

// serve has a handler on loopback until the benchmark ends.
func serve(b *testing.B, h http.Handler) *httptest.Server {
	server := httptest.NewServer(h)
	b.Cleanup(server.Close)
	return server
}

// bareServer reads each request and writes the same bytes.
func bareServer(b *testing.B, body []byte, header http.Header) *httptest.Server {
	return serve(b, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			return
		}
		for _, name := range []string{"Content-Type", "Mcp-Session-Id"} {
			if v := header.Get(name); v != "" {
				w.Header().Set(name, v)
			}
		}
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		_, _ = w.Write(body) // a client that left is none of its business
	}))
}

func sdkServer(b *testing.B, e era) *httptest.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "bench", Version: "1"},
		&mcp.ServerOptions{PageSize: pageSize})
	each(func(uri, name string, text *string) {
		s.AddResource(&mcp.Resource{URI: uri, Name: name, MIMEType: "text/plain"},
			func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
				return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: uri,
					MIMEType: "text/plain", Text: *text}}}, nil
			})
	})
	// It serves the modern revision without sessions only.
	return serve(b, mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server {
		return s
	}, &mcp.StreamableHTTPOptions{JSONResponse: true, Stateless: e == modern}))
}

func mcpgoServer(b *testing.B) *httptest.Server {
	s := mcpgoserver.NewMCPServer("bench", "1", mcpgoserver.WithResourceCapabilities(true, true),
		mcpgoserver.WithPaginationLimit(pageSize))
	each(func(uri, name string, text *string) {
		s.AddResource(mcpgo.NewResource(uri, name, mcpgo.WithMIMEType("text/plain")),
			func(context.Context, mcpgo.ReadResourceRequest) ([]mcpgo.ResourceContents, error) {
				return []mcpgo.ResourceContents{mcpgo.TextResourceContents{URI: uri, MIMEType: "text/plain",
					Text: *text}}, nil
			})
	})
	return serve(b, mcpgoserver.NewStreamableHTTPServer(s))
}

// trimmed is the beginning of an answer, for errors.
func trimmed(b []byte) string { return string(bytes.TrimSpace(b[:min(len(b), 300)])) }
