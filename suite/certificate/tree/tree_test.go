package tree

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpcheck/mcpcheck/internal/embedded"
	"github.com/mcpcheck/mcpcheck/reference"
	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/mcpcheck/mcpcheck/suite"
	"github.com/mcpcheck/mcpcheck/suite/certificate"
	"github.com/mcpcheck/mcpcheck/suite/target"
)

var (
	tool = reports.Tool{Name: "mcpcheck", Version: "v1.2.3", Catalogue: "2026.11", Commit: "abc"}
	now  = time.Date(2000, 1, 11, 0, 0, 0, 0, time.UTC)
)

// began is when runs begin in simulated time, as a recording says it.
const began = "2000-01-01T00:00:00Z"

var recording = sync.OnceValues(func() ([]byte, error) {
	of, server, err := embedded.Target(reference.Options{})
	if err != nil {
		return nil, err
	}
	defer server.Close()
	of.Endpoints = slices.DeleteFunc(of.Endpoints, func(e target.Endpoint) bool { return e.Pipe == nil })
	of.About = reports.About{Vendor: "VENDOR", Product: "PRODUCT", Version: "VERSION",
		Contact: "me@example.com"}
	only := []string{"PAGE-01"}
	r, err := suite.Prepare(context.Background(), suite.Config{Target: of, Since: "2026-07-28", Only: only,
		Tool: tool})
	if err != nil {
		return nil, err
	}
	r.Execute(context.Background())
	var text bytes.Buffer
	err = r.Record(&text)
	return text.Bytes(), err
})

// certified is a certificate of a product. All of them have one recording, in which the names and the day in
// January of the run are other ones.
func certified(t *testing.T, vendor, product, version string, day int) (*certificate.Certificate,
	*reports.Report) {
	t.Helper()
	var raw []byte
	var err error
	synctest.Test(t, func(*testing.T) { raw, err = recording() })
	if err != nil {
		t.Fatal(err)
	}
	quoted := func(s string) string { text, _ := json.Marshal(s); return string(text) }
	at := fmt.Sprintf("2000-01-%02dT00:00:00Z", day)
	text := strings.NewReplacer(`"VENDOR"`, quoted(vendor), `"PRODUCT"`, quoted(product), `"VERSION"`,
		quoted(version),
		began, at).Replace(string(raw))
	c, err := certificate.New(certificate.Input{Recording: []byte(text), Tool: tool, Certified: now})
	if err != nil {
		t.Fatal(err)
	}
	r, err := c.Report()
	if err != nil {
		t.Fatal(err)
	}
	return c, r
}

