package clientcheck_test

import (
	"bytes"
	"testing"

	"github.com/mcpcheck/mcpcheck/suite/clientcheck"
)

// FuzzRead: whatever stands in a journal, it is judged or refused.
func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"seq":1,"direction":"in","kind":"request","transport":"stdio","method":"resources/` +
		`list","id":1,"message":{"jsonrpc":"2.0","id":1,"method":"resources/list"}}` + "\n"))
	f.Add([]byte(`{"seq":1,"direction":"in","kind":"unreadable","transport":"http",` +
		`"http":{"method":"POST","path":"/mcp"},"text":"x"}` + "\n{"))
	f.Fuzz(func(_ *testing.T, data []byte) {
		if j, err := clientcheck.Read(bytes.NewReader(data)); err == nil {
			clientcheck.Judge(j, clientcheck.Options{})
		}
	})
}
