package interop

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/mcpcheck/mcpcheck/internal/yamlfile"
	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
)

// File is the content of rulings.yaml.
type File struct {
	Servers []Server `yaml:"servers"`
}

// Server is a server that is judged, with the verdicts it deserves.
type Server struct {
	// Name tells servers apart in this file and in the tests.
	Name string `yaml:"name"`
	// Go is the package of a server that the tests build themselves, and
	// Npm or Installed the name of one that has to be installed before; one
	// of the three is given.
	Go        string `yaml:"go"`
	Npm       string `yaml:"npm"`
	Installed string `yaml:"installed"`
	// Version is the release that the rulings are about.
	Version string `yaml:"version"`
	// Endpoints are the ways to reach it, one for each transport.
	Endpoints []Endpoint `yaml:"endpoints"`
	// Rulings are all its red and blocked verdicts.
	Rulings []Ruling `yaml:"rulings"`
}

// Endpoint says how a server is started and reached over one transport. In its
// values {program} stands for the program that was built, {targets} for the
// directory with the installed servers, {scratch} for an empty directory and
// {port} for a free port.
type Endpoint struct {
	Transport requirement.Transport `yaml:"transport"`
	Command   []string              `yaml:"command"`
	Env       map[string]string     `yaml:"env"`
	// URL is given for all transports but stdio.
	URL string `yaml:"url"`
}

// Ruling says that verdicts against a server are just.
type Ruling struct {
	ID        string                 `yaml:"id"`
	Revisions []requirement.Revision `yaml:"revisions"`
	// Transports are those concerned; empty means all endpoints of the server.
	Transports []requirement.Transport `yaml:"transports"`
	Verdict    reports.Verdict         `yaml:"verdict"`
	// Section is the place in the specification, page#anchor, or in another
	// standard; one on which the catalogue rests the requirement.
	Section string `yaml:"section"`
	// Ruling says why the verdict is just.
	Ruling string `yaml:"ruling"`
	// Seen says what the server does.
	Seen string `yaml:"seen"`
}

// Key is a verdict that is ruled on.
type Key struct {
	ID        string
	Revision  requirement.Revision
	Transport requirement.Transport
	Verdict   reports.Verdict
}

// String is how tests name the verdict.
func (k Key) String() string {
	return fmt.Sprintf("%s %s (%s, %s)", k.Verdict, k.ID, k.Revision, k.Transport)
}

// Compare orders keys by requirement, revision, transport and verdict.
func (k Key) Compare(o Key) int {
	return cmp.Or(reports.CompareIDs(k.ID, o.ID), cmp.Compare(k.Revision, o.Revision),
		cmp.Compare(k.Transport, o.Transport), cmp.Compare(k.Verdict, o.Verdict))
}

// Keys are the verdicts that the ruling is about.
func (r *Ruling) Keys(s *Server) []Key {
	transports := r.Transports
	if len(transports) == 0 {
		for i := range s.Endpoints {
			transports = append(transports, s.Endpoints[i].Transport)
		}
	}
	var keys []Key
	for _, rev := range r.Revisions {
		for _, t := range transports {
			keys = append(keys, Key{r.ID, rev, t, r.Verdict})
		}
	}
	return keys
}

// Find is the server of that name.
func (f *File) Find(name string) (*Server, bool) {
	i := slices.IndexFunc(f.Servers, func(s Server) bool { return s.Name == name })
	if i < 0 {
		return nil, false
	}
	return &f.Servers[i], true
}

// Load reads a file of rulings, strictly: besides what no YAML file may
// contain, a requirement, revision, transport or verdict that does not exist, a
// ruling without its reason and two rulings on one verdict are errors.
func Load(path string) (*File, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var f File
	index, err := yamlfile.Decode(path, data, &f)
	if err != nil {
		return nil, err
	}
	c := checker{index: index}
	c.file(&f)
	if len(c.problems) > 0 {
		return nil, &yamlfile.Error{File: path, Problems: c.problems}
	}
	return &f, nil
}

// Judge compares the red and blocked verdicts of reports with the rulings. The
// error lists all verdicts without a ruling and all rulings without a verdict.
func (s *Server) Judge(list ...*reports.Report) error {
	ruled := make(map[Key]bool)
	for i := range s.Rulings {
		for _, k := range s.Rulings[i].Keys(s) {
			ruled[k] = true
		}
	}
	var problems []error
	for _, r := range list {
		for i := range r.Results {
			x := &r.Results[i]
			if !x.Verdict.Red() && x.Verdict != reports.Blocked {
				continue
			}
			k := Key{x.ID, requirement.Revision(x.Revision), requirement.Transport(x.Transport), x.Verdict}
			if !ruled[k] {
				problems = append(problems, fmt.Errorf("no ruling on: %s at %s; expected %s; actual %s%s", k, x.Section, x.Expected, x.Actual, x.Reason))
			}
			delete(ruled, k)
		}
	}
	left := make([]Key, 0, len(ruled))
	for k := range ruled {
		left = append(left, k)
	}
	slices.SortFunc(left, Key.Compare)
	for _, k := range left {
		problems = append(problems, fmt.Errorf("not seen any more: %s", k))
	}
	return errors.Join(problems...)
}

