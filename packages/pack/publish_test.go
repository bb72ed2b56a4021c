package main

import (
	"crypto/sha512"
	"encoding/base64"
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

// job is what is read of a job of the release workflow.
type job struct {
	If          string
	Environment string
	Needs       string
	Permissions map[string]string
	Steps       []step
}

type step struct {
	Name, Run, Uses string
	Env             map[string]string
}

func releaseJobs(t *testing.T) map[string]job {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(".github", "workflows", "release.yml"))
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Jobs map[string]job }
	if err := yaml.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	return file.Jobs
}

// TestPublishing: nothing is published before a person says so, by jobs that have a right to name
// themselves and no other, no token, and nothing to run but what was released.
func TestPublishing(t *testing.T) {
	t.Chdir(filepath.Join("..", ".."))
	jobs := releaseJobs(t)
	for _, name := range []string{"npm", "pypi"} {
		j := jobs[name]
		if j.If != "vars.PUBLISH == 'true'" || j.Environment != name || j.Needs != "release" ||
			!maps.Equal(j.Permissions, map[string]string{"id-token": "write"}) {
			t.Errorf("%s runs as %+v", name, j)
		}
		for _, s := range j.Steps {
			if strings.Contains(s.Uses, "checkout") || strings.Contains(s.Run, "${{") {
				t.Errorf("%s has the step %+v", name, s)
			}
			for variable, value := range s.Env {
				if variable != "DIGESTS" || value != "${{ needs.release.outputs.digests }}" {
					t.Errorf("%s is given %s=%s", name, variable, value)
				}
			}
		}
	}
}

// TestPublish: the step that publishes to npm, with a registry that is none: each package once,
// those with programs first, and nothing over what is there.
func TestPublish(t *testing.T) {
	for _, tool := range []string{"bash", "jq", "openssl", "tar", "sha256sum"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip("there is no " + tool)
		}
	}
	const npm = `#!/bin/sh
if [ "$1" = view ]; then
	cat "$REGISTRY/$(echo "$2" | tr / _)" 2>/dev/null
else
	echo "$@" >>"$REGISTRY/log"
fi
`
	packages := packed(t, "1.2.3", "linux/arm64")
	steps := releaseJobs(t)["npm"].Steps
	i := slices.IndexFunc(steps, func(s step) bool { return s.Name == "Publish" })
	if i < 0 {
		t.Fatal("no step publishes")
	}
	dir := t.TempDir()
	t.Chdir(dir)
	put := func(name string, data []byte) {
		t.Helper()
		err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o700), os.WriteFile(name, data, 0o700))
		if err != nil {
			t.Fatal(err)
		}
	}
	put("path/npm", []byte(npm))
	t.Setenv("PATH", filepath.Join(dir, "path")+string(os.PathListSeparator)+os.Getenv("PATH"))
	for name, data := range packages {
		if strings.HasSuffix(name, ".tgz") {
			put("npm/"+name, data)
		}
	}
	sum := sha512.Sum512(packages["mcpcheck-linux-arm64-1.2.3.tgz"])
	same := "sha512-" + base64.StdEncoding.EncodeToString(sum[:])
	const platform, main = "publish ./npm/mcpcheck-linux-arm64-1.2.3.tgz", "publish ./npm/mcpcheck-1.2.3.tgz"
	for _, c := range []struct {
		name, ref, tag string
		there          string // the integrity of the package with programs at the registry
		want           []string
	}{
		{"release", "v1.2.3", "latest", "", []string{platform, main}},
		{"candidate", "v1.2.3-rc.4", "next", "", []string{platform, main}},
		{"again", "v1.2.3", "latest", same, []string{main}},
		{"another", "v1.2.3", "latest", "sha512-other", nil},
	} {
		registry := filepath.Join(dir, c.name)
		put(filepath.Join(registry, "log"), nil)
		if c.there != "" {
			put(filepath.Join(registry, "@mcpcheck_linux-arm64@1.2.3"), []byte(c.there+"\n"))
		}
		cmd := exec.Command("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", steps[i].Run)
		cmd.Env = append(os.Environ(), "REGISTRY="+registry, "GITHUB_REF_NAME="+c.ref)
		out, err := cmd.CombinedOutput()
		if (err == nil) != (c.want != nil) {
			t.Errorf("%s: the step ended with %v\n%s", c.name, err, out)
		}
		want := ""
		for _, call := range c.want {
			want += call + " --provenance --access public --tag " + c.tag + "\n"
		}
		if log, err := os.ReadFile(filepath.Join(registry, "log")); err != nil || string(log) != want {
			t.Errorf("%s: npm got %q (%v), not %q", c.name, log, err, want)
		}
	}
}
