package dir

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcpcheck/mcpcheck/reference/world"
)

// write writes files, with the directories that they need.
func write(t *testing.T, top string, files map[string]string) {
	t.Helper()
	for name, content := range files {
		file := filepath.Join(top, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func open(t *testing.T, top string, o Options) *Dir {
	t.Helper()
	d, err := Open(t.Context(), top, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

func listed(d *Dir) []string {
	var uris []string
	for _, r := range d.World().Resources {
		uris = append(uris, r.URI)
	}
	return uris
}

func TestListShowsWhatThereIs(t *testing.T) {
	top := t.TempDir()
	write(t, top, map[string]string{
		"b.md": "# b\n", "a/z.txt": "z", "a/b/c.json": "{}", "a b%é?#.txt": "x", ".env": "secret",
		".git/config": "secret", "a/.x": "secret",
		"unknown": "plain text", "bytes": "\x00\x01", "wrong.txt": "\xff\xfe\x00",
	})
	d := open(t, top, Options{})
	want := []string{"file:///a%20b%25%C3%A9%3F%23.txt", "file:///a/b/c.json", "file:///a/z.txt",
		"file:///b.md", "file:///bytes", "file:///unknown", "file:///wrong.txt"}
	if got := listed(d); !slices.Equal(got, want) {
		t.Errorf("listed %q", got)
	}
	types := map[string]string{"file:///b.md": "text/markdown", "file:///unknown": "text/plain",
		"file:///bytes": "application/octet-stream", "file:///wrong.txt": "application/octet-stream"}
	w := d.World()
	for uri, mimeType := range types {
		if r := w.Resource(uri); r.MIMEType != mimeType {
			t.Errorf("%s: %s", uri, r.MIMEType)
		}
	}
	r := w.Resource("file:///a/z.txt")
	if r.Name != "z.txt" || *r.Size != 1 || r.Annotations.LastModified == "" {
		t.Errorf("%+v", r)
	}
	if err := w.Validate(); err != nil {
		t.Error(err)
	}
	if found := w.Lint(); len(found) > 0 {
		t.Error(found)
	}
	if got := listed(open(t, top, Options{Hidden: true})); len(got) != len(want)+3 {
		t.Errorf("with hidden ones: %q", got)
	}
}

// fetch reads by way of the template, as clients can read whatever path they think of.
func fetch(d *Dir, path string) (world.Content, error) {
	r, ok := finder{d}.Find(context.Background(), map[string]string{"path": path})
	if !ok {
		return world.Content{}, fs.ErrNotExist
	}
	return r.Source.Fetch(context.Background())
}

func TestReads(t *testing.T) {
	top := t.TempDir()
	write(t, top, map[string]string{"a.txt": "grüße\n", "a.bin": "\x00", "empty": "",
		"latin1.txt": "gr\xfc\xdfe", "large": strings.Repeat("x", 101), "fits": strings.Repeat("x", 100)})
	d := open(t, top, Options{MaxSize: 100})
	for path, want := range map[string]world.Content{
		"a.txt":      {Data: []byte("grüße\n"), MIMEType: "text/plain"},
		"a.bin":      {Data: []byte{0}, Binary: true, MIMEType: "application/octet-stream"},
		"empty":      {Data: []byte{}, MIMEType: "text/plain"},
		"latin1.txt": {Data: []byte("gr\xfc\xdfe"), Binary: true, MIMEType: "application/octet-stream"},
		"fits":       {Data: []byte(strings.Repeat("x", 100)), MIMEType: "text/plain"},
	} {
		got, err := fetch(d, path)
		if err != nil || string(got.Data) != string(want.Data) || got.Binary != want.Binary ||
			got.MIMEType != want.MIMEType {
			t.Errorf("%s: %+v, %v", path, got, err)
		}
	}
	_, err := fetch(d, "large")
	if err == nil || errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "100 bytes") ||
		strings.Contains(err.Error(), top) {
		t.Errorf("too large a file: %v", err)
	}
}

// unreachable are paths that lead out of the directory, or to what is not shown.
func TestNothingOutsideCanBeRead(t *testing.T) {
	parent := t.TempDir()
	top := filepath.Join(parent, "served")
	write(t, parent, map[string]string{"secret.txt": "secret", "served/a.txt": "a", "served/sub/b.txt": "b",
		"served/.env": "secret", "served/.d/x": "secret", "secrets/s": "secret"})
	links := map[string]string{
		"out": "../secret.txt", "absolute": filepath.Join(parent, "secret.txt"), "outdir": "../secrets",
		"sub/up": "../../secret.txt",
		"inside": "a.txt", "insidedir": "sub", "loop": "loop", "dangling": "nothing", "twice": "out",
		"roundabout": "../served/a.txt",
	}
	for name, target := range links {
		if err := os.Symlink(target, filepath.Join(top, name)); err != nil {
			t.Skip("no symbolic links here: ", err)
		}
	}
	d := open(t, top, Options{})
	if got, want := listed(d), []string{"file:///a.txt", "file:///inside",
		"file:///sub/b.txt"}; !slices.Equal(got, want) {
		t.Errorf("listed %q", got)
	}
	for _, path := range []string{
		"../secret.txt", "..", ".", "", "/", "/etc/passwd", "sub/../../secret.txt", "sub/../a.txt", "./a.txt",
		"a.txt/", "sub//b.txt", "sub", "a.txt/b", "\x00", "a.txt\x00",
		"out", "absolute", "outdir/s", "outdir", "sub/up", "loop", "dangling", "twice", "roundabout", ".env",
		".d/x", "nothing",
		strings.Repeat("x/", 5000) + "x", strings.Repeat("x", 10000), filepath.Join(parent, "secret.txt"),
	} {
		if c, err := fetch(d, path); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%q yields %q, %v", path, c.Data, err)
		}
		if c, err := (source{d, path}).Fetch(t.Context()); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%q yields %q, %v", path, c.Data, err)
		}
	}
	for _, path := range []string{"a.txt", "inside", "insidedir/b.txt"} {
		if _, err := fetch(d, path); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
	// What has been listed may become a link out.
	if err := errors.Join(os.Remove(filepath.Join(top, "a.txt")),
		os.Symlink("../secret.txt", filepath.Join(top, "a.txt"))); err != nil {
		t.Fatal(err)
	}
	if c, err := (source{d, "a.txt"}).Fetch(t.Context()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a swapped link yields %q, %v", c.Data, err)
	}
}

// TestLinksToWhatIsHidden: a hidden name anywhere on the way of a link hides it, too, unless what is hidden
// is shown.
func TestLinksToWhatIsHidden(t *testing.T) {
	parent := t.TempDir()
	top := filepath.Join(parent, "served")
	write(t, top, map[string]string{"a.txt": "a", "sub/b.txt": "b", "sub/.c": "secret", ".env": "secret",
		".d/x": "secret", ".d/e/y": "secret", "sub/.h/z": "secret"})
	hidden := map[string]string{ // by what they are called, and what is read there
		"env": ".env", "dotted": "./.env", "sub/up": "../.env", "sub/same": ".c", "twice": "env",
		"sub/twice": "../twice", "in": ".d/x", "deep": "sub/.h/z",
		"around": "sub/../.d/e/../x", "from": ".d/../.d/x", "d": ".d", "over": "d/x", "sub/over": "../d/e/y",
		"loose": ".link", ".link": "a.txt", "back": "d/e/../x",
	}
	shown := map[string]string{"a": "a.txt", "two": "a", "sub/a": "../a.txt", "s": "sub", "b": "s/b.txt",
		"round": "sub/../a.txt"}
	for _, links := range []map[string]string{hidden, shown} {
		for name, target := range links {
			if err := os.Symlink(filepath.FromSlash(target),
				filepath.Join(top, filepath.FromSlash(name))); err != nil {
				t.Skip("no symbolic links here: ", err)
			}
		}
	}
	d := open(t, top, Options{})
	if got, want := listed(d), []string{"file:///a", "file:///a.txt", "file:///b", "file:///round",
		"file:///sub/a", "file:///sub/b.txt", "file:///two"}; !slices.Equal(got, want) {
		t.Errorf("listed %q", got)
	}
	delete(hidden, "d")
	hidden["d/x"], hidden["d/e/y"], hidden["s/.c"], hidden["s/up"], hidden["s/same"] = "", "", "", "", ""
	all := open(t, top, Options{Hidden: true})
	for name := range hidden {
		if c, err := fetch(d, name); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s yields %q, %v", name, c.Data, err)
		}
		if c, err := (source{d, name}).Fetch(t.Context()); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s yields %q, %v", name, c.Data, err)
		}
		if c, err := fetch(all, name); err != nil || len(c.Data) == 0 {
			t.Errorf("where all is shown %s yields %q, %v", name, c.Data, err)
		}
	}
	for _, name := range []string{"a", "two", "sub/a", "b", "round", "s/b.txt", "s/a"} {
		if _, err := fetch(d, name); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, path := range (finder{d}).Suggest(t.Context(), "path", "") {
		if _, is := hidden[path]; is {
			t.Errorf("%s is suggested", path)
		}
	}
}

// TestLinksThatCome: what was listed as a file or a directory, and is a link to what is hidden now, is
// neither read nor listed, and no server hears of it.
func TestLinksThatCome(t *testing.T) {
	top := t.TempDir()
	write(t, top, map[string]string{"a.txt": "a", "sub/x": "x", ".d/x": "secret", ".d/y": "secret"})
	at := func(name string) string { return filepath.Join(top, name) }
	d := open(t, top, Options{})
	if err := errors.Join(os.RemoveAll(at("sub")), os.Symlink(".d", at("sub")), os.Remove(at("a.txt")),
		os.Symlink(".d/x", at("a.txt"))); err != nil {
		t.Skip("no symbolic links here: ", err)
	}
	for _, name := range []string{"a.txt", "sub/x", "sub/y"} {
		if c, err := fetch(d, name); err == nil {
			t.Errorf("%s yields %q", name, c.Data)
		}
		if c, err := (source{d, name}).Fetch(t.Context()); err == nil {
			t.Errorf("%s yields %q", name, c.Data)
		}
	}
	d.mu.Lock()
	found := d.scan(t.Context(), "sub") // as if it had still been a directory when it was looked at
	d.mu.Unlock()
	if len(found) > 0 {
		t.Errorf("found %v", found)
	}
	r := &recorder{put: map[string]world.Resource{}, puts: map[string]int{}, removed: map[string]int{},
		touched: map[string]int{}}
	d.settle(t.Context(), pending{"a.txt": true, "sub": true, "sub/y": true}, r)
	if len(r.puts)+len(r.touched) > 0 || r.removed["file:///a.txt"] != 1 || r.removed["file:///sub/x"] != 1 {
		t.Errorf("told of %v, %v and %v", r.puts, r.touched, r.removed)
	}
}

// TestLinksThatComeMeanwhile: a directory that is a link to what is hidden every other moment yields nothing
// of that.
func TestLinksThatComeMeanwhile(t *testing.T) {
	top := t.TempDir()
	write(t, top, map[string]string{"sub/x": "x", ".d/x": "secret"})
	at := func(name string) string { return filepath.Join(top, name) }
	if err := os.Symlink(".d", at(".link")); err != nil {
		t.Skip("no symbolic links here: ", err)
	}
	d := open(t, top, Options{})
	const rounds = 1000
	done := make(chan struct{})
	go func() {
		defer close(done)
		for range rounds {
			for _, names := range [][2]string{{"sub", ".real"}, {".link", "sub"}, {"sub", ".link"},
				{".real", "sub"}} {
				_ = os.Rename(at(names[0]), at(names[1])) // which Windows may refuse while it is open
			}
		}
	}()
	for swapping := true; swapping; {
		select {
		case <-done:
			swapping = false
		default:
		}
		if c, err := (source{d, "sub/x"}).Fetch(t.Context()); err == nil && string(c.Data) != "x" {
			t.Fatalf("it yields %q", c.Data)
		}
	}
}

func TestUnreadable(t *testing.T) {
	if runtime.GOOS == "windows" || os.Geteuid() == 0 {
		t.Skip("everything can be read by this user")
	}
	top := t.TempDir()
	write(t, top, map[string]string{"a.txt": "a", "closed/b.txt": "b"})
	if err := errors.Join(os.Chmod(filepath.Join(top, "a.txt"), 0), os.Chmod(filepath.Join(top, "closed"),
		0)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(filepath.Join(top, "closed"), 0o700) })
	var told []string
	d := open(t, top, Options{Tell: func(s string) { told = append(told, s) }})
	if _, err := fetch(d, "a.txt"); !errors.Is(err, errUnreadable) {
		t.Errorf("%v", err)
	}
	if len(told) != 1 || !strings.Contains(told[0], "the directory closed cannot be read") {
		t.Errorf("told %q", told)
	}
}

func TestOpenSaysWhatIsWrong(t *testing.T) {
	top := t.TempDir()
	write(t, top, map[string]string{"file": ""})
	for _, path := range []string{filepath.Join(top, "nothing"), filepath.Join(top, "file"), ""} {
		d, err := Open(t.Context(), path, Options{})
		if err == nil {
			_ = d.Close()
			t.Errorf("%q is opened", path)
		} else if !strings.HasPrefix(err.Error(), "the directory ") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v", path, err)
		}
	}
	if _, err := Open(t.Context(), top, Options{MaxFiles: -1}); err == nil {
		t.Error("a negative bound")
	}
}

