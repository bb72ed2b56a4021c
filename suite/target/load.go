package target

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/mcpcheck/mcpcheck/internal/yamlfile"
	"github.com/mcpcheck/mcpcheck/suite/catalogue"
)

// ConfigError is everything wrong with a target: the user has to change it
// before anything can be run.
type ConfigError struct {
	// File is the target file; empty if the target was not read from one.
	File     string
	Problems []Problem
}

// Problem is one thing wrong with a target.
type Problem struct {
	// Line and Column count from 1; 0 means unknown.
	Line, Column int
	// Field is the path of the field, such as "subjects.texts[0].uri".
	Field string
	// Message is one sentence that names the field.
	Message string
}

// Error gives each problem a line of its own: "FILE:LINE: MESSAGE".
func (e *ConfigError) Error() string {
	lines := make([]string, len(e.Problems))
	for i, p := range e.Problems {
		switch {
		case e.File == "":
			lines[i] = "target: " + p.Message
		case p.Line == 0:
			lines[i] = e.File + ": " + p.Message
		default:
			lines[i] = fmt.Sprintf("%s:%d: %s", e.File, p.Line, p.Message)
		}
	}
	return strings.Join(lines, "\n")
}

// Load reads a target file. Relative directories and certificate files in it
// are taken from where the file stands; rows are the requirements that it can opt out
// of. All errors are a [*ConfigError].
func Load(path string, rows *catalogue.Catalogue) (*Target, error) {
	data, err := readFile(path)
	if err != nil {
		return nil, &ConfigError{File: path, Problems: []Problem{{Message: err.Error()}}}
	}
	t, err := Parse(path, data, rows)
	if err != nil {
		return nil, err
	}
	t.rebase(filepath.Dir(path))
	return t, nil
}

// readFile reads a file, up to a bound.
func readFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, cause(err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, yamlfile.MaxSize+1))
	if err != nil {
		return nil, cause(err)
	}
	return data, nil
}

// cause drops the path, which the message has already, from an error of os.
func cause(err error) error {
	if e, ok := errors.AsType[*os.PathError](err); ok {
		return fmt.Errorf("the file cannot be read: %w", e.Err)
	}
	return err
}

// rebase makes relative directories and certificate files relative to dir.
func (t *Target) rebase(dir string) {
	move := func(p *string) {
		if *p != "" && !filepath.IsAbs(*p) {
			*p = filepath.Join(dir, *p)
		}
	}
	for i := range t.Endpoints {
		move(&t.Endpoints[i].Dir)
		move(&t.Endpoints[i].CAFile)
	}
	for _, tr := range t.Triggers.All() {
		if tr != nil && tr.Exec != nil {
			move(&tr.Exec.Dir)
		}
	}
}

// Parse reads a target file from memory; the name only serves messages,
// and rows are the requirements that the file can opt out of. All errors are a
// [*ConfigError].
func Parse(name string, data []byte, rows *catalogue.Catalogue) (*Target, error) {
	t := &Target{}
	index, err := yamlfile.Decode(name, data, t)
	if err != nil {
		return nil, configError(name, err)
	}
	t.File = name
	if problems := t.check(index.At, rows); len(problems) > 0 {
		return nil, &ConfigError{File: name, Problems: problems}
	}
	return t, nil
}

// Validate checks a target that was put together in Go, in the way in which
// Parse checks files. The error is a [*ConfigError].
func (t *Target) Validate(rows *catalogue.Catalogue) error {
	if problems := t.check(func(string) yamlfile.Pos { return yamlfile.Pos{} }, rows); len(problems) > 0 {
		return &ConfigError{File: t.File, Problems: problems}
	}
	return nil
}

func configError(name string, err error) *ConfigError {
	e, ok := errors.AsType[*yamlfile.Error](err)
	if !ok {
		return &ConfigError{File: name, Problems: []Problem{{Message: err.Error()}}}
	}
	found := &ConfigError{File: e.File}
	for _, p := range e.Problems {
		found.Problems = append(found.Problems, Problem{Line: p.Line, Column: p.Column, Field: p.Path, Message: p.Message})
	}
	return found
}
