package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
)

var images = []string{imageScope + "mcpcheck", imageScope + "mockserver"}

// naming are the words that a name stands behind where somebody installs, imports or publishes what has it.
var naming = map[string][]string{
	`(?:npx|npx -p|npx --offline|npm install|npm view) (mcpcheck[\w-]*)`: {npmName},
	`from "(mcpcheck[\w-]*)`:                                                               {npmName},
	`(@[\w-]+/)(?:\*/|\$\{platform|(?:linux|darwin|win32)-)`:                               {npmScope},
	`(?:uvx|uvx .*--from|pip install|pip index versions|install .* ".*") (mcpcheck[\w-]*)`: {pythonName},
	`--cask ([\w-]+/[\w-]+/[\w-]+)`: {tapName + "/" +
		systemName},
	`(?:package_name: |Casks/|homebrew_casks:\n  - name: |apt install \./)([a-z-]+)`: {systemName},
	`(ghcr\.io/[\w/-]+)`: images,
}

// TestNaming: what names a package, a cask or an image names it as it is published.
func TestNaming(t *testing.T) {
	t.Chdir(filepath.Join("..", ".."))
	seen := map[string]bool{}
	look := func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "dist" || d.Name() == "node_modules" || d.Name() == "requirements"):
			return fs.SkipDir
		case d.IsDir(), filepath.Ext(path) == ".go":
			return nil
		}
		data, err := os.ReadFile(path)
		for words, names := range naming {
			for _, m := range regexp.MustCompile(words).FindAllSubmatch(data, -1) {
				if seen[words] = true; !slices.Contains(names, string(m[1])) {
					t.Errorf("%s has %q, which is none of %q", path, m[0], names)
				}
			}
		}
		return err
	}
	for _, root := range []string{
		"README.md", "CHANGELOG.md", "Dockerfile", "action.yml", ".goreleaser.yaml", ".github", "ci", "docs",
		"examples", "packages",
	} {
		if err := filepath.WalkDir(root, look); err != nil {
			t.Fatal(err)
		}
	}
	for words := range naming {
		if !seen[words] {
			t.Errorf("nothing matches %s", words)
		}
	}
}
