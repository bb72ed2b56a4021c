package main

import (
	"context"
	"sync"

	"github.com/spf13/cobra"

	"github.com/mcpcheck/mcpcheck/cmd/internal/helpcmd"
	"github.com/mcpcheck/mcpcheck/internal/bytesize"
	"github.com/mcpcheck/mcpcheck/reference"
	"github.com/mcpcheck/mcpcheck/reference/dir"
)

// directory are the flags of a directory that is served.
type directory struct {
	path    string
	options dir.Options
}

func (d *directory) declare(cmd *cobra.Command) {
	d.options = dir.Options{MaxFiles: dir.DefaultMaxFiles, MaxSize: dir.DefaultMaxSize,
		MaxWatches: dir.DefaultMaxWatches}
	helpcmd.Flags{
		{&d.path, "dir",
			"serve the files of this `DIRECTORY` instead of a world, as file:///PATH relative to it, and " +
				"tell of their changes"},
		{&d.options.Hidden, "hidden", "with --dir: show also what has a name that begins with a dot"},
		{&d.options.MaxFiles, "max-files",
			"with --dir: list at most `N` files; the others can still be read"},
		{bytesize.Value[int64]{N: &d.options.MaxSize}, "max-size",
			"with --dir: read files of up to this `SIZE`, such as 500KiB; others are answered with an error"},
		{&d.options.MaxWatches, "max-watches", "with --dir: watch at most `N` directories for changes"},
	}.Add(cmd.PersistentFlags())
}

// check finds flags that exclude each other, or that have no effect.
func (d *directory) check(cmd *cobra.Command) error {
	changed := cmd.Flags().Changed
	if !changed("dir") {
		for _, name := range []string{"hidden", "max-files", "max-size", "max-watches"} {
			if changed(name) {
				return usagef("--%s needs --dir", name)
			}
		}
		return nil
	}
	if d.path == "" {
		return usagef("--dir needs a directory")
	}
	if changed("world") {
		return usagef("give either --dir or --world")
	}
	if d.options.MaxFiles < 1 || d.options.MaxWatches < 1 {
		return usagef("--max-files and --max-watches must be at least 1")
	}
	if d.options.MaxSize < 1 || d.options.MaxSize > maxSize {
		return usagef("--max-size must be between 1 byte and 1GiB, such as 500KiB")
	}
	return nil
}

// openDir opens the directory. It is to be closed. The error is that of the context if that ends meanwhile.
func (s *settings) openDir(ctx context.Context) (*dir.Dir, error) {
	s.dir.options.Tell = func(sentence string) { s.tell(sentence) }
	opened, err := dir.Open(ctx, s.dir.path, s.dir.options)
	if err != nil && ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, usageError{err}
	}
	return opened, nil
}

// watch has a server told of changes until the function that it returns is called. Without a directory there
// are none.
func watch(ctx context.Context, d *dir.Dir, server *reference.Server) (stop func()) {
	if d == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	var watching sync.WaitGroup
	watching.Go(func() { d.Watch(ctx, server) })
	return func() {
		cancel()
		watching.Wait()
	}
}

// maxSize bounds --max-size: what is read is held in memory.
const maxSize = 1 << 30