func TestBounds(t *testing.T) {
	top := t.TempDir()
	write(t, top, map[string]string{"a": "", "b": "", "c": "", "d/e": "", "f/g": ""})
	var told []string
	d := open(t, top, Options{MaxFiles: 2, MaxWatches: 1, Tell: func(s string) { told = append(told, s) }})
	if got := listed(d); len(got) != 2 {
		t.Errorf("listed %q", got)
	}
	if _, err := fetch(d, "f/g"); err != nil {
		t.Errorf("what is not listed cannot be read: %v", err)
	}
	d = open(t, top, Options{MaxWatches: 1, Tell: func(s string) { told = append(told, s) }})
	if len(told) != 2 || !strings.Contains(told[0], "more than 2 files") ||
		!strings.Contains(told[1], "more than 1 directories") {
		t.Errorf("told %q", told)
	}
	if len(d.World().Resources) != 5 {
		t.Error("what is not watched is not listed")
	}
}

func TestSuggestions(t *testing.T) {
	top := t.TempDir()
	write(t, top, map[string]string{"docs/a": "", "docs/b": "", "Docs.md": "", "x": ""})
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		t.Skip("names differ by more than case only where case counts")
	}
	got := finder{open(t, top, Options{})}.Suggest(t.Context(), "path", "doc")
	if !slices.Equal(got, []string{"Docs.md", "docs/a", "docs/b"}) {
		t.Errorf("%q", got)
	}
}

