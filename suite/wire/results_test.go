package wire

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

func page(n int) string {
	return `{"resources":[` + strings.TrimSuffix(strings.Repeat(`{"uri":"a:1","name":"x"},`, n), ",") + `]}`
}

// TestResults: a long result is kept once, whatever stands around it, and a message is whole
// again with it.
func TestResults(t *testing.T) {
	var r Results
	long := page(1000)
	var first *Long
	for i, around := range []string{
		`{"jsonrpc":"2.0","id":%d,"result":%s}`, `{"jsonrpc":"2.0","id":%d,"result":%s}`,
		`{"result" : %[2]s,"id":%[1]d,"jsonrpc":"2.0"}`,
	} {
		f := Frame{Raw: fmt.Appendf(nil, around, i, long)}
		whole := bytes.Clone(f.Raw)
		known := r.Inspect(&f)
		if f.Long == nil || len(f.Raw) > 100 || !bytes.Equal(f.Whole(), whole) || len(f.Flaws) > 0 ||
			(known > 0) != (i > 0) {
			t.Fatalf("%d: %d known, %d left, %v", i, known, len(f.Raw), f.Flaws)
		}
		if first == nil {
			first = f.Long
		}
		if f.Long != first {
			t.Errorf("%d: it is kept twice", i)
		}
	}
	for name, raw := range map[string]string{
		"flawed around":      `{"jsonrpc":"2.0","id":1,"id":2,"result":` + long + `}`,
		"behind it":          `{"jsonrpc":"2.0","id":1,"result":` + long + `} x`,
		"not of the message": `{"jsonrpc":"2.0","id":1,"error":{"code":1,"data":{"result":` + long + `}}}`,
		"in a text":          `{"jsonrpc":"2.0","id":"\"result\":","result":[` + long + `]}`,
		"in an array":        `[{"jsonrpc":"2.0","id":1,"result":` + long + `}]`,
		"cut":                `{"jsonrpc":"2.0","id":1,"result":` + long[:len(long)-2],
		"longer than the known": `{"jsonrpc":"2.0","id":1,"result":` + long[:len(long)-1] +
			`,"nextCursor":5,"nextCursor":6}}`,
	} {
		f := Frame{Raw: []byte(raw)}
		want := Inspect(f.Raw)
		if r.Inspect(&f); f.Long != nil || string(f.Raw) != raw || len(f.Flaws) != len(want) {
			t.Errorf("%s: %v", name, f.Flaws)
		}
	}
}

func BenchmarkKnownResult(b *testing.B) {
	var r Results
	raw := []byte(`{"jsonrpc":"2.0","id":1,"result":` + page(100_000) + `}`)
	b.SetBytes(int64(len(raw)))
	b.ReportAllocs()
	for b.Loop() {
		r.Inspect(&Frame{Raw: raw})
	}
}
