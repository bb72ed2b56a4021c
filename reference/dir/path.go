package dir

import (
	"io/fs"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/mcpcheck/mcpcheck/reference/world"
)

// URI is the URI of a file: its path relative to the directory, with slashes.
func URI(path string) string { return "file:///" + world.Escape(path, world.Unreserved+"/") }

// admissible reports whether a path can be that of a file which is shown.
func (d *Dir) admissible(path string) bool {
	return path != "." && lies(path) && !d.hidden(path)
}

// lies reports whether a path names something in the directory, in the one way in which
// it is written here.
func lies(path string) bool {
	if runtime.GOOS == "windows" && strings.ContainsAny(path, `\:`) {
		return false // another separator, a drive, a stream of a file
	}
	// Names need not be UTF-8.
	return fs.ValidPath(strings.ToValidUTF8(path, "?")) && !strings.ContainsRune(path, 0) && filepath.IsLocal(filepath.FromSlash(path))
}

func (d *Dir) hidden(path string) bool {
	return !d.options.Hidden && path != "." && (strings.HasPrefix(path, ".") || strings.Contains(path, "/."))
}

// join is path.Join for a clean path and a name.
func join(path, name string) string {
	if path == "." {
		return name
	}
	return path + "/" + name
}
