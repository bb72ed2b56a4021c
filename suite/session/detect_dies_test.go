package session

import (
	"bytes"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/transport"
)

// TestDiesOfDiscover: a server of which nothing is found out since server/discover ended it is not
// only said to listen no more.
func TestDiesOfDiscover(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	gone := make(chan struct{})
	var once sync.Once
	server := &http.Server{Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if body, _ := io.ReadAll(r.Body); bytes.Contains(body, []byte("server/discover")) {
			once.Do(func() { _ = l.Close(); close(gone) })
		}
		<-gone // nobody is answered any more
		panic(http.ErrAbortHandler)
	})}
	served := make(chan error, 1)
	go func() { served <- server.Serve(l) }()
	ask := append(requirement.Legacy(), requirement.R20260728)
	_, err = Detect(t.Context(), &transport.HTTP{URL: "http://" + l.Addr().String() + "/mcp"}, options(""),
		ask, 0)
	if err == nil || !strings.Contains(err.Error(), "server/discover") {
		t.Error(err)
	}
	_ = server.Close()
	<-served
}