// TestCheck: what certify lays out is verified; whatever else is there is named, and each submission that
// does not fit its certificate.
func TestCheck(t *testing.T) {
	dir, words := t.TempDir(), []string{}
	submit := func(vendor, product, version string, day int) string {
		c, r := certified(t, vendor, product, version, day)
		at, err := Submit(dir, c, r)
		if again, e := Submit(dir, c, r); err != nil || e != nil || again != at {
			t.Fatal(err, e)
		}
		return at
	}
	change := func(path, old, now string) {
		text, err := os.ReadFile(path)
		if err == nil {
			err = os.WriteFile(path, bytes.Replace(text, []byte(old), []byte(now), 1), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	check := func(o Options) []string {
		t.Helper()
		o.Tool, o.Now = tool, now
		r, err := Check(t.Context(), dir, o)
		if err != nil {
			t.Fatal(err)
		}
		words = r.Notes
		return r.Problems
	}
	old, sound := submit("Example & Sons", "Files", "1.9", 1), submit("Example & Sons", "Files", "1.10", 8)
	submit("Example & Sons", "Late", "1", 2)
	wrong := submit("Élan", "<b>Notes</b>", "2", 9)
	if got := filepath.ToSlash(wrong[len(dir):]); got != "/u00c9lan/b-notes-b/2" {
		t.Errorf("a product with an unusual name lies in %s", got)
	}
	if problems := check(Options{}); len(problems) > 0 || len(words) != 4 || !strings.Contains(words[0],
		"signed the certificate") {
		t.Fatalf("%q, %q", problems, words)
	}

	change(filepath.Join(sound, "junit.xml"), "PAGE-01", "PAGE-02")
	change(filepath.Join(wrong, "PRODUCT.yaml"), "me@", "you@")
	moved := filepath.Join(filepath.Dir(old), "0.9")
	errs := []error{os.Rename(old, moved), os.WriteFile(filepath.Join(dir, "README.md"), nil, 0o600),
		os.Mkdir(filepath.Join(dir, "_site"), 0o700), os.WriteFile(filepath.Join(dir, "_site", "x"), nil,
			0o600),
		os.WriteFile(filepath.Join(dir, "example-sons", "x\x1b[31m"), nil, 0o600),
		os.MkdirAll(filepath.Join(dir, "v", "p", "empty"), 0o700), os.MkdirAll(filepath.Join(dir, "v", "p",
			"other"), 0o700),
		os.WriteFile(filepath.Join(dir, "v", "p", "other", "index.html"), nil, 0o600),
		os.Symlink("/etc/passwd", filepath.Join(dir, "v", "p", "1"))}
	for _, err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
	o := Options{}
	o.MaxAge = 8 * 24 * time.Hour
	want := []string{
		`example-sons/x\x1b[31m: a file where only directories belong`, "v/p/1: a file where only",
		"example-sons/files/0.9: it is out of date: the run began on 2000-01-01T00:00:00Z, 10 days ago, and",
		"example-sons/files/0.9: by its certificate it belongs into example-sons/files/1.9",
		"example-sons/files/1.10: junit.xml is not what the certificate gives, from line ",
		"example-sons/late/1: it is out of date: the run began on 2000-01-02T00:00:00Z, 9 days ago",
		"u00c9lan/b-notes-b/2: PRODUCT.yaml is not what the certificate gives, from line 4 on",
		"v/p/empty: there is no PRODUCT.yaml", "v/p/other: index.html is no file of a submission",
	}
	if got := check(o); !slices.EqualFunc(got, want, strings.HasPrefix) {
		t.Errorf("the problems are\n%s", strings.Join(got, "\n"))
	}

	// Another mcpcheck has other words, and does not compare those.
	o = Options{}
	o.Tool, o.Now = reports.Tool{Name: "mcpcheck", Version: "v2"}, now
	r, err := Check(t.Context(), dir, o)
	if err != nil || strings.Contains(strings.Join(r.Problems, "\n"), "junit") ||
		!strings.Contains(strings.Join(r.Notes, "\n"),
			"example-sons/files/1.10: only PRODUCT.yaml was compared") {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestSite: a site shows what holds, what is out of date apart, and none of the rest.
func TestSite(t *testing.T) {
	dir := t.TempDir()
	for _, x := range []struct {
		product, version string
		day              int
	}{{"Files", "1", 1}, {"Files", "2", 10}, {"Late", "1", 2}, {"Forged", "1", 9}} {
		c, r := certified(t, "Example", x.product, x.version, x.day)
		if _, err := Submit(dir, c, r); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "example/forged/1/report.html"), []byte("CONFORMANT"),
		0o600); err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	var mu sync.Mutex
	o := Options{Site: func(name string, write func(io.Writer) error) error {
		mu.Lock()
		defer mu.Unlock()
		var b bytes.Buffer
		err := write(&b)
		files[name] = b.Bytes()
		return err
	}}
	o.Tool, o.Now, o.MaxAge = tool, now, 5*24*time.Hour
	r, err := Check(t.Context(), dir, o)
	if err != nil || len(r.Problems) != 3 {
		t.Fatalf("%+v, %v", r, err)
	}
	var index reports.Repository
	if err := json.Unmarshal(files["index.json"], &index); err != nil || len(index.Products) != 2 {
		t.Fatalf("%s, %v", files["index.json"], err)
	}
	if v := index.Products[0].Versions; len(v) != 2 || v[0].Version != "2" || v[0].Expired != "" ||
		v[1].Expired == "" ||
		index.Products[1].Versions[0].Expired == "" {
		t.Errorf("%+v", index.Products)
	}
	for _, name := range []string{"index.html", "servers/example/files/index.html",
		"badges/example/late.svg",
		"certificates/example/files/1/report.html", "certificates/example/files/2/certificate.mcpcert"} {
		if len(files[name]) == 0 {
			t.Errorf("there is no %s: %q", name, slices.Sorted(maps.Keys(files)))
		}
	}
	for name := range files {
		if strings.Contains(name, "forged") {
			t.Errorf("the site has %s", name)
		}
	}
	if _, err := certificate.Read(files["certificates/example/files/2/certificate.mcpcert"]); err != nil {
		t.Error(err)
	}
}

// TestSubmit: a submission needs a product that is known, and replaces another one only if it is asked to.
func TestSubmit(t *testing.T) {
	dir := t.TempDir()
	c, r := certified(t, "Example", "Files", "1", 1)
	if _, err := Submit(dir, c, r); err != nil {
		t.Fatal(err)
	}
	c, r = certified(t, "Example", "Files", "1", 2)
	if _, err := Submit(dir, c, r); err == nil || !strings.Contains(err.Error(),
		"remove it if") {
		t.Error(err)
	}
	if err := os.RemoveAll(filepath.Join(dir, "example")); err != nil {
		t.Fatal(err)
	}
	at, err := Submit(dir, c, r)
	if text, e := os.ReadFile(filepath.Join(at, "README.md")); err != nil || e != nil ||
		!strings.Contains(string(text), "2000-01-02") || !strings.Contains(string(text),
		"mcpcheck verify certificate.mcpcert") {
		t.Errorf("%v, %v, %s", err, e, text)
	}
	for _, name := range []string{"", "..", "/", "-"} {
		_, _, err := Place(&reports.About{Vendor: "a", Product: name, Version: "1"})
		if err == nil || !strings.Contains(err.Error(),
			"give about.product, about.contact in a target file") {
			t.Errorf("%q: %v", name, err)
		}
	}
	if err := os.Symlink(t.TempDir(), filepath.Join(dir, "away")); err != nil {
		t.Fatal(err)
	}
	c, r = certified(t, "away", "Files", "1", 2)
	if at, err := Submit(dir, c, r); err == nil {
		t.Errorf("it was written to %s", at)
	}
}