// recorder takes what a server is told.
type recorder struct {
	mu      sync.Mutex
	put     map[string]world.Resource
	puts    map[string]int
	removed map[string]int
	touched map[string]int
	calls   int
	news    chan struct{}
}

func watching(t *testing.T, d *Dir) *recorder {
	t.Helper()
	r := &recorder{put: map[string]world.Resource{}, puts: map[string]int{}, removed: map[string]int{},
		touched: map[string]int{}, news: make(chan struct{}, 1)}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		d.Watch(ctx, r)
	}()
	t.Cleanup(func() {
		cancel()
		<-done
	})
	return r
}

func (r *recorder) changed() {
	select {
	case r.news <- struct{}{}:
	default:
	}
}

func (r *recorder) Change(put []world.Resource, remove []string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.calls++
	for _, res := range put {
		r.put[res.URI] = res
		r.puts[res.URI]++
		delete(r.removed, res.URI)
	}
	for _, uri := range remove {
		r.removed[uri]++
		delete(r.put, uri)
	}
	r.changed()
	return nil
}

func (r *recorder) Touch(uri string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.touched[uri]++
	r.changed()
	return true
}

// wait waits until the server has been told of something.
func (r *recorder) wait(t *testing.T, what string, is func() bool) {
	t.Helper()
	limit := time.After(30 * time.Second)
	for {
		r.mu.Lock()
		ok := is()
		r.mu.Unlock()
		if ok {
			return
		}
		select {
		case <-r.news:
		case <-limit:
			t.Fatalf("not told of in time: %s", what)
		}
	}
}

