package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

// TestFaultsAreFound: by words, area and side; each with what it does and what a good client does.
func TestFaultsAreFound(t *testing.T) {
	for _, test := range []struct {
		args []string
		code int
		has  []string
		not  []string
	}{
		{[]string{"faults", "Cursor", "cycles"}, 0, []string{"page-02-last-page-cycles  PAGE-02\n",
			"needs   --page-size 3\n", "client  Stops the walk at a cursor"}, []string{"page-01"}},
		{[]string{"faults", "--area", "connection"}, 0,
			[]string{"reset\n", "client  Reports that the connection was lost"}, []string{"page-"}},
		{[]string{"faults", "--area", "SEC", "--side", "server"}, 0, []string{"sec-01", "Notices nothing"},
			[]string{"sec-08"}},
		{[]string{"quirks", "cursor"}, 0, []string{"long-cursors", "Works as it does without"}, nil},
		{[]string{"faults", "cyclse"}, 2, []string{"did you mean cycles?"}, nil},
		{[]string{"faults", "cycles", "gnome"}, 2, []string{`no fault has "gnome"`}, nil},
		{[]string{"faults", "cycles", "base64"}, 2, []string{"no fault has all of these words"}, nil},
		{[]string{"faults", "--area", "paeg"}, 2, []string{"did you mean page?"}, nil},
		{[]string{"faults", "--side", "clinet"}, 2, []string{"did you mean client?"}, nil},
		{[]string{"faults", "--stdio"}, 2, []string{"--stdio means nothing to faults"}, nil},
	} {
		var out, errs bytes.Buffer
		code := run(t.Context(), test.args, nil, &out, &errs)
		all := out.String() + errs.String()
		if code != test.code {
			t.Errorf("%q: code %d: %s", test.args, code, errs.String())
		}
		for _, text := range test.has {
			if !strings.Contains(all, text) {
				t.Errorf("%q: there is no %q in %.2000s", test.args, text, all)
			}
		}
		for _, text := range test.not {
			if strings.Contains(all, text) {
				t.Errorf("%q: there is %q", test.args, text)
			}
		}
	}
	var printed bytes.Buffer
	if code := run(t.Context(), []string{"world", "schema"}, nil, &printed, &printed); code != 0 ||
		!json.Valid(printed.Bytes()) {
		t.Errorf("the schema: code %d, %.100s", code, printed.String())
	}
	if code := run(t.Context(), []string{"world", "schema", "x"}, nil, &printed,
		&printed); code != exitUsage {
		t.Errorf("an argument too many: code %d", code)
	}
	var out, errs bytes.Buffer
	var all []listed
	if code := run(t.Context(), []string{"faults", "--json"}, nil, &out, &errs); code != 0 ||
		json.Unmarshal(out.Bytes(), &all) != nil || len(all) < 500 {
		t.Fatalf("code %d, %d faults: %s", code, len(all), errs.String())
	}
	for _, l := range all {
		if l.Summary == "" || (l.Side == sideClient) != (l.Client != "") {
			t.Errorf("%+v", l)
		}
	}
}
