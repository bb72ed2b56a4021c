package certificate

import (
	"bytes"
	"testing"
)

// FuzzRead: whatever stands in a file, reading it ends with an error or with a certificate that is written as
// the same bytes.
func FuzzRead(f *testing.F) {
	c := &Certificate{members: map[string][]byte{StatementMember: []byte("{}"), ReportMember: []byte("{}"),
		RowsMember: []byte("[]"), RecordingMember: {}}}
	var b bytes.Buffer
	if err := c.Write(&b); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Add([]byte("PK\x05\x06"))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := Read(data)
		if err != nil {
			return
		}
		var again bytes.Buffer
		if err := c.Write(&again); err != nil || !bytes.Equal(again.Bytes(), data) {
			t.Errorf("%v: other bytes", err)
		}
	})
}
