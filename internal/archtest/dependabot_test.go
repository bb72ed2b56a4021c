package archtest

import (
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/goccy/go-yaml"
)

// manifests are the files that name versions, by their paths, and how Dependabot calls their kind.
var manifests = []struct {
	path      *regexp.Regexp
	ecosystem string
}{
	{regexp.MustCompile(`(^|/)go\.mod$`), "gomod"},
	{regexp.MustCompile(`(^|/)package\.json$`), "npm"},
	{regexp.MustCompile(`(^|/)requirements\.txt$`), "pip"},
	{regexp.MustCompile(`(^|/)pom\.xml$`), "maven"},
	{regexp.MustCompile(`\.csproj$`), "nuget"},
	{regexp.MustCompile(`Dockerfile$`), "docker"},
	{regexp.MustCompile(`^(\.github/workflows/.*|ci/github/.*|action)\.yml$`), "github-actions"},
}

// TestDependabot: every manifest is looked after, weekly, in one change for all of a kind, and no
// version is taken up on the day that it appears.
func TestDependabot(t *testing.T) {
	left := []string{".git", "dist", "node_modules", "target", "testdata"}
	want := map[string]bool{}
	err := fs.WalkDir(os.DirFS(root), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && slices.Contains(left, d.Name()) {
			return fs.SkipDir
		}
		for _, m := range manifests {
			if m.path.MatchString(name) {
				dir := path.Clean("/" + path.Dir(name))
				if dir == "/.github/workflows" {
					dir = "/" // where Dependabot finds them
				}
				want[m.ecosystem+" "+dir] = true
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(root, ".github", "dependabot.yml"))
	if err != nil {
		t.Fatal(err)
	}
	var config struct {
		Updates []struct {
			Ecosystem   string `yaml:"package-ecosystem"`
			Directories []string
			Schedule    struct{ Interval string }
			Cooldown    struct {
				Days int `yaml:"default-days"`
			}
			Groups map[string]struct{ Patterns []string }
		}
	}
	if err := yaml.Unmarshal(data, &config); err != nil {
		t.Fatal(err)
	}
	got := map[string]bool{}
	for _, u := range config.Updates {
		for _, dir := range u.Directories {
			got[u.Ecosystem+" "+dir] = true
		}
		if u.Schedule.Interval != "weekly" || u.Cooldown.Days < 7 ||
			!slices.Equal(u.Groups["all"].Patterns, []string{"*"}) {
			t.Errorf("%s is looked after as %+v", u.Ecosystem, u)
		}
	}
	if !maps.Equal(got, want) {
		t.Errorf("Dependabot looks after\n%q, not\n%q",
			slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)))
	}
}
