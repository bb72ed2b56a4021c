package registry

import (
	"cmp"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/mcpcheck/mcpcheck/suite/target"
	"github.com/tidwall/gjson"
)

// kinds are the kinds of packages that can be started: the domain of the registry that the tool knows, what
// stands between identifier and version, and command lines. In install a * stands for the package. run ends
// before the options of the tool, behind which the package follows.
var kinds = map[string]struct {
	home, separator string
	install, run    []string
}{
	"npm": {"npmjs.org", "@", []string{"npx", "-y", "--package=*", "-c", "exit 0"},
		[]string{"npx", "-y"}},
	"pypi": {"pypi.org", "==", []string{"uvx", "--from", "*", "python", "-c", "pass"}, []string{"uvx"}},
	oci: {"docker.io", ":", []string{"docker", "pull", "-q", "*"},
		[]string{"docker", "run", "-i", "--rm"}},
}

const oci = "oci"

var (
	braces = regexp.MustCompile(`\{[A-Za-z_][A-Za-z0-9_-]*\}`)
	// tagged fits the name of an image with a tag or digest.
	tagged = regexp.MustCompile(`[:@][^/]*$`)
	// closed fits words for docker that leave a container as closed as it is.
	closed = regexp.MustCompile(`^(?:[^-]|$|(?:-i|-e|--env|--rm|--init|-p|--publish|--platform)(?:=|$))`)
)

// Start says how a server is started, or where it is.
type Start struct {
	// What is the package with its kind and version, or the URL.
	What string
	// Install is a command that fetches the package and starts nothing of it; Command starts the server.
	// Both are empty for a remote.
	Install, Command []string
	// Boxed says that the command starts a container.
	Boxed bool
	// URL is where it listens, empty for stdio. It may have {port} for a free port.
	URL, Transport string
	// Env are variables of which the entry says the value, Given those of which the user does, Headers those
	// of requests.
	Env, Given, Headers map[string]string
	// Secrets are all values of the user's.
	Secrets []string
	// Without names secrets that the entry does not call required, and that the user has not given.
	Without []string

	values, filled map[string]string // what the user gives, and what is in use
	missing        []string
	template       string // the URL of a package, with names in braces
}

// Refusal is why a server is not started: a status of [reports.MatrixTarget], and a sentence.
type Refusal struct{ Status, Reason string }

// Start says how the server is started: by the first package or else remote for which there is a tool and
// nothing is missing. Values are those of the user, by the names of variables, headers and arguments; has
// reports whether there is a program on this machine. Without a way, the refusal says why.
func (e *Entry) Start(values map[string]string, has func(program string) bool) (*Start, *Refusal) {
	official := gjson.ParseBytes(e.Meta["io.modelcontextprotocol.registry/official"])
	switch {
	case e.Problem != "":
		return nil, &Refusal{reports.MatrixInvalid, e.Problem}
	case official.Get("status").String() == "deleted":
		return nil, &Refusal{reports.MatrixDeleted, "deleted: " + official.Get("statusMessage").String()}
	}
	ways := slices.Clone(e.Server.Packages)
	for _, remote := range e.Server.Remotes {
		ways = append(ways, pack{Transport: remote})
	}
	refusal := &Refusal{reports.MatrixNotStartable, "its entry names neither a package nor a remote"}
	for i := range ways {
		s := &Start{Transport: ways[i].Transport.Type, Env: map[string]string{}, Given: map[string]string{},
			Headers: map[string]string{}, values: values, filled: map[string]string{}}
		r := &Refusal{reports.MatrixNotStartable, cmp.Or(s.fill(&ways[i], has), s.address(&ways[i], e.local))}
		if r.Reason == "" && len(s.missing) > 0 {
			r = &Refusal{reports.MatrixNeedsKey, "it needs " + strings.Join(s.missing, ", ") +
				": write values into a file and name that with --values"}
		}
		switch {
		case r.Reason == "":
			return s, nil
		case i == 0, r.Status == reports.MatrixNeedsKey:
			refusal = r
		}
	}
	return nil, refusal
}

