package output

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/mcpcheck/mcpcheck/internal/terminal"
	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/mcpcheck/mcpcheck/reports/write"
)

// TestCheck: what cannot be written is known before anything is run.
func TestCheck(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	for name, c := range map[string]struct {
		given  Reports
		record string
		want   string // the error has this in it; empty for no error
	}{
		"nothing": {},
		"all of them": {Reports{JUnit: in("a"), JSON: in("b"), HTML: in("c"), Markdown: in("d"),
			SARIF: "-"}, in("e"), ""},
		"two on stdout": {Reports{JUnit: "-", SARIF: "-"}, "",
			"only one report can go to standard output"},
		"one file": {Reports{JSON: in("a"), HTML: in("a")}, "",
			"--json and --html name the same file"},
		"one file, two names": {Reports{JSON: in("a"), HTML: dir + "/./a"}, "",
			"--json and --html name the same file"},
		"the recording's":   {Reports{SARIF: in("a")}, in("a"), "--sarif and --record name the same file"},
		"a recording on -":  {Reports{}, "-", "--record needs a file"},
		"a directory":       {Reports{Markdown: dir}, "", "it is a directory"},
		"no directory":      {Reports{Markdown: in("none/a")}, "", "there is no directory"},
		"quiet and verbose": {Reports{Quiet: true, Verbose: true}, "", "exclude each other"},
	} {
		t.Run(name, func(t *testing.T) {
			err := c.given.Check(c.record)
			if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, not %q", err, c.want)
			}
		})
	}
}

// TestFile: a file is written whole or not at all, and nothing is left beside it.
func TestFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "report")
	broken := errors.New("broken off")
	text := func(s string, err error) func(io.Writer) error {
		return func(w io.Writer) error { _, e := io.WriteString(w, s); return errors.Join(e, err) }
	}
	for _, step := range []struct {
		write func(io.Writer) error
		fails bool
		want  string
	}{{text("first", broken), true, ""}, {text("first", nil), false, "first"},
		{text("second", broken), true, "first"}, {text("second", nil), false, "second"}} {
		if err := File(path, step.write); (err != nil) != step.fails || err != nil &&
			!errors.Is(err, broken) {
			t.Fatal(err)
		}
		got, err := os.ReadFile(path)
		if string(got) != step.want || (err == nil) != (step.want != "") {
			t.Errorf("%q, %v; want %q", got, err, step.want)
		}
	}
	if all, err := os.ReadDir(dir); err != nil || len(all) != 1 {
		t.Errorf("left behind: %v, %v", all, err)
	}
	if err := File(os.DevNull, text("gone", nil)); err != nil {
		t.Error(err)
	}
	if info, err := os.Stat(os.DevNull); err != nil || info.Mode().IsRegular() {
		t.Fatalf("the device was replaced: %v, %v", info, err)
	}
}

// TestWrite: one report that cannot be written keeps no other from being written, and
// one on standard output stands there alone.
func TestWrite(t *testing.T) {
	dir := t.TempDir()
	r := reports.New(reports.Tool{Name: "tool", Version: "1"}, reports.Target{Name: "target"},
		reports.Config{})
	r.Summarize(reports.SummaryOptions{})
	var out bytes.Buffer
	o := Reports{JUnit: filepath.Join(dir, "none", "a"), JSON: filepath.Join(dir, "b")}
	if err := o.Write(&out, r, write.Options{}); err == nil ||
		!strings.Contains(err.Error(), "--junit was not written") {
		t.Errorf("%v", err)
	}
	if data, err := os.ReadFile(o.JSON); err != nil || !bytes.Contains(data, []byte(reports.Schema)) {
		t.Errorf("%q, %v", data, err)
	}
	if !strings.Contains(out.String(), "target") {
		t.Errorf("the results are not shown: %q", out.String())
	}
	for _, o := range []Reports{{JSON: "-"}, {JSON: o.JSON, FilesOnly: true}} {
		out.Reset()
		if err := o.Write(&out, r, write.Options{}); err != nil {
			t.Fatal(err)
		}
		if alone := out.Len() == 0 || strings.HasPrefix(out.String(), "{"); !alone || o.JSON == "-" &&
			out.Len() == 0 {
			t.Errorf("on standard output: %q", out.String())
		}
	}
}

// TestFileKeepsLinksAndPermissions: a report comes into the place of another as the
// shell would put it there.
func TestFileKeepsLinksAndPermissions(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there are no such permissions")
	}
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	write := func(w io.Writer) error { _, err := io.WriteString(w, "new"); return err }
	plain, err := os.OpenFile(in("plain"), os.O_CREATE, 0o666) // what the user's mask makes of it
	if err != nil {
		t.Fatal(err)
	}
	defer plain.Close()
	if err := errors.Join(os.WriteFile(in("private"), []byte("old"), 0o600),
		os.WriteFile(in("shared"), nil, 0o600), os.Chmod(in("shared"), 0o664),
		os.Symlink("private", in("link")), os.Symlink("later", in("dangling"))); err != nil {
		t.Fatal(err)
	}
	usual, err := plain.Stat()
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]os.FileMode{"fresh": usual.Mode(), "link": 0o600, "shared": 0o664,
		"dangling": usual.Mode()} {
		if err := File(in(name), write); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(in(name))
		if err != nil || info.Mode() != want || info.Size() != 3 {
			t.Errorf("%s: %v, %v; want %v", name, info, err, want)
		}
	}
	for _, name := range []string{"link", "dangling"} {
		if info, err := os.Lstat(in(name)); err != nil || info.Mode().Type() != os.ModeSymlink {
			t.Errorf("%s is no link any more: %v", name, err)
		}
	}
}

