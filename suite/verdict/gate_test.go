package verdict_test

import (
	"testing"

	"github.com/mcpcheck/mcpcheck/suite/area/areatest"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	rt "github.com/mcpcheck/mcpcheck/suite/recording/recordtest"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
)

// What is declared in the wrong way is judged where declarations are.
func TestWithholds(t *testing.T) {
	for _, test := range []struct {
		declared string
		holds    bool
	}{
		{`{"capabilities":{"resources":{}}}`, true},
		{`{"capabilities":{"resources":{"listChanged":false}}}`, true},
		{`{"capabilities":{"resources":{"listChanged":true}}}`, false},
		{`{"capabilities":{"resources":{"listChanged":null}}}`, false},
		{`{"capabilities":{"resources":{"listChanged":"yes"}}}`, false},
		{`{"capabilities":{"resources":[]}}`, false},
		{`{"capabilities":{}}`, false},
		{``, false},
	} {
		skip := verdict.Withholds("resources.listChanged").Skip(
			&recording.Facts{Declared: []byte(test.declared)})
		if holds := skip == nil; holds != test.holds {
			t.Errorf("%s: %t (%v)", test.declared, holds, skip)
		}
	}
}

// A target that lists legacy revisions is not modern-only, even if they were not tried.
func TestModernOnly(t *testing.T) {
	for declared, holds := range map[string]bool{
		`{"supportedVersions":["2026-07-28","2027-01-01"]}`: true,
		`{"supportedVersions":["2026-07-28","2025-11-25"]}`: false,
		``: true,
	} {
		skip := verdict.ModernOnly.Skip(&recording.Facts{Declared: []byte(declared)})
		if (skip == nil) != holds {
			t.Errorf("%s: %v", declared, skip)
		}
	}
}

// Where every read is refused as an unknown method, a refused read says nothing.
func TestReadsUnknown(t *testing.T) {
	read := func(code string) *recording.Recording {
		return rt.New(recording.Reads, &recording.Facts{},
			areatest.Lines(areatest.Refusal("read", "resources/read", `{"uri":"a:1"}`, code))...)
	}
	for code, want := range map[string]bool{"-32601": true, "-32002": false} {
		v := verdict.New(&recording.Recording{}, verdict.Recordings{recording.Reads: read(code)})
		if got := v.ReadsUnknown(); got != want {
			t.Errorf("%s: %t", code, got)
		}
	}
	if verdict.New(&recording.Recording{}, nil).ReadsUnknown() {
		t.Error("nothing was read")
	}
}