func TestChangesAreToldOf(t *testing.T) {
	top := t.TempDir()
	write(t, top, map[string]string{"a.txt": "a", "sub/b.txt": "b", "same.txt": "1"})
	d := open(t, top, Options{Debounce: 10 * time.Millisecond})
	if d.watcher == nil {
		t.Skip("files are not watched here")
	}
	r := watching(t, d)

	write(t, top, map[string]string{"a.txt": "longer"})
	r.wait(t, "a change", func() bool {
		return r.put["file:///a.txt"].Size != nil && *r.put["file:///a.txt"].Size == 6
	})

	write(t, top, map[string]string{"same.txt": "2"}) // in the same second and of the same size
	r.wait(t, "a change of nothing but content", func() bool { return r.puts["file:///same.txt"] > 0 })

	later := time.Now().Add(time.Hour)
	if err := os.Chtimes(filepath.Join(top, "sub", "b.txt"), later, later); err != nil {
		t.Fatal(err)
	}
	r.wait(t, "a touch", func() bool { return r.puts["file:///sub/b.txt"] > 0 })

	write(t, top, map[string]string{"new/deep/c.txt": "c"})
	r.wait(t, "a file in new directories", func() bool { return r.puts["file:///new/deep/c.txt"] > 0 })
	write(t, top, map[string]string{"new/deep/d.txt": "d"})
	r.wait(t, "a further file in a new directory", func() bool {
		return r.puts["file:///new/deep/d.txt"] > 0
	})

	if err := os.Rename(filepath.Join(top, "new"), filepath.Join(top, "a-new")); err != nil {
		t.Fatal(err)
	}
	r.wait(t, "a renamed directory", func() bool {
		return r.removed["file:///new/deep/c.txt"] == 1 && r.removed["file:///new/deep/d.txt"] == 1 &&
			r.puts["file:///a-new/deep/c.txt"] > 0
	})
	write(t, top, map[string]string{"a-new/deep/e.txt": "e"})
	r.wait(t, "a file in a renamed directory", func() bool { return r.puts["file:///a-new/deep/e.txt"] > 0 })

	if err := os.RemoveAll(filepath.Join(top, "a-new")); err != nil {
		t.Fatal(err)
	}
	r.wait(t, "a removed directory", func() bool { return r.removed["file:///a-new/deep/e.txt"] == 1 })

	write(t, top, map[string]string{".hidden": "h", "saved.tmp": "s"})
	if err := os.Rename(filepath.Join(top, "saved.tmp"), filepath.Join(top, "a.txt")); err != nil {
		t.Fatal(err)
	}
	r.wait(t, "a file that is replaced by renaming", func() bool { return *r.put["file:///a.txt"].Size == 1 })
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.puts["file:///.hidden"] > 0 {
		t.Error("told of a hidden file")
	}
	if got := listed(d); !slices.Equal(got, []string{"file:///a.txt", "file:///same.txt",
		"file:///sub/b.txt"}) {
		t.Errorf("listed %q in the end", got)
	}
}