// TestFileBesideWhichNothingFits: what stands there is only touched where its directory
// is closed to us, and then once there is something to replace it.
func TestFileBesideWhichNothingFits(t *testing.T) {
	dir := t.TempDir()
	long := filepath.Join(dir, strings.Repeat("n", 250)) // no name beside it is short enough
	closed := filepath.Join(dir, "closed")
	inside := filepath.Join(closed, "report")
	if err := errors.Join(os.Mkdir(closed, 0o700), os.WriteFile(long, []byte("old"), 0o600),
		os.WriteFile(inside, []byte("old"), 0o600), os.Chmod(closed, 0o500)); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(closed, 0o700)
	broken := errors.New("broken off")
	text := func(err error) func(io.Writer) error {
		return func(w io.Writer) error { _, e := io.WriteString(w, "new"); return errors.Join(e, err) }
	}
	holds := func(path, want string) {
		if got, err := os.ReadFile(path); err != nil || string(got) != want {
			t.Errorf("%q, %v; want %q", got, err, want)
		}
	}
	for _, path := range []string{long, inside} {
		if err := File(path, text(broken)); err == nil {
			t.Errorf("%s is written", path)
		}
		holds(path, "old")
	}
	// As if the directory were closed, where the test may write to any.
	p, err := find(inside)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.over(text(broken)); !errors.Is(err, broken) {
		t.Errorf("%v", err)
	}
	holds(inside, "old")
	if err := File(inside, text(nil)); err != nil {
		t.Fatal(err)
	}
	holds(inside, "new")
}

// TestWriteToNobody: files are written before standard output, which may be closed.
func TestWriteToNobody(t *testing.T) {
	r := reports.New(reports.Tool{Name: "tool", Version: "1"}, reports.Target{Name: "target"},
		reports.Config{})
	r.Summarize(reports.SummaryOptions{})
	o := Reports{JUnit: "-", HTML: filepath.Join(t.TempDir(), "a")}
	seen := false
	err := o.Write(writerFunc(func([]byte) (int, error) {
		_, err := os.Stat(o.HTML)
		seen = err == nil
		return 0, io.ErrClosedPipe
	}), r, write.Options{})
	if err == nil || !strings.Contains(err.Error(), "--junit was not written") || !seen {
		t.Errorf("%v; the file was there before: %t", err, seen)
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(data []byte) (int, error) { return f(data) }

// TestGone: a reader who has gone away is told from everything else that went wrong, also beside it.
func TestGone(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("pipes break with other errors")
	}
	reader, stdout, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer stdout.Close()
	_ = reader.Close()
	_, gone := stdout.WriteString("a")
	other := &os.PathError{Op: "write", Path: "b", Err: errors.Unwrap(gone)}
	for _, test := range []struct {
		err  error
		want bool
	}{
		{gone, true}, {fmt.Errorf("the results: %w", gone), true},
		{fmt.Errorf("both: %w", errors.Join(gone, gone)), true},
		{nil, false}, {errors.Unwrap(gone), false}, {other, false}, {errors.Join(gone, other), false},
	} {
		if got := Gone(stdout, test.err); got != test.want {
			t.Errorf("%v: %v", test.err, got)
		}
	}
	if Gone(new(bytes.Buffer), gone) {
		t.Error("what is no file has no reader who goes")
	}
}

// TestWritable: what [File] can write is told before, and nothing is left of the look.
func TestWritable(t *testing.T) {
	dir := t.TempDir()
	locked := filepath.Join(dir, "locked")
	if err := os.WriteFile(locked, []byte("x"), 0o400); err != nil { // which is replaced, not written to
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		filepath.Join(dir, "new"): "", locked: "", os.DevNull: "",
		dir: "it is a directory", filepath.Join(dir, "none", "new"): "there is no directory",
		filepath.Join(locked, "new"): "there is no directory",
	} {
		if err := Writable(path); (err == nil) != (want == "") || err != nil &&
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("left are %v, %v", left, err)
	}
}

// TestCommands: no report commands a CI system whose log shows it.
func TestCommands(t *testing.T) {
	dir := t.TempDir()
	const said = "::error::owned\n##[error]owned ##vso[task.complete]"
	r := reports.New(reports.Tool{Name: "mcpcheck"}, reports.Target{Name: said}, reports.Config{})
	r.Results = []reports.Result{{
		ID: "PAGE-02", Title: "t", Level: "MUST", Revision: "2025-11-25", Transport: "stdio",
		Verdict: reports.Fail, Expected: said, Actual: said, Hint: said,
	}}
	r.Summarize(reports.SummaryOptions{})
	command := regexp.MustCompile(`(?m)^\s*::|##\w*\[`)
	in := func(name string) string { return filepath.Join(dir, name) }
	files := Reports{JUnit: in("junit"), JSON: in("json"), HTML: in("html"), Markdown: in("markdown"),
		SARIF: in("sarif")}
	var console bytes.Buffer
	err := files.Write(terminal.Harmless(&console), r, write.Options{})
	all := map[string][]byte{"console": console.Bytes()}
	for name, path := range files.Given() {
		text, e := os.ReadFile(path)
		all[name], err = text, errors.Join(err, e)
	}
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range all {
		if found := command.Find(text); found != nil || !bytes.Contains(text, []byte("owned")) {
			t.Errorf("%s has %q:\n%s", name, found, text)
		}
	}
	f, err := os.Open(in("json"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if read, err := reports.ReadJSON(f); err != nil || read.Target.Name != said ||
		read.Results[0].Actual != said {
		t.Errorf("%v, %+v", err, read)
	}
}
