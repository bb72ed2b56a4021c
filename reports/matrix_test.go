package reports

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

// TestMatrixWord: a matrix says of a target what its own report says.
func TestMatrixWord(t *testing.T) {
	for _, verdict := range []Verdict{Pass, Warn, Fail, Blocked, NotApplicable} {
		for _, partial := range []bool{false, true} {
			r := New(Tool{}, Target{}, Config{})
			r.Results = []Result{{ID: "A-1", Level: LevelMust, Verdict: verdict, Revision: "2025-11-25", Transport: "stdio"}}
			r.Summarize(SummaryOptions{Partial: partial})
			word := view{r: r}.pronounced()
			column := MatrixColumn("x", r, r.ExitCode(false, false), 0)
			if got := column.Word(); got != strings.ToLower(word) {
				t.Errorf("%s, partial %v: the matrix says %q, the report %q", verdict, partial, got, word)
			}
		}
	}
}

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
		m, err := MergeMatrices(test.list, func(_ int, p string) string { return p })
		if (err != nil) != test.fails {
			t.Errorf("%v: %v", test, err)
		} else if err == nil && (len(m.Missing) != test.missing || m.ExitCode() != test.exit) {
			t.Errorf("%v: %v %d", test, m.Missing, m.ExitCode())
		}
	}
}