func TestManyChangesAreToldOfTogether(t *testing.T) {
	top := t.TempDir()
	d := open(t, top, Options{Debounce: 200 * time.Millisecond})
	if d.watcher == nil {
		t.Skip("files are not watched here")
	}
	r := watching(t, d)
	files := map[string]string{}
	for _, name := range strings.Split("abcdefghijklmnopqrstuvwxyz", "") {
		files["d/"+name] = name
	}
	write(t, top, files)
	r.wait(t, "all files", func() bool { return len(r.put) == len(files) })
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.calls > 5 {
		t.Errorf("told %d times", r.calls)
	}
}

func TestUnlistedFilesAreToldOf(t *testing.T) {
	top := t.TempDir()
	write(t, top, map[string]string{"a": "", "b": ""})
	d := open(t, top, Options{MaxFiles: 1, Debounce: 10 * time.Millisecond})
	if d.watcher == nil {
		t.Skip("files are not watched here")
	}
	r := watching(t, d)
	write(t, top, map[string]string{"b": "changed"})
	r.wait(t, "a change of a file that is not listed", func() bool { return r.touched["file:///b"] > 0 })
}

func TestNamesBecomeURIs(t *testing.T) {
	for path, want := range map[string]string{
		"a/b.txt": "file:///a/b.txt", "a b": "file:///a%20b", "100%": "file:///100%25", "ü": "file:///%C3%BC",
		"\xff": "file:///%FF", "a?b#c[d]": "file:///a%3Fb%23c%5Bd%5D",
	} {
		if got := fileURI(path); got != want || world.CheckURI(got) != nil {
			t.Errorf("%q: %s", path, got)
		}
	}
}

