// Command pack builds the packages for npm and the wheels for Python, with both programs in
// them, with the flags of the release configuration, and the licence notices of each platform:
//
//	go run ./packages/pack [-version 1.2.3] [-platforms all] [-out packages/dist]
//
// It runs at the top of the repository and needs Go alone. The same commit, version and Go make
// the same bytes.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

func main() {
	var o options
	flag.StringVar(&o.version, "version", "0.0.0",
		"the `VERSION` of the packages and programs; the default is that of a checkout without a tag")
	flag.StringVar(&o.platforms, "platforms", here.String(),
		"the platforms `OS/ARCH,...`, or all of the release")
	flag.StringVar(&o.programs, "programs", "",
		"the `DIRECTORY` with programs that are built already, for one platform")
	flag.StringVar(&o.out, "out", filepath.Join("packages", "dist"),
		"the `DIRECTORY` that the packages are written to")
	flag.Parse()
	if err := run(o, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "pack:", err)
		if _, usage := errors.AsType[usageError](err); usage {
			os.Exit(2)
		}
		os.Exit(1)
	}
}

// options are the flags.
type options struct{ version, platforms, programs, out string }

// usageError is a mistake in the arguments.
type usageError struct{ error }

func run(o options, args []string) error {
	if len(args) > 0 {
		return usageError{fmt.Errorf("%q: there are no arguments, only flags", args[0])}
	}
	forPython, err := pythonVersion(o.version)
	if err != nil {
		return usageError{err}
	}
	r, err := readRelease(".goreleaser.yaml")
	if err != nil {
		return err
	}
	chosen, err := r.choose(o.platforms)
	if err != nil {
		return usageError{err}
	}
	if o.programs != "" && len(chosen) != 1 {
		return usageError{fmt.Errorf("-programs: %s has those for one platform, which -platforms names",
			o.programs)}
	}
	for _, p := range chosen {
		contents, err := r.take(p, o)
		if err != nil {
			return err
		}
		notices, err := r.notices(p)
		if err != nil {
			return err
		}
		contents = append(contents, file{name: noticesName, data: notices})
		err = errors.Join(
			write(filepath.Join(o.out, "notices", p.String(), noticesName), notices),
			npmPlatform(o.out, o.version, p, contents),
			wheel(o.out, forPython, p, contents))
		if err != nil {
			return err
		}
	}
	return npmMain(o.out, o.version, r.platforms)
}

// take is the programs for a platform, which are built if they are not there already.
func (r release) take(p platform, o options) ([]file, error) {
	dir := o.programs
	if dir == "" {
		var err error
		if dir, err = os.MkdirTemp("", "mcpcheck-pack-"); err != nil {
			return nil, err
		}
		defer os.RemoveAll(dir)
	}
	var programs []file
	for _, b := range r.builds {
		name := b.Binary + p.suffix()
		if o.programs == "" {
			if err := b.run(p, o.version, filepath.Join(dir, name)); err != nil {
				return nil, err
			}
		}
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return nil, err
		}
		programs = append(programs, file{name: name, data: data, program: true})
	}
	return programs, nil
}

// run builds a program.
func (b build) run(p platform, version, to string) error {
	args, err := b.arguments(version)
	if err != nil {
		return err
	}
	_, err = b.goTool(p, append(args, "-o", to, b.Main)...)
	return err
}

// goTool runs the Go tool in the environment that a program is built in, and returns its output.
func (b build) goTool(p platform, args ...string) ([]byte, error) {
	cmd := exec.Command("go", args...)
	cmd.Env = append(append(os.Environ(), b.Env...), "GOOS="+p.os, "GOARCH="+p.arch)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go %s of %s for %s: %w", args[0], b.Binary, p, err)
	}
	return out, nil
}

// arguments are those of the Go tool that build a program.
func (b build) arguments(version string) ([]string, error) {
	args := append([]string{"build"}, b.Flags...)
	for _, f := range b.LDFlags {
		f = strings.ReplaceAll(f, "{{.Version}}", version)
		if strings.Contains(f, "{{") {
			return nil, fmt.Errorf("the linker flags of %s: %q: only {{.Version}} can be filled in here",
				b.Binary, f)
		}
		args = append(args, "-ldflags", f)
	}
	return args, nil
}
