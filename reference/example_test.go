package reference_test

import (
	"bufio"
	"context"
	"fmt"
	"log"
	"net/http"
	"testing"

	"github.com/mcpcheck/mcpcheck/reference"
	"github.com/mcpcheck/mcpcheck/reference/control"
	"github.com/mcpcheck/mcpcheck/reference/journal"
)

// quiet stands for the *testing.T of a test, which an example has not.
type quiet struct{ ends []func() }

func (q *quiet) Helper()                   {}
func (q *quiet) Cleanup(end func())        { q.ends = append(q.ends, end) }
func (q *quiet) Errorf(f string, a ...any) { fmt.Printf(f+"\n", a...) }
func (q *quiet) Fatalf(f string, a ...any) { log.Fatalf(f, a...) }
func (q *quiet) end() {
	for i := len(q.ends) - 1; i >= 0; i-- {
		q.ends[i]()
	}
}

var _ reference.TB = (*testing.T)(nil)

// In a test, t is its *testing.T, and the server ends with it.
func ExampleStart() {
	t := &quiet{}
	defer t.end()

	text := "milk"
	server := reference.Start(t, reference.World{
		Resources: []reference.Resource{{URI: "note:a", Name: "a", MIMEType: "text/plain",
			Text: &text}},
	}, reference.WithRevisions("2025-11-25"))

	// Any client connects to server.URL(), or speaks over a pipe, a message per line.
	conn := server.Connect()
	answers := bufio.NewScanner(conn)
	say := func(message string) {
		fmt.Fprintln(conn, message)
		answers.Scan()
		fmt.Println(answers.Text())
	}
	fmt.Fprintln(conn,
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25",`+
			`"capabilities":{},"clientInfo":{"name":"client","version":"1"}}}`)
	answers.Scan()

	server.FailNext(1, "resources/read", -32603, "out of order")
	say(`{"jsonrpc":"2.0","id":2,"method":"resources/read","params":{"uri":"note:a"}}`)
	say(`{"jsonrpc":"2.0","id":3,"method":"resources/read","params":{"uri":"note:a"}}`)

	server.Received("resources/read", 2)
	server.InOrder("initialize", "resources/read")
	// Output:
	// {"jsonrpc":"2.0","id":2,"error":{"code":-32603,"message":"out of order"}}
	// {"jsonrpc":"2.0","id":3,"result":{"contents":[{"mimeType":"text/plain","text":"milk","uri":"note:a"}]}}
}

// Resources change while clients are connected, and those who asked for it are told.
func ExampleTestServer_PutText() {
	t := &quiet{}
	defer t.end()
	server := reference.Start(t, reference.World{})
	server.PutText("note:today", "sunny")
	server.PutText("note:today", "rainy")
	fmt.Println(len(server.World().Resources), *server.World().Resources[0].Text)
	// Output:
	// 1 rainy
}

// Rules switch faults, quirks, failures and delays on and off.
func ExampleServer_AddRule() {
	server, err := reference.New(reference.World{}, reference.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer server.Close()
	rule, err := control.ParseFault("page-01-null-cursor:method=resources/list:count=2")
	if err != nil {
		log.Fatal(err)
	}
	status, err := server.AddRule(rule)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(status.ID, status.Requirement, status.Hits, status.Done)
	fmt.Println(server.RemoveRule(status.ID), len(server.Rules()))
	// Output:
	// rule-1 PAGE-01 0 false
	// true 0
}

// The journal says what clients did, also to programs that are no tests.
func ExampleServer_Journal() {
	t := &quiet{}
	defer t.end()
	server := reference.Start(t, reference.World{})
	resp, err := http.Get(server.SSEURL() + "/nowhere")
	if err != nil {
		log.Fatal(err)
	}
	resp.Body.Close()
	if err := server.Journal().WaitFor(context.Background(), journal.Query{Direction: journal.Out},
		1); err != nil {
		log.Fatal(err)
	}
	for _, e := range server.Journal().Query(journal.Query{}) {
		if e.Direction == journal.In {
			fmt.Println(e.Kind, e.HTTP.Method, e.HTTP.Path)
		} else {
			fmt.Println(e.Kind, e.HTTP.Status)
		}
	}
	// Output:
	// http-request GET /sse/nowhere
	// http-answer 404
}
