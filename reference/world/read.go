package world

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpcheck/mcpcheck/internal/yamlfile"
)

// Problem is something that is wrong with a file.
type Problem struct {
	File string
	Line int    // from 1; 0 if it is unknown
	Path string // of the member: resources[2].blob; empty for the file as a whole
	Text string
}

func (p Problem) String() string {
	var b strings.Builder
	b.WriteString(p.File)
	if p.Line > 0 {
		fmt.Fprintf(&b, ":%d", p.Line)
	}
	b.WriteString(": ")
	if p.Path != "" {
		b.WriteString(p.Path + ": ")
	}
	b.WriteString(p.Text)
	return b.String()
}

// Problems are all that is wrong with a file. It is the error of Load and Parse: a
// line for each.
type Problems []Problem

func (p Problems) Error() string {
	lines := make([]string, len(p))
	for i := range p {
		lines[i] = p[i].String()
	}
	return strings.Join(lines, "\n")
}

const maxProblems = 100

// reader is a file that has been read into a part of a world. It knows where its members stand, for
// mistakes that only the whole shows.
type reader struct {
	file     string
	index    *yamlfile.Index
	problems Problems
	spoilt   []string // paths at which something is wrong
	written  World    // if it is a world, before anything is repeated
}

// read reads a document into a pointer to a part of a world. The error says why there is none;
// mistakes in its members are the reader's problems.
func read(file string, data []byte, into any) (*reader, error) {
	r := &reader{file: file}
	index, err := yamlfile.DecodeTyped(file, data, into)
	r.index = index
	if err == nil {
		return r, nil
	}
	wrong, ok := errors.AsType[*yamlfile.Error](err)
	if !ok {
		return nil, Problems{{File: file, Text: err.Error()}}
	}
	for _, p := range wrong.Problems {
		path := p.Path
		if p.Unknown != "" {
			path = strings.TrimSuffix(strings.TrimSuffix(path, p.Unknown), ".") // of what should have it
		}
		r.spoilt = append(r.spoilt, path)
		r.add(Problem{File: file, Line: p.Line, Path: path, Text: p.Text})
	}
	if len(index.Paths()) == 0 {
		return nil, r.problems
	}
	return r, nil
}

// decode reads a part of a world that is no file.
func decode[T interface{ Validate() error }](what string, data []byte) (part T, err error) {
	r, err := read(what, data, &part)
	if err == nil && len(r.problems) > 0 {
		err = r.problems
	}
	if err != nil {
		return *new(T), err
	}
	return part, part.Validate()
}

func (r *reader) add(p Problem) {
	switch {
	case len(r.problems) < maxProblems:
		r.problems = append(r.problems, p)
	case len(r.problems) == maxProblems:
		r.problems = append(r.problems, Problem{File: r.file, Text: "and more"})
	}
}

// problem is one of a member, at its line or, if it is not there, at that of what should have it.
func (r *reader) problem(path, text string) Problem {
	return Problem{File: r.file, Line: r.index.At(path).Line, Path: path, Text: text}
}

// sound reports whether nothing was wrong with the form of a member, nor with that of
// anything in it.
func (r *reader) sound(path string) bool {
	return len(r.spoilt) < maxProblems && !slices.ContainsFunc(r.spoilt, func(s string) bool {
		rest, within := strings.CutPrefix(s, path)
		return within && (rest == "" || rest[0] == '.' || rest[0] == '[') ||
			strings.HasPrefix(path, s+".") || strings.HasPrefix(path, s+"[")
	})
}