// TestEndDoesNotWaitForALook: who ends the program, or closes the directory, need not wait until all files
// have been looked at.
func TestEndDoesNotWaitForALook(t *testing.T) {
	top := t.TempDir()
	write(t, top, map[string]string{"a/1": "", "b/2": "", "c/3": ""})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	// The second directory is told of: more are not watched.
	if d, err := Open(ctx, top, Options{MaxWatches: 1, Tell: func(string) { cancel() }}); !errors.Is(err,
		context.Canceled) {
		t.Errorf("%v, %v", d, err)
	}

	ctx, cancel = context.WithCancel(t.Context())
	defer cancel()
	d := open(t, top, Options{MaxFiles: 3, Tell: func(string) { cancel() }})
	write(t, top, map[string]string{"a/0": ""})
	// the fourth file is announced; a server would hear of the third, which has gone
	d.settle(ctx, pending{".": true}, nil)
	if got := listed(d); ctx.Err() == nil ||
		!slices.Equal(got, []string{"file:///a/1", "file:///b/2", "file:///c/3"}) {
		t.Errorf("%v, listed %q", ctx.Err(), got)
	}
}

// TestManyNewFiles: what is known of other files is not looked through for each of them.
func TestManyNewFiles(t *testing.T) {
	top := t.TempDir()
	d := open(t, top, Options{})
	if d.watcher == nil {
		t.Skip("files are not watched here")
	}
	paths := many(t, top, 2000)
	r := &recorder{put: map[string]world.Resource{}, puts: map[string]int{}, removed: map[string]int{},
		touched: map[string]int{}}
	d.settle(t.Context(), paths, r)
	if len(r.put) != len(paths) || d.files.looked > 2*len(paths) {
		t.Errorf("%d files are told of, with a look at %d", len(r.put), d.files.looked)
	}
	if err := os.RemoveAll(top); err != nil {
		t.Fatal(err)
	}
	d.settle(t.Context(), pending{"d0": true, "d1": true}, r)
	if len(r.put) != 0 || len(d.files.within) != 0 || d.files.looked > 4*len(paths) {
		t.Errorf("%d files are left, in %d directories, after a look at %d", len(r.put), len(d.files.within),
			d.files.looked)
	}
}
