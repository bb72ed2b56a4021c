package proof

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/mcpcheck/mcpcheck/reference"
	"github.com/mcpcheck/mcpcheck/reference/dir"
	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/mcpcheck/mcpcheck/suite"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/target"
)

// tree is a directory with a bit of everything.
func tree(t *testing.T) string {
	t.Helper()
	top := t.TempDir()
	for name, content := range map[string]string{
		"README.md": "# Files\n", "notes.txt": "first\n", "other.txt": "other\n", "empty": "",
		"src/main.go":           "package main\n",
		"src/deep/er/data.json": "{}", "logo.png": "\x89PNG\r\n\x1a\n\x00\x00",
		"with space & ünïcode.txt": "grüße\n",
		"src/bytes.bin":            "\x00\xff\xfe", ".hidden/secret.txt": "secret\n", ".env": "SECRET=1\n",
	} {
		file := filepath.Join(top, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return top
}

// TestDirectory: a directory that the mock serves is conformant in every combination,
// over stdio as a process and over HTTP, where real changes of files are what its
// notifications tell of.
func TestDirectory(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the triggers need a shell")
	}
	top := tree(t)
	program, err := mockserver()
	if err != nil {
		t.Fatal(err)
	}
	files, err := dir.Open(t.Context(), top, dir.Options{PageSize: 4, Tell: func(s string) { t.Error(s) }})
	if err != nil {
		t.Fatal(err)
	}
	server := reference.Start(t, files.World())
	t.Cleanup(func() { _ = files.Close() })
	go files.Watch(t.Context(), server.Server)

	shell := func(uri, command string) *target.Trigger {
		return &target.Trigger{URI: uri, Exec: &target.Exec{Command: []string{"sh", "-c", command}, Dir: top}}
	}
	report, err := suite.Run(t.Context(), suite.Config{
		Target: &target.Target{
			Endpoints: []target.Endpoint{
				{Name: "process", Command: []string{program, "--stdio", "--dir", top, "--page-size", "4"}},
				{Name: "http", URL: server.URL(), Forced: requirement.HTTP},
				{Name: "sse", URL: server.SSEURL(), Forced: requirement.SSE},
			},
			Triggers: target.Triggers{
				Update:      shell("file:///notes.txt", "echo more >> notes.txt"),
				UpdateOther: shell("file:///other.txt", "touch other.txt"),
				Add:         shell("file:///src/deep/added.txt", "echo new > src/deep/added.txt"),
				Remove:      shell("file:///src/deep/added.txt", "rm src/deep/added.txt"),
			},
		},
		Limits: suite.Limits{Timeout: 20 * time.Second, Budget: 4 * time.Minute,
			QuietWindow: 400 * time.Millisecond, Jobs: 4},
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(report.Summary.Combinations) != len(requirement.Grid()) ||
		report.Summary.Outcome != reports.Conformant {
		t.Errorf("%+v", report.Summary)
	}
	for i := range report.Results {
		if x := &report.Results[i]; x.Verdict.Red() || x.Verdict == reports.Blocked {
			t.Error(describe(x))
		}
	}
	for _, o := range report.Observations {
		if o.ID == "corpus-cut-short" { // a matter of how busy the machine is
			continue
		}
		t.Errorf("observed: %s %s %s %s: %s", o.ID, o.Requirement, o.Revision, o.Transport, o.Detail)
	}
}