// fill puts the commands of a package together, or says in a sentence why that is not possible.
func (s *Start) fill(p *pack, has func(string) bool) string {
	k, known := kinds[p.RegistryType]
	base, err := url.Parse(p.RegistryBaseURL)
	switch {
	case p.RegistryType == "":
		return "" // a remote
	case !known:
		return "packages of the kind " + p.RegistryType + " cannot be started"
	case len(p.RuntimeArguments) > 0 && p.RuntimeHint != "" && p.RuntimeHint != k.run[0]:
		return "its runtimeArguments are for " + p.RuntimeHint + ", and " + k.run[0] + " starts it here"
	case err != nil || base.Host != "" && !strings.HasSuffix("."+base.Host, "."+k.home) &&
		!strings.HasPrefix(p.Identifier, base.Host+"/"):
		return "its package is in another registry than " + k.home
	case !has(k.run[0]):
		return k.run[0] + " is not installed on this machine"
	}
	s.template = p.Transport.URL
	s.Boxed = p.RegistryType == oci
	s.Command = slices.Clone(k.run)
	for _, in := range p.Environment {
		to, given := s.Env, len(s.Secrets)
		value, ok := s.value(in.Name, &in)
		if len(s.Secrets) > given {
			to = s.Given
		}
		if ok {
			to[in.Name] = value
		}
		if ok && s.Boxed {
			s.Command = append(s.Command, "-e", in.Name)
		}
	}
	for _, word := range s.arguments(p.RuntimeArguments) {
		if s.Boxed && !closed.MatchString(word) {
			return "its entry gives docker the option " + word + ", which may open the container"
		}
		s.Command = append(s.Command, word)
	}
	spec := p.Identifier
	if p.Version != "" && !(s.Boxed && tagged.MatchString(spec)) {
		spec += k.separator + p.Version
	}
	for _, word := range k.install {
		s.Install = append(s.Install, strings.Replace(word, "*", spec, 1))
	}
	s.What = p.RegistryType + " " + spec
	s.Command = append(append(s.Command, spec), s.arguments(p.PackageArguments)...)
	return ""
}

// address says where the server listens, and what is sent to it, or in a sentence why that is not possible.
// local says that a remote may be in a private network.
func (s *Start) address(p *pack, local bool) string {
	if s.Transport == "stdio" {
		return ""
	}
	s.URL, _ = s.expand(p.Transport.URL, p.Transport.Variables)
	s.What = cmp.Or(s.What, s.URL)
	for _, in := range p.Transport.Headers {
		if value, ok := s.value(in.Name, &in); ok {
			s.Headers[in.Name] = value
		}
	}
	u, err := url.Parse(strings.Replace(s.URL, "{port}", "1", 1))
	switch {
	case len(s.missing) > 0:
	case err != nil || u.Host == "" || strings.ContainsAny(u.Host+u.Path, "{}"):
		return "its URL cannot be used: " + s.URL
	case s.Command != nil && !private(u):
		return "its package does not listen on this machine: " + s.URL
	case s.Command == nil && !local && private(u):
		return "its remote is in a private network, and the registry is not: " + s.URL
	}
	return ""
}

// value is what an input is set to; false if it is left out.
func (s *Start) value(name string, in *input) (value string, ok bool) {
	bare := strings.TrimLeft(name, "-")
	value, ok = s.values[name]
	switch {
	case in.Value != "":
		value, ok = s.expand(in.Value, in.Variables)
	case ok:
		s.Secrets = append(s.Secrets, value)
	case strings.Contains(s.template, ":{"+bare+"}"): // the port
		value, ok = "{port}", true
	case in.Default != "":
		value, ok = in.Default, true
	case in.Required:
		s.missing = append(s.missing, name)
	case in.Secret:
		s.Without = append(s.Without, name)
	}
	if ok {
		s.filled[bare] = value
	}
	return value, ok
}

// expand replaces names in braces by the variables of an input, or else by what has the name and was filled
// before. It is false if a variable has no value.
func (s *Start) expand(text string, variables map[string]input) (string, bool) {
	all := true
	text = braces.ReplaceAllStringFunc(text, func(mark string) string {
		name := strings.Trim(mark, "{}")
		in, known := variables[name]
		if !known {
			return cmp.Or(s.filled[name], mark)
		}
		value, ok := s.value(name, &in)
		all = all && ok
		return value
	})
	return text, all
}

// arguments are the words that arguments become. A named one that takes no value is a switch.
func (s *Start) arguments(list []input) (words []string) {
	for _, in := range list {
		name := in.Name
		if in.Type == "positional" {
			name = cmp.Or(in.ValueHint, name)
		}
		value, ok := s.value(name, &in)
		if in.Type == "named" && (ok || in.Format == "" && !in.Required && !in.Secret) {
			words = append(words, name)
		}
		if ok {
			words = append(words, value)
		}
	}
	return words
}

// private reports whether a URL leads to this machine or into a private network.
func private(u *url.URL) bool { return (&target.Endpoint{URL: u.String()}).Local() }
