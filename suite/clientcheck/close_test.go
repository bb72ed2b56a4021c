package clientcheck_test

import (
	"bufio"
	"fmt"
	"testing"

	"github.com/mcpcheck/mcpcheck/reference"
	"github.com/mcpcheck/mcpcheck/suite/clientcheck"
)

// complaints collects what a test is told.
type complaints struct{ all []string }

func (*complaints) Helper()        {}
func (*complaints) Cleanup(func()) {}
func (c *complaints) Errorf(format string, args ...any) {
	c.all = append(c.all, fmt.Sprintf(format, args...))
}
func (c *complaints) Fatalf(format string, args ...any) { c.Errorf(format, args...) }

// TestVerifyAfterClose: a client that has just closed its connection has ended it in order,
// even if the server has not noticed yet; one that keeps it has not.
func TestVerifyAfterClose(t *testing.T) {
	w, err := reference.NamedWorld("small")
	if err != nil {
		t.Fatal(err)
	}
	talk := func(t *testing.T, closes bool) []string {
		server := reference.Start(t, w)
		conn := server.Connect()
		answers := bufio.NewReader(conn)
		say := func(message string) { _, _ = fmt.Fprintln(conn, message) }
		say(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25",` +
			`"capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`)
		_, _ = answers.ReadString('\n')
		say(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
		say(`{"jsonrpc":"2.0","id":2,"method":"resources/read","params":{"uri":"note:hello"}}`)
		_, _ = answers.ReadString('\n')
		if closes {
			_ = conn.Close()
		}
		var c complaints
		clientcheck.Verify(&c, server.Journal())
		return c.all
	}
	for range 20 {
		if got := talk(t, true); len(got) > 0 {
			t.Fatalf("%q", got)
		}
	}
	if got := talk(t, false); len(got) != 1 {
		t.Errorf("a connection that was never closed: %q", got)
	}
}
