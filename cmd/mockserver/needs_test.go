package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestFaultsGetWhatTheyNeed(t *testing.T) {
	world := filepath.Join(t.TempDir(), "w.yaml")
	if err := os.WriteFile(world, []byte("pageSize: 3\nresources: [{uri: 'a:1', name: a, text: t}]\n"),
		0o600); err != nil {
		t.Fatal(err)
	}
	sizeless := filepath.Join(t.TempDir(), "w.yaml")
	if err := os.WriteFile(sizeless,
		[]byte("resources: [{uri: 'a:1', name: a, text: t}, {uri: 'a:2', name: b, text: t}]\n"),
		0o600); err != nil {
		t.Fatal(err)
	}
	small := filepath.Join(t.TempDir(), "small.yaml")
	if err := os.WriteFile(small,
		[]byte("pageSize: 1\nresources: [{uri: 'a:1', name: a, text: t}, {uri: 'a:2', name: b, text: t}]\n"),
		0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"--world", world, "--page-size", "7"},
			"--page-size 7 takes the place of the pageSize 3 of "},
		{[]string{"--world", world, "--page-size", "3"}, ""},
		{[]string{"--fault", "page-02-last-page-cycles"}, "the page size is "},
		{[]string{"--fault", "page-02-last-page-cycles", "--page-size", "1"}, "add --page-size "},
		{[]string{"--fault", "page-02-last-page-cycles", "--page-size", "2", "--world", sizeless}, ""},
		{[]string{"--quirk", "all-on-one-page", "--page-size", "3"},
			"all-on-one-page is a page size of 10000, in place of which one of 3 is taken"},
		{[]string{"--fault", "page-02-last-page-cycles", "--world", small}, ""},
		{[]string{"--quirk", "single-entries"}, "the page size is 1, which single-entries needs"},
		{[]string{"--quirk", "long-cursors", "--page-size", "5"}, ""},
		{[]string{"--quirk", "no-session-ids"}, "no-session-ids shows over http only"},
		{[]string{"--fault", "batch-04-one-spoils-all", "--revision", "2025-11-25"},
			"shows in 2025-03-26 only"},
		{[]string{"--fault", "canc-05-reads-are-never-freed"}, "shows over http only"},
		{[]string{"--fail", "http503:method=resources/read"},
			"what would get 503 is answered with the error -32603"},
		{[]string{"--fail", "-32001"}, ""},
		{[]string{"--fault", "page-01-null-cursor"}, ""},
	} {
		var out, errs strings.Builder
		if code := run(t.Context(), append(test.args, "--stdio"), strings.NewReader(""), &out,
			&errs); code != 0 {
			t.Errorf("%v: code %d: %s", test.args, code, &errs)
		}
		if got := errs.String(); !strings.Contains(got, test.want) || (test.want == "") != (got == "") {
			t.Errorf("%v: %q", test.args, got)
		}
	}
}
