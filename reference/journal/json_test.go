package journal_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/mcpcheck/mcpcheck/reference/journal"
)

// TestWriteTo: what is written of the entries that are kept is what the file has, with the
// characters as they came.
func TestWriteTo(t *testing.T) {
	var file, written bytes.Buffer
	j := journal.New(journal.Options{Writer: &file})
	for _, message := range []string{`{"jsonrpc":"2.0","id":1,"method":"resources/read",` +
		`"params":{"uri":"a:b?c=<1>&d"}}`, `no message <&>`} {
		e := &journal.Entry{Direction: journal.In}
		e.Classify([]byte(message))
		j.Note(e, []byte(message))
	}
	n, err := j.WriteTo(&written)
	if err != nil || n != int64(written.Len()) || written.String() != file.String() ||
		!strings.Contains(file.String(), `"uri":"a:b?c=<1>&d"`) {
		t.Errorf("%d, %v:\n%s\nnot\n%s", n, err, &written, &file)
	}
}
