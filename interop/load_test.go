package interop

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcpcheck/mcpcheck/internal/yamlfile"
	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/mcpcheck/mcpcheck/suite/area"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
)

// Server is a server that is judged, with the verdicts it deserves: the content
// of one file.
type Server struct {
	// Name is that of the file without its ending.
	Name string `yaml:"-"`
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
	// Unjudged is given instead of rulings if the server cannot be started
	// without what most machines lack, and says what that is.
	Unjudged string `yaml:"unjudged"`
	// Rulings are all its red and blocked verdicts.
	Rulings []Ruling `yaml:"rulings"`
}

// Endpoint says how a server is started and reached over one transport. In its
// values {program} stands for the program that was built, {targets} for the
// directory with the installed servers, {testdata} for the directory of that name
// beside the tests, {scratch} for an empty directory and {port} for a free port. A
// server whose port cannot be chosen has it in the URL, and is left out while
// another program uses that port.
type Endpoint struct {
	Transport requirement.Transport `yaml:"transport"`
	Command   []string              `yaml:"command"`
	Env       map[string]string     `yaml:"env"`
	// URL is given for all transports but stdio.
	URL string `yaml:"url"`
	// Header is sent with every request, where there is a URL.
	Header map[string]string `yaml:"headers"`
	// Instances is how many sessions, or copies of the program, stand at once; 0 is
	// no limit.
	Instances int `yaml:"instances"`
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
	// Chance says why the server does not do it each time, if that is so: then the
	// verdict may be missing.
	Chance string `yaml:"chance"`
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

// LoadAll reads the files of a directory whose names end in .yaml, in their order.
func LoadAll(dir string) ([]*Server, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.yaml"))
	if err != nil {
		return nil, err
	}
	var list []*Server
	var problems []error
	for _, path := range paths {
		s, err := Load(path)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		list = append(list, s)
	}
	if len(paths) == 0 {
		problems = append(problems, fmt.Errorf("%s: there are no servers", dir))
	}
	return list, errors.Join(problems...)
}

// Load reads the file of a server, strictly: besides what no YAML file may
// contain, a requirement, revision, transport or verdict that does not exist, a
// ruling without its reason and two rulings on one verdict are errors.
func Load(path string) (*Server, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	s := Server{Name: strings.TrimSuffix(filepath.Base(path), ".yaml")}
	index, err := yamlfile.Decode(path, data, &s)
	if err != nil {
		return nil, err
	}
	c := checker{index}
	c.server(&s)
	return &s, index.Err()
}

// Judge compares the red and blocked verdicts of reports with the rulings. The
// error lists all verdicts without a ruling and all rulings without a verdict.
func (s *Server) Judge(list ...*reports.Report) error {
	ruled := make(map[Key]bool) // whether it has to be seen
	for i := range s.Rulings {
		for _, k := range s.Rulings[i].Keys(s) {
			ruled[k] = s.Rulings[i].Chance == ""
		}
	}
	seen := make(map[Key]bool)
	var problems []error
	for _, r := range list {
		for i := range r.Results {
			x := &r.Results[i]
			if !x.Verdict.Red() && x.Verdict != reports.Blocked {
				continue
			}
			k := Key{x.ID, requirement.Revision(x.Revision), requirement.Transport(x.Transport), x.Verdict}
			if _, ok := ruled[k]; !ok {
				problems = append(problems, fmt.Errorf("no ruling on: %s at %s; expected %s; actual %s%s", k,
					x.Section, x.Expected, x.Actual, x.Reason))
			}
			seen[k] = true
		}
	}
	left := make([]Key, 0, len(ruled))
	for k, due := range ruled {
		if due && !seen[k] {
			left = append(left, k)
		}
	}
	slices.SortFunc(left, Key.Compare)
	for _, k := range left {
		problems = append(problems, fmt.Errorf("not seen any more: %s", k))
	}
	return errors.Join(problems...)
}

// checker looks for what is wrong with a file that could be read.
type checker struct{ *yamlfile.Index }

func (c *checker) server(s *Server) {
	origins := 0
	for _, o := range []string{s.Go, s.Npm, s.Installed} {
		if o != "" {
			origins++
		}
	}
	if origins != 1 {
		c.Fail("", "exactly one of go, npm and installed is needed")
	}
	if s.Version == "" {
		c.Fail("version", "the version is missing")
	}
	if s.Unjudged != "" {
		c.unjudged(s)
		return
	}
	if len(s.Endpoints) == 0 {
		c.Fail("endpoints", "there are no endpoints")
	}
	c.rulings(s, c.endpoints(s))
}

// unjudged checks a server that cannot be judged.
func (c *checker) unjudged(s *Server) {
	if !sentence(s.Unjudged) {
		c.Fail("unjudged", "the reason is a sentence, not %q", s.Unjudged)
	}
	if len(s.Endpoints) > 0 || len(s.Rulings) > 0 {
		c.Fail("unjudged", "a server that is not judged has neither endpoints nor rulings")
	}
}

// endpoints checks the endpoints and returns their transports.
func (c *checker) endpoints(s *Server) map[requirement.Transport]bool {
	seen := make(map[requirement.Transport]bool)
	for i := range s.Endpoints {
		e := &s.Endpoints[i]
		at := fmt.Sprintf("endpoints[%d]", i)
		if !slices.Contains(requirement.Transports(), e.Transport) || seen[e.Transport] {
			c.Fail(at, "an endpoint needs a transport of its own, not %q", e.Transport)
		}
		seen[e.Transport] = true
		if len(e.Command) == 0 {
			c.Fail(at, "the command is missing")
		}
		if (e.URL == "") != (e.Transport == requirement.Stdio) {
			c.Fail(at, "all transports but stdio need a url, and only they")
		}
		if len(e.Header) > 0 && e.Transport == requirement.Stdio {
			c.Fail(at, "there are no headers on stdio")
		}
		if e.Instances < 0 {
			c.Fail(at, "instances must be 0 (no limit) or more")
		}
	}
	return seen
}

func (c *checker) rulings(s *Server, transports map[requirement.Transport]bool) {
	ruled := make(map[Key]bool)
	for i := range s.Rulings {
		at, r := fmt.Sprintf("rulings[%d]", i), &s.Rulings[i]
		c.ruling(at, r)
		for _, t := range r.Transports {
			if !transports[t] {
				c.Fail(at, "there is no endpoint for the transport %q", t)
			}
		}
		for _, k := range r.Keys(s) {
			k.Verdict = "" // no requirement has two verdicts at once
			if ruled[k] {
				c.Fail(at, "two rulings on %s (%s, %s)", k.ID, k.Revision, k.Transport)
			}
			ruled[k] = true
		}
	}
}

// cites reports whether the catalogue rests the requirement on the section in
// the revision.
func cites(q *requirement.Requirement, section string, rev requirement.Revision) bool {
	return slices.ContainsFunc(q.Sections, func(s requirement.Section) bool {
		return s.Ref() == section && s.Holds(rev)
	})
}

func (c *checker) ruling(at string, r *Ruling) {
	q, ok := area.Catalogue().Find(r.ID)
	if !ok {
		c.Fail(at, "there is no requirement %q", r.ID)
		return
	}
	if len(r.Revisions) == 0 {
		c.Fail(at, "%s: the revisions are missing", r.ID)
	}
	for _, rev := range r.Revisions {
		if !rev.Known() {
			c.Fail(at, "%s: there is no revision %q", r.ID, rev)
		} else if !cites(q, r.Section, rev) {
			c.Fail(at, "%s does not rest on the section %q in %s", r.ID, r.Section, rev)
		}
	}
	if !r.Verdict.Red() && r.Verdict != reports.Blocked {
		c.Fail(at, "%s: the verdict is fail, warn or blocked, not %q", r.ID, r.Verdict)
	}
	if !sentence(r.Ruling) {
		c.Fail(at, "%s: the ruling is a sentence, not %q", r.ID, r.Ruling)
	}
	if r.Chance != "" && !sentence(r.Chance) {
		c.Fail(at, "%s: why it is not seen each time is a sentence, not %q", r.ID, r.Chance)
	}
	if !sentence(r.Seen) {
		c.Fail(at, "%s: what is seen is a sentence, not %q", r.ID, r.Seen)
	}
}

// sentence reports whether a text can be one.
func sentence(text string) bool { return strings.Contains(text, " ") && strings.HasSuffix(text, ".") }