// checker looks for what is wrong with a file that could be read.
type checker struct {
	index    *yamlfile.Index
	problems []yamlfile.Problem
}

func (c *checker) fail(path, format string, args ...any) {
	c.problems = append(c.problems, c.index.Problem(path, format, args...))
}

func (c *checker) file(f *File) {
	if len(f.Servers) == 0 {
		c.fail("servers", "there are no servers")
	}
	names := make(map[string]bool)
	for i := range f.Servers {
		path, s := fmt.Sprintf("servers[%d]", i), &f.Servers[i]
		if s.Name == "" || names[s.Name] {
			c.fail(path, "a server needs a name of its own, not %q", s.Name)
		}
		names[s.Name] = true
		c.server(path, s)
	}
}

func (c *checker) server(path string, s *Server) {
	origins := 0
	for _, o := range []string{s.Go, s.Npm, s.Installed} {
		if o != "" {
			origins++
		}
	}
	if origins != 1 {
		c.fail(path, "%s: exactly one of go, npm and installed is needed", s.Name)
	}
	if s.Version == "" {
		c.fail(path, "%s: the version is missing", s.Name)
	}
	if len(s.Endpoints) == 0 {
		c.fail(path, "%s: there are no endpoints", s.Name)
	}
	seen := make(map[requirement.Transport]bool)
	for i := range s.Endpoints {
		e := &s.Endpoints[i]
		at := fmt.Sprintf("%s.endpoints[%d]", path, i)
		if !slices.Contains(requirement.Transports(), e.Transport) || seen[e.Transport] {
			c.fail(at, "an endpoint needs a transport of its own, not %q", e.Transport)
		}
		seen[e.Transport] = true
		if len(e.Command) == 0 {
			c.fail(at, "the command is missing")
		}
		if (e.URL == "") != (e.Transport == requirement.Stdio) {
			c.fail(at, "all transports but stdio need a url, and only they")
		}
	}
	c.rulings(path, s, seen)
}

func (c *checker) rulings(path string, s *Server, transports map[requirement.Transport]bool) {
	ruled := make(map[Key]bool)
	for i := range s.Rulings {
		at, r := fmt.Sprintf("%s.rulings[%d]", path, i), &s.Rulings[i]
		c.ruling(at, r)
		for _, t := range r.Transports {
			if !transports[t] {
				c.fail(at, "%s has no endpoint for the transport %q", s.Name, t)
			}
		}
		for _, k := range r.Keys(s) {
			k.Verdict = "" // no requirement has two verdicts at once
			if ruled[k] {
				c.fail(at, "two rulings on %s (%s, %s)", k.ID, k.Revision, k.Transport)
			}
			ruled[k] = true
		}
	}
}

// cites reports whether the catalogue rests the requirement on the section in
// the revision.
func cites(q *requirement.Requirement, section string, rev requirement.Revision) bool {
	return slices.ContainsFunc(q.Sections, func(s requirement.Section) bool {
		return s.Ref() == section && (s.From == "" || s.From <= rev && rev <= s.To)
	})
}

func (c *checker) ruling(at string, r *Ruling) {
	q, ok := requirement.Find(r.ID)
	if !ok {
		c.fail(at, "there is no requirement %q", r.ID)
		return
	}
	if len(r.Revisions) == 0 {
		c.fail(at, "%s: the revisions are missing", r.ID)
	}
	for _, rev := range r.Revisions {
		if !rev.Known() {
			c.fail(at, "%s: there is no revision %q", r.ID, rev)
		} else if !cites(q, r.Section, rev) {
			c.fail(at, "%s does not rest on the section %q in %s", r.ID, r.Section, rev)
		}
	}
	if !r.Verdict.Red() && r.Verdict != reports.Blocked {
		c.fail(at, "%s: the verdict is fail, warn or blocked, not %q", r.ID, r.Verdict)
	}
	if !sentence(r.Ruling) {
		c.fail(at, "%s: the ruling is a sentence, not %q", r.ID, r.Ruling)
	}
	if !sentence(r.Seen) {
		c.fail(at, "%s: what is seen is a sentence, not %q", r.ID, r.Seen)
	}
}

// sentence reports whether a text can be one.
func sentence(text string) bool { return strings.Contains(text, " ") && strings.HasSuffix(text, ".") }
