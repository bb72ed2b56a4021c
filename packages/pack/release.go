package main

import (
	"fmt"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
)

// release is what is built for a release: the programs, and the platforms that they are for.
type release struct {
	builds    []build
	platforms []platform
}

// build is a program in the release configuration.
type build struct {
	Main    string   `yaml:"main"`
	Binary  string   `yaml:"binary"`
	Env     []string `yaml:"env"`
	Flags   []string `yaml:"flags"`
	LDFlags []string `yaml:"ldflags"`
	OS      []string `yaml:"goos"`
	Arch    []string `yaml:"goarch"`
}

// platform is one that programs are built for, as Go calls it.
type platform struct{ os, arch string }

// names is how the package managers call a platform: npm by its package and the values of os
// and cpu, Python by the tags of a wheel.
type names struct {
	os, cpu string
	tags    []string
}

// known are the names of platforms. A program without C runs on every Linux, and on macOS from
// the oldest version on that Go supports.
var known = map[platform]names{
	{"linux", "amd64"}: {"linux", "x64", []string{"manylinux_2_17_x86_64", "manylinux2014_x86_64",
		"musllinux_1_1_x86_64"}},
	{"linux", "arm64"}: {"linux", "arm64", []string{"manylinux_2_17_aarch64", "manylinux2014_aarch64",
		"musllinux_1_1_aarch64"}},
	{"darwin", "amd64"}:  {"darwin", "x64", []string{"macosx_12_0_x86_64"}},
	{"darwin", "arm64"}:  {"darwin", "arm64", []string{"macosx_12_0_arm64"}},
	{"windows", "amd64"}: {"win32", "x64", []string{"win_amd64"}},
	{"windows", "arm64"}: {"win32", "arm64", []string{"win_arm64"}},
}

// here is that of this machine.
var here = platform{runtime.GOOS, runtime.GOARCH}

func (p platform) suffix() string {
	if p.os == "windows" {
		return ".exe"
	}
	return ""
}

// readRelease reads the release configuration.
func readRelease(path string) (release, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return release{}, fmt.Errorf("%w: run this at the top of the repository", err)
	}
	var config struct {
		Builds []build `yaml:"builds"`
	}
	// A member beside a merge is told as a duplicate.
	if err := yaml.UnmarshalWithOptions(data, &config, yaml.AllowDuplicateMapKey()); err != nil {
		return release{}, fmt.Errorf("%s: %w", path, err)
	}
	r := release{builds: config.Builds}
	if len(r.builds) == 0 {
		return r, fmt.Errorf("%s: there are no builds", path)
	}
	first := r.builds[0]
	for _, b := range r.builds {
		if !slices.Equal(b.OS, first.OS) || !slices.Equal(b.Arch, first.Arch) {
			return r, fmt.Errorf("%s: %s is built for other platforms than %s", path, b.Binary, first.Binary)
		}
	}
	for _, system := range first.OS {
		for _, arch := range first.Arch {
			p := platform{system, arch}
			if _, ok := known[p]; !ok {
				return r, fmt.Errorf("%s: %s/%s: it is not known how npm and Python call this platform; "+
					"add it in packages/pack/release.go", path, system, arch)
			}
			r.platforms = append(r.platforms, p)
		}
	}
	return r, nil
}

// choose is the platforms of a list such as linux/amd64,darwin/arm64.
func (r release) choose(list string) ([]platform, error) {
	if list == "all" {
		return r.platforms, nil
	}
	var chosen []platform
	for name := range strings.SplitSeq(list, ",") {
		system, arch, _ := strings.Cut(name, "/")
		p := platform{system, arch}
		if !slices.Contains(r.platforms, p) {
			return nil, fmt.Errorf("-platforms: %q is none of %v", name, r.platforms)
		}
		chosen = append(chosen, p)
	}
	return chosen, nil
}

// String is the platform as Go writes it.
func (p platform) String() string { return p.os + "/" + p.arch }

// versions are those that npm and Python can both express.
var versions = regexp.MustCompile(`^(\d+\.\d+\.\d+)(?:-(alpha|beta|rc)\.(\d+))?$`)

// pythonVersion is a version as PEP 440 writes it.
func pythonVersion(version string) (string, error) {
	m := versions.FindStringSubmatch(version)
	if m == nil {
		return "", fmt.Errorf("-version: %q is none such as 1.2.3, 1.2.3-alpha.1, 1.2.3-beta.1 or 1.2.3-rc.1",
			version)
	}
	if m[2] == "" {
		return m[1], nil
	}
	return m[1] + map[string]string{"alpha": "a", "beta": "b", "rc": "rc"}[m[2]] + m[3], nil
}
