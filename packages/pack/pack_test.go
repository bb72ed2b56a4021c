package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"encoding/csv"
	"encoding/json"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// packed runs the program at the top of the repository with programs that are none, and returns
// what it wrote, by the name of the file.
func packed(t *testing.T, version, platforms string) map[string][]byte {
	t.Helper()
	t.Chdir(filepath.Join("..", ".."))
	programs, out := t.TempDir(), t.TempDir()
	for _, name := range []string{"mcpcheck", "mockserver", "mcpcheck.exe", "mockserver.exe"} {
		if err := os.WriteFile(filepath.Join(programs, name), []byte("this is "+name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for p := range strings.SplitSeq(platforms, ",") {
		if err := run(options{version: version, platforms: p, programs: programs, out: out},
			nil); err != nil {
			t.Fatal(err)
		}
	}
	written := map[string][]byte{}
	paths, err := filepath.Glob(filepath.Join(out, "*", "mcpcheck*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		if written[filepath.Base(path)], err = os.ReadFile(path); err != nil {
			t.Fatal(err)
		}
	}
	return written
}

const everywhere = "linux/amd64,linux/arm64,darwin/amd64,darwin/arm64,windows/amd64,windows/arm64"

// TestNames: every platform has a package and a wheel, each under the name by which its package
// manager finds it, and the same input makes the same bytes.
func TestNames(t *testing.T) {
	first := packed(t, "1.2.3-rc.4", everywhere)
	want := []string{
		"mcpcheck-1.2.3-rc.4.tgz",
		"mcpcheck-darwin-arm64-1.2.3-rc.4.tgz",
		"mcpcheck-darwin-x64-1.2.3-rc.4.tgz",
		"mcpcheck-linux-arm64-1.2.3-rc.4.tgz",
		"mcpcheck-linux-x64-1.2.3-rc.4.tgz",
		"mcpcheck-win32-arm64-1.2.3-rc.4.tgz",
		"mcpcheck-win32-x64-1.2.3-rc.4.tgz",
		"mcpcheck_conformance-1.2.3rc4-py3-none-macosx_12_0_arm64.whl",
		"mcpcheck_conformance-1.2.3rc4-py3-none-macosx_12_0_x86_64.whl",
		"mcpcheck_conformance-1.2.3rc4-py3-none-manylinux_2_17_aarch64." +
			"manylinux2014_aarch64.musllinux_1_1_aarch64.whl",
		"mcpcheck_conformance-1.2.3rc4-py3-none-manylinux_2_17_x86_64." +
			"manylinux2014_x86_64.musllinux_1_1_x86_64.whl",
		"mcpcheck_conformance-1.2.3rc4-py3-none-win_amd64.whl",
		"mcpcheck_conformance-1.2.3rc4-py3-none-win_arm64.whl",
	}
	if got := slices.Sorted(maps.Keys(first)); !slices.Equal(got, want) {
		t.Fatalf("there are\n%s", strings.Join(got, "\n"))
	}
	t.Chdir(filepath.Join("packages", "pack"))
	for name, data := range packed(t, "1.2.3-rc.4", "darwin/arm64") {
		if !bytes.Equal(data, first[name]) {
			t.Errorf("the second time %s had other bytes", name)
		}
	}
}

// TestNpm: the main package leads to those of the platforms, in its own version; these say what
// they are for, and have programs that can be executed. Nothing runs when they are installed.
func TestNpm(t *testing.T) {
	all := packed(t, "1.2.3", "linux/arm64,windows/amd64")
	type manifest struct {
		Name, Version, License string
		OS, CPU                []string
		Bin, Scripts           map[string]string
		Optional               map[string]string `json:"optionalDependencies"`
		Exports                map[string]json.RawMessage
	}
	read := func(name string) (manifest, map[string]fs.FileMode) {
		z, err := gzip.NewReader(bytes.NewReader(all[name]))
		if err != nil {
			t.Fatal(name, err)
		}
		var m manifest
		modes := map[string]fs.FileMode{}
		for r := tar.NewReader(z); ; {
			h, err := r.Next()
			if err == io.EOF {
				break
			} else if err != nil {
				t.Fatal(name, err)
			}
			modes[strings.TrimPrefix(h.Name, "package/")] = h.FileInfo().Mode()
			if h.Name == "package/package.json" {
				if err := json.NewDecoder(r).Decode(&m); err != nil {
					t.Fatal(name, err)
				}
			}
		}
		if m.Version != "1.2.3" || !strings.HasPrefix(m.License, "Apache-2.0") || len(m.Scripts) > 0 ||
			modes["LICENSE"] == 0 {
			t.Errorf("%s: %+v", name, m)
		}
		return m, modes
	}
	main, files := read("mcpcheck-1.2.3.tgz")
	for name, path := range main.Bin {
		if files[path] != 0o755 {
			t.Errorf("%s is %s, which has mode %v", name, path, files[path])
		}
	}
	if len(main.Bin) != 2 || len(main.Optional) != 6 || files["README.md"] == 0 {
		t.Errorf("the main package is %+v", main)
	}
	// of the conditions that hold the first is taken
	for _, path := range []string{".", "./admin", "./vitest"} {
		if conditions := string(main.Exports[path]); !strings.Contains(conditions, `"types"`) ||
			strings.Index(conditions, `"types"`) > strings.Index(conditions, `"default"`) {
			t.Errorf("%s leads to %s", path, conditions)
		}
	}
	for _, c := range []struct{ os, cpu, program string }{{"linux", "arm64", "bin/mockserver"},
		{"win32", "x64", "bin/mockserver.exe"}} {
		m, files := read("mcpcheck-" + c.os + "-" + c.cpu + "-1.2.3.tgz")
		if !slices.Equal(m.OS, []string{c.os}) || !slices.Equal(m.CPU, []string{c.cpu}) ||
			files[c.program] != 0o755 {
			t.Errorf("the package is %+v with %v", m, files)
		}
		if files["THIRD_PARTY_NOTICES.txt"] != 0o644 || main.License != "Apache-2.0" ||
			m.License == main.License {
			t.Errorf("%s, with programs, has %v and %q", m.Name, files, m.License)
		}
		if main.Optional[m.Name] != m.Version {
			t.Errorf("%s %s is not among %v", m.Name, m.Version, main.Optional)
		}
	}
}

// TestWheel: a wheel says what it is for, and its record is true.
func TestWheel(t *testing.T) {
	const name = "mcpcheck_conformance-1.2.3-py3-none-win_amd64.whl"
	data := packed(t, "1.2.3", "windows/amd64")[name]
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		files[f.Name] = string(text)
		if program := strings.Contains(f.Name, ".data/scripts/"); program != (f.Mode() == 0o755) {
			t.Errorf("%s has mode %v", f.Name, f.Mode())
		}
	}
	const info = "mcpcheck_conformance-1.2.3.dist-info/"
	if files["mcpcheck_conformance-1.2.3.data/scripts/mcpcheck.exe"] != "this is mcpcheck.exe" {
		t.Error("the program is not there")
	}
	if !strings.Contains(files[info+"WHEEL"], "\nTag: py3-none-win_amd64\n") {
		t.Errorf("WHEEL is %q", files[info+"WHEEL"])
	}
	if !strings.Contains(files[info+"METADATA"],
		"\nName: mcpcheck-conformance\nVersion: 1.2.3\n\n# mcpcheck\n") {
		t.Errorf("METADATA is %q", files[info+"METADATA"])
	}
	for _, name := range []string{"LICENSE", "THIRD_PARTY_NOTICES.txt"} { // PEP 639
		if files[info+"licenses/"+name] == "" || !strings.Contains(files[info+"METADATA"],
			"\nLicense-File: "+name+"\n") {
			t.Errorf("%s is not in the wheel and its metadata", name)
		}
	}
	record, err := csv.NewReader(strings.NewReader(files[info+"RECORD"])).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range record {
		sum := sha256.Sum256([]byte(files[line[0]]))
		if want := "sha256=" + base64.RawURLEncoding.EncodeToString(sum[:]); line[1] != want &&
			line[0] != info+"RECORD" {
			t.Errorf("%s has the digest %s and not %s", line[0], line[1], want)
		}
		delete(files, line[0])
	}
	if len(files) > 0 {
		t.Errorf("the record lacks %v", slices.Sorted(maps.Keys(files)))
	}
}

// TestFlags: programs are built as for a release.
func TestFlags(t *testing.T) {
	r, err := readRelease(filepath.Join("..", "..", ".goreleaser.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for i, name := range []string{"mcpcheck", "mockserver"} {
		b := r.builds[i]
		args, err := b.arguments("1.2.3")
		if want := []string{"build", "-trimpath", "-ldflags", "-s -w -X main.release=1.2.3"}; err != nil ||
			!slices.Equal(args, want) {
			t.Errorf("%s is built with %q (%v)", name, args, err)
		}
		if b.Binary != name || b.Main != "./cmd/"+name || !slices.Equal(b.Env, []string{"CGO_ENABLED=0"}) {
			t.Errorf("%s is built as %+v", name, b)
		}
	}
}

// TestMistakes: each is told with what to write instead.
func TestMistakes(t *testing.T) {
	t.Chdir(filepath.Join("..", ".."))
	for _, c := range []struct {
		o    options
		args []string
		want string
	}{
		{o: options{version: "v1"}, want: `-version: "v1" is none such as 1.2.3`},
		{o: options{version: "1.2.3", platforms: "plan9/amd64"},
			want: `"plan9/amd64" is none of [linux/amd64`},
		{o: options{version: "1.2.3", platforms: "all", programs: "-"},
			want: "one platform, which -platforms names"},
		{o: options{version: "1.2.3"}, args: []string{"all"}, want: `"all": there are no arguments`},
	} {
		c.o.out = t.TempDir()
		if err := run(c.o, c.args); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v %q: %v", c.o, c.args, err)
		}
	}
}
