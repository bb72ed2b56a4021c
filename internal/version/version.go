// Package version says which build of a program is running.
package version

import (
	"runtime/debug"
	"strings"
)

// Build is a build of a program.
type Build struct {
	// Version is that of the release or of the module; "devel" if neither is known.
	Version string
	// Commit is what the program was built from; empty if that is not known, as in
	// what "go install MODULE@VERSION" builds: there the version tells it.
	Commit string
	// Modified says that there were changes beside the commit.
	Modified bool
}

// Of is the build that is running. A release, if not empty, is the version that the
// linker was told.
func Of(release string) Build {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	return of(release, info)
}

// OfLibrary is the version of mcpcheck in a program of any module.
func OfLibrary() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	return ofLibrary(info)
}

func ofLibrary(info *debug.BuildInfo) string {
	for _, d := range info.Deps {
		if d.Path == "github.com/mcpcheck/mcpcheck" {
			if d.Replace != nil {
				d = d.Replace
			}
			return of("", &debug.BuildInfo{Main: *d}).Version
		}
	}
	return of("", info).Version
}

func of(release string, info *debug.BuildInfo) Build {
	b := Build{Version: release}
	if b.Version == "" {
		b.Version = info.Main.Version
	}
	if b.Version == "" || b.Version == "(devel)" {
		b.Version = "devel"
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = s.Value
		case "vcs.modified":
			b.Modified = s.Value == "true"
		}
	}
	return b
}

// String is the build in a few words.
func (b Build) String() string {
	var more []string
	if b.Commit != "" {
		more = append(more, "commit "+b.Commit)
	}
	if b.Modified {
		more = append(more, "with changes")
	}
	if len(more) == 0 {
		return b.Version
	}
	return b.Version + " (" + strings.Join(more, ", ") + ")"
}
