package reports

import (
	"bytes"
	"errors"
	"fmt"
	"testing"
)

func TestReadMatrixOfAReport(t *testing.T) {
	var b bytes.Buffer
	if err := WriteJSON(&b, sample()); err != nil {
		t.Fatal(err)
	}
	_, err := ReadMatrix(&b)
	var other *NotMatrixError
	if !errors.As(err, &other) || other.Schema != Schema {
		t.Errorf("%v", err)
	}
}

func TestMergeMatricesMissing(t *testing.T) {
	shard := func(s string) *Matrix { return NewMatrix(Tool{}, s) }
	for _, test := range []struct {
		list    []*Matrix
		missing int
		exit    int
		fails   bool
	}{
		{[]*Matrix{shard("1/2"), shard("2/2")}, 0, ExitOK, false},
		{[]*Matrix{shard("1/3"), shard("3/3")}, 1, ExitNotEstablished, false},
		{[]*Matrix{shard("")}, 0, ExitOK, false},
		{[]*Matrix{shard("1/2"), shard("2/3")}, 0, 0, true},
		{[]*Matrix{shard("x")}, 0, 0, true},
		{[]*Matrix{shard("1/999999999")}, 0, 0, true},
	} {
		for i, m := range test.list {
			m.Started = fmt.Sprintf("2026-11-2%dT00:00:00Z", 9-i)
		}
		m, err := MergeMatrices(test.list, func(_ int, p string) string { return p })
		if (err != nil) != test.fails {
			t.Errorf("%v: %v", test, err)
		} else if err == nil && (len(m.Missing) != test.missing || m.ExitCode() != test.exit ||
			m.Started != test.list[len(test.list)-1].Started) {
			t.Errorf("%v: %v %d", test, m.Missing, m.ExitCode())
		}
	}
}
