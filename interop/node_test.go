package interop

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// nodeWanted names the variable that, set to 1, makes tests that need npm fail where it is
// missing or cannot install, and set to 0 leaves them out.
const nodeWanted = "MCPCHECK_NODE"

// installNode installs the packages of the directory node, once for each content of its
// package.json, into the cache directory of the user, and returns the Node.js that runs
// them and the directory with the scripts.
func installNode(t *testing.T) (node, dir string) {
	t.Helper()
	wanted := os.Getenv(nodeWanted)
	if wanted == "0" || testing.Short() && wanted != "1" {
		t.Skipf("installs packages of Node.js, which -short and %s=0 leave out", nodeWanted)
	}
	skip := t.Skipf
	if wanted == "1" {
		skip = t.Fatalf
	}
	npm, err := exec.LookPath("npm")
	if err != nil {
		skip("npm is not there: %v", err)
	}
	manifest, err := os.ReadFile(filepath.Join("node", "package.json"))
	if err != nil {
		t.Fatal(err)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		skip("there is no cache directory: %v", err)
	}
	sum := sha256.Sum256(manifest)
	dir = filepath.Join(cache, "mcpcheck-interop", hex.EncodeToString(sum[:8]))
	node = filepath.Join(dir, "node_modules", "node", "bin", "node")
	copyScripts(t, dir)
	done := filepath.Join(dir, "installed")
	if _, err := os.Stat(done); err == nil {
		return node, dir
	}
	cmd := exec.CommandContext(t.Context(), npm, "install", "--no-audit", "--no-fund", "--loglevel=error")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		skip("npm cannot install: %v\n%s", err, out)
	}
	if out, err := exec.CommandContext(t.Context(), node, "--version").CombinedOutput(); err != nil {
		skip("the Node.js that npm installed does not run: %v\n%s", err, out)
	}
	if err := os.WriteFile(done, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	return node, dir
}

// copyScripts brings the scripts to the place where their packages are.
func copyScripts(t *testing.T, dir string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join("node", "*.*js*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(path)), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
