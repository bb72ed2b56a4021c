// Command trpc is an ordinary server with trpc-mcp-go, over stdio, or over HTTP or HTTP+SSE at a port:
// trpc [http|sse PORT].
package main

import (
	"context"
	"os"

	mcp "trpc.group/trpc-go/trpc-mcp-go"
)

func text(_ context.Context, r *mcp.ReadResourceRequest) (mcp.ResourceContents, error) {
	return mcp.TextResourceContents{URI: r.Params.URI, MIMEType: "text/plain", Text: "hello"}, nil
}
func texts(c context.Context, r *mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
	x, err := text(c, r)
	return []mcp.ResourceContents{x}, err
}

func main() {
	readme := &mcp.Resource{Name: "readme", URI: "ordinary://readme", MimeType: "text/plain"}
	user := mcp.NewResourceTemplate("ordinary://users/{id}", "user")
	if len(os.Args) < 2 {
		s := mcp.NewStdioServer("ordinary", "1.0.0")
		s.RegisterResource(readme, text)
		s.RegisterResourceTemplate(user, texts)
		if err := s.Start(); err != nil {
			panic(err)
		}
		return
	}
	addr := "127.0.0.1:" + os.Args[2]
	if os.Args[1] == "sse" {
		s := mcp.NewSSEServer("ordinary", "1.0.0")
		s.RegisterResource(readme, text)
		s.RegisterResourceTemplate(user, texts)
		panic(s.Start(addr))
	}
	s := mcp.NewServer("ordinary", "1.0.0", mcp.WithServerAddress(addr), mcp.WithServerPath("/mcp"))
	s.RegisterResource(readme, text)
	s.RegisterResourceTemplate(user, texts)
	panic(s.Start())
}
