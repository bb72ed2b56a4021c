package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/mcpcheck/mcpcheck/internal/shell"
)

// box is what stands between the programs of a matrix and the machine.
type box struct {
	// wrap stands in front of each command. In it {name} is a name of the target that can be one of a
	// directory, and {dir} its home.
	wrap []string
	// shared are variables, "K=V", that lead all programs to a cache for what package managers fetch.
	shared []string
}

// newBox reads the flags. What the file says gives way to --wrap.
func newBox(o *matrixOptions, file *matrixFile) (*box, error) {
	b := &box{wrap: file.Wrap}
	if o.wrap != "" {
		words, err := shell.Split(o.wrap)
		if err != nil || len(words) == 0 {
			return nil, badUsage("--wrap %q is no command", o.wrap)
		}
		b.wrap = words
	}
	for i := range file.Targets {
		if len(b.wrap) > 0 && file.Targets[i].Config != "" {
			return nil, badUsage("%s: targets[%d].config: nothing can be put in front of the commands of a "+
				"target file; give command", o.targets, i)
		}
	}
	if o.cache != "" {
		dir, err := filepath.Abs(o.cache)
		if err != nil {
			return nil, badUsage("--cache %s: %w", o.cache, err)
		}
		b.shared = []string{"npm_config_cache=" + filepath.Join(dir, "npm"),
			"UV_CACHE_DIR=" + filepath.Join(dir, "uv")}
	}
	return b, nil
}

// around is a command of a target with what is put in front of it.
func (b *box) around(t *matrixTarget, home string, command []string) []string {
	if t.listed != nil && t.listed.start.Boxed {
		return command // the container is its box
	}
	fill := strings.NewReplacer("{name}", t.directory(), "{dir}", home)
	var words []string
	for _, word := range b.wrap {
		words = append(words, fill.Replace(word))
	}
	return append(words, command...)
}

// moved fits variables that lead to files of the user's, which follow the home of a target.
var moved = regexp.MustCompile(`^(?i:HOME|USERPROFILE|XDG_(?:CACHE|CONFIG|DATA|STATE)_HOME)=`)

// environment is ours with another home, and with variables that are given.
func environment(home string, given []string) []string {
	return slices.Concat(slices.DeleteFunc(os.Environ(), moved.MatchString),
		[]string{"HOME=" + home, "USERPROFILE=" + home}, given)
}

// homePrefix begins the names of homes, in the directory for temporary files.
const homePrefix = "mcpcheck-home-"
