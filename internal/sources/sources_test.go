package sources

import (
	"os"
	"path/filepath"
	"testing"
)

func TestFind(t *testing.T) {
	root := t.TempDir()
	for path, text := range map[string]string{
		".git/config": "", "src/server.ts": "// one\nconst uri = \"note:one\";\nlist(\"resources/list\")\n",
		"src/other.py": "read('note:two')\n\nlist('resources/list')\n", "src/server.test.ts": "'note:one'",
		"src/more.ts": "`note:one-hundred` // note:six", "tests/a.py": "'note:two'",
		"node_modules/x/i.js": "'note:three'", "README.md": "'note:four'",
		"src/big.js": string(make([]byte, mostOfFile+1)) + "'note:five'",
	} {
		path = filepath.Join(root, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	tree := Around(filepath.Join(root, "src"))
	for _, c := range []struct {
		texts []string
		file  string
		line  int
	}{
		{[]string{"note:one"}, "src/server.ts", 2},
		{[]string{"resources/list"}, "", 0}, // in two
		{[]string{"note:none", "resources/list", "note:two"}, "src/other.py", 1},
		{[]string{"note:three"}, "", 0}, {[]string{"note:four"}, "", 0}, {[]string{"note:five"}, "", 0},
		{[]string{""}, "", 0}, {nil, "", 0},
		{[]string{"note:six"}, "", 0}, {[]string{"note:one-hundred"}, "src/more.ts", 1},
	} {
		if file, line := tree.Find(c.texts...); file != c.file || line != c.line {
			t.Errorf("%q: %s:%d", c.texts, file, line)
		}
	}
	if file, line := Around(filepath.Join(root, "nowhere")).Find("note:one"); file != "src/server.ts" ||
		line != 2 {
		t.Errorf("of a directory that is not there: %s:%d", file, line)
	}
	if file, line := Around(t.TempDir()).Find("note:one"); line != 0 {
		t.Errorf("where there is no repository: %s:%d", file, line)
	}
}
