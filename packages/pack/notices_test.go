package main

import (
	"debug/buildinfo"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

// sections are those of notices: the work and its terms.
func sections(notices string) [][2]string {
	var all [][2]string
	for _, s := range strings.Split(notices, "\n"+strings.Repeat("=", 80)+"\n")[1:] {
		work, text, _ := strings.Cut(s, "\n\n")
		all = append(all, [2]string{work, text})
	}
	return all
}

// works are the names of the works in notices.
func works(notices string) []string {
	names := map[string]bool{}
	for _, s := range sections(notices) {
		names[s[0]] = true
	}
	return slices.Sorted(maps.Keys(names))
}

// TestNotices: they name exactly the modules that Go put down in the programs.
func TestNotices(t *testing.T) {
	t.Chdir(filepath.Join("..", ".."))
	dir := t.TempDir()
	build := exec.Command("go", "build", "-buildvcs=false", "-o", dir, "./cmd/mcpcheck", "./cmd/mockserver")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	programs, err := os.ReadDir(dir)
	if err != nil || len(programs) != 2 {
		t.Fatal(programs, err)
	}
	want := map[string]bool{}
	for _, p := range programs {
		info, err := buildinfo.ReadFile(filepath.Join(dir, p.Name()))
		if err != nil {
			t.Fatal(err)
		}
		want["Go "+info.GoVersion], want[info.Main.Path] = true, true
		for _, m := range info.Deps {
			want[m.Path+" "+m.Version] = true
		}
	}
	if len(want) < 20 {
		t.Fatalf("the programs consist of %v", want)
	}
	notices := noticesOf(t, platform{runtime.GOOS, runtime.GOARCH})
	if got := works(notices); !slices.Equal(got, slices.Sorted(maps.Keys(want))) {
		t.Errorf("the notices are of %q\nthe programs consist of %q", got, slices.Sorted(maps.Keys(want)))
	}
}

func noticesOf(t *testing.T, p platform) string {
	t.Helper()
	r, err := readRelease(".goreleaser.yaml")
	if err != nil {
		t.Fatal(err)
	}
	notices, err := r.notices(p)
	if err != nil {
		t.Fatal(err)
	}
	return string(notices)
}

// kinds are what licences say, with the name of each at SPDX; further grants have none.
var kinds = []struct{ says, spdx string }{
	{`Apache License`, "Apache-2.0"},
	{`Permission is hereby granted, free of charge`, "MIT"},
	{`Neither the name of`, "BSD-3-Clause"},
	{`Additional IP Rights Grant`, ""},
	{`software is freely granted`, ""},
	{`The fiat-crypto Authors`, ""},
	{`When building with GOEXPERIMENT=boringcrypto`, ""},
}

// TestLicences: each platform has the terms of what is particular to it, all are of known kinds,
// and metadata and images name these.
func TestLicences(t *testing.T) {
	t.Chdir(filepath.Join("..", ".."))
	found := map[string]bool{}
	for _, c := range []struct {
		p       platform
		has     []string
		without string
	}{
		{platform{"linux", "arm64"}, []string{
			// below the root of a module, in a NOTICE, and in comments
			"Copyright (c) 2014 Amit Kumar Gupta",
			"Copyright 2011-2016 Canonical Ltd.",
			"Copyright (c) 2016 Yasuhiro Matsumoto",
			"Sun Microsystems, Inc. All rights reserved.",
		}, "mousetrap"},
		{platform{"windows", "amd64"}, []string{"Vita Nuova Holdings Limited", "mousetrap"}, "\x00"},
	} {
		notices := noticesOf(t, c.p)
		for _, want := range c.has {
			if !strings.Contains(notices, want) {
				t.Errorf("%s lacks %q", c.p, want)
			}
		}
		if strings.Contains(notices, c.without) {
			t.Errorf("%s has %q", c.p, c.without)
		}
		for _, s := range sections(notices) {
			known, text := false, strings.Join(strings.Fields(strings.ReplaceAll(s[1], "\n//", "\n")), " ")
			for _, k := range kinds {
				if strings.Contains(text, k.says) {
					known, found[k.spdx] = true, true
				}
			}
			if !known {
				t.Errorf("%s: whether these terms can be kept is not known:\n%s", s[0], s[1])
			}
		}
	}
	delete(found, "")
	expression := strings.Join(slices.Sorted(maps.Keys(found)), " AND ")
	for path, line := range map[string]string{
		"packages/python/METADATA": "\nLicense-Expression: " + expression + "\n",
		"packages/pack/npm.go":     `"` + expression + `"`,
		"Dockerfile":               "\nLABEL org.opencontainers.image.licenses=\"" + expression + "\"\n",
		"ci/release.Dockerfile":    "\nLABEL org.opencontainers.image.licenses=\"" + expression + "\"\n",
	} {
		if data, err := os.ReadFile(path); err != nil || !strings.Contains(string(data), line) {
			t.Errorf("%s lacks %q (%v)", path, line, err)
		}
	}
}

// TestPlaces: archives and images of a release have the licence and the notices, from where these are
// written for their platform, and so have images that are built by hand.
func TestPlaces(t *testing.T) {
	t.Chdir(filepath.Join("..", ".."))
	data, err := os.ReadFile(".goreleaser.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var config struct {
		Archives []struct{ Files []any }
		Images   []struct {
			Dockerfile string
			Extra      []string `yaml:"extra_files"`
		} `yaml:"dockers_v2"`
	}
	if err := yaml.UnmarshalWithOptions(data, &config, yaml.AllowDuplicateMapKey()); err != nil {
		t.Fatal(err)
	}
	from := map[string]any{
		"src":          "packages/dist/notices/{{.Os}}/{{.Arch}}/THIRD_PARTY_NOTICES.txt",
		"strip_parent": true,
	}
	for _, a := range config.Archives {
		if !reflect.DeepEqual(a.Files, []any{"LICENSE", "README.md", from}) {
			t.Errorf("an archive has %v", a.Files)
		}
	}
	extra := []string{"LICENSE", "packages/dist/notices"}
	for _, i := range config.Images {
		if i.Dockerfile != "ci/release.Dockerfile" || !slices.Equal(i.Extra, extra) {
			t.Errorf("an image is built from %+v", i)
		}
	}
	if len(config.Archives) != 1 || len(config.Images) != 2 {
		t.Errorf("there are other archives and images: %+v", config)
	}
	for name, line := range map[string]string{
		"Dockerfile":            "--from=build /src/LICENSE /packed/notices/linux/*/",
		"ci/release.Dockerfile": "LICENSE packages/dist/notices/$TARGETPLATFORM/",
	} {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		// Every image is made from the one with the programs and the notices.
		_, programs, _ := strings.Cut(string(data), " AS programs\n")
		if !strings.Contains(programs, "\nCOPY "+line+"THIRD_PARTY_NOTICES.txt /licenses/\n") ||
			strings.Count(programs, "\nFROM programs AS ") != 2 || strings.Count(programs, "\nFROM ") != 2 {
			t.Errorf("%s makes images from\n%s", name, programs)
		}
	}
}

// TestTerms: what is copied into a program, also if it is embedded, has its terms in the notices; a
// module without any is an error, whatever else lies there.
func TestTerms(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	t.Setenv("GOFLAGS", "-mod=mod")
	t.Setenv("GOWORK", "off")
	add := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const mit = "Permission is hereby granted to use and distribute"
	add("go.mod", "module example.com/app\ngo 1.26\n"+
		"require example.com/bare v1.2.3\nreplace example.com/bare => ./bare\n")
	add("LICENCE", "ours")
	add("main.go", "package main\n\nimport (\n\t_ \"embed\"\n\t_ \"example.com/bare/deep/down\"\n)\n\n"+
		"//go:embed page/theme.css\nvar _ string\n\nfunc main() {}\n")
	add("other_test.go", "// Copyright not linked\n// "+mit+"\npackage main\n")
	add("page/theme.css", "p {}\n/* Copyright of the theme\n * "+mit+" */\n")
	add("bare/go.mod", "module example.com/bare\ngo 1.26\n")
	add("bare/deep/down/down.go", "// Copyright of a file\n// "+mit+"\n\npackage down\n")
	for _, name := range []string{"NOTICE", "license.go", "copyright.go", "patents/x"} {
		add("bare/"+name, "package bare\n")
	}
	r := release{builds: []build{{Main: "example.com/app", Binary: "app"}}}
	p := platform{runtime.GOOS, runtime.GOARCH}
	want := regexp.MustCompile(`^\./bare is linked in, but there is no licence file in .*bare$`)
	if _, err := r.notices(p); err == nil || !want.MatchString(err.Error()) {
		t.Fatalf("without a licence: %v", err)
	}
	add("bare/deep/COPYING.txt", "halfway")
	notices, err := r.notices(p)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range sections(string(notices)) {
		if !strings.HasPrefix(s[0], "Go ") {
			got = append(got, s[0]+": "+s[1])
		}
	}
	text := strings.Join(got, "\n")
	for _, want := range []string{
		"Copyright of the theme", "Copyright of a file", "halfway", "example.com/app: ours",
		"./bare: package bare",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the notices lack %q:\n%s", want, text)
		}
	}
	if strings.Contains(text, "not linked") || len(got) != 5 {
		t.Errorf("the notices are\n%s", text)
	}
}
