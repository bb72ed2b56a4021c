package target

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"github.com/mcpcheck/mcpcheck/internal/environ"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/transport"
)

// Endpoint is one way to reach the target: exactly one of Command, URL, Pipe
// and Handler, or Command and URL: a server that is started and then called there.
type Endpoint struct {
	// Name tells endpoints apart in reports; empty means the command or the address.
	Name string `yaml:"name"`
	// Instances is how many copies of the program may run at once, or, at a URL, how
	// many sessions may be open at once; 0 means no limit. Copies of some servers fight
	// over a port or a lock file, and some servers do not survive a second client.
	Instances int `yaml:"instances"`
	// Revisions limits the run on this endpoint; empty means all.
	Revisions []requirement.Revision `yaml:"revisions"`

	// Command is a program and its arguments that speaks stdio, or, beside a URL,
	// that listens there. "{port}" in the URL is a free port, in the command and in
	// values of Env that port.
	Command []string `yaml:"command" is:"command"`
	// Env sets variables of the program's environment. Beside these it gets the usual ones of
	// mcpcheck's own, such as PATH and HOME, and those that EnvPass names. EnvAll gives all but
	// what a CI system sets for itself.
	Env     map[string]Value `yaml:"env"`
	EnvPass []string         `yaml:"env-pass" is:"env-pass"`
	EnvAll  bool             `yaml:"env-all"`
	// Dir is the working directory; empty means the current one.
	Dir string `yaml:"dir" is:"directory"`
	// URL is an http or https address.
	URL string `yaml:"url" is:"url"`
	// Ready tells when a server that was started can be used: see [transport.ParseReady].
	Ready string `yaml:"ready"`
	// Header is sent with every request.
	Header map[string]Value `yaml:"headers" is:"headers"`
	// CAFile holds further certificates to trust, in PEM.
	CAFile string `yaml:"ca-file" is:"file"`
	// Forced is http or sse for an endpoint with a URL or handler; empty or
	// "auto" means that it is to be found out.
	Forced requirement.Transport `yaml:"transport"`

	// Pipe opens a connection to a server in this process that speaks the
	// framing of stdio.
	Pipe func(context.Context) (io.ReadWriteCloser, error) `yaml:"-"`
	// Handler is a server in this process; Path is where it serves the
	// protocol (empty means /mcp for http, /sse for sse).
	Handler http.Handler `yaml:"-"`
	Path    string       `yaml:"-"`

	server *transport.Server // that was started; nil if none was
	given  string            // the URL as it was given, if a server was started
}

// auto is how files say that the transport is to be found out.
const auto requirement.Transport = "auto"

// Transport is what the endpoint speaks; empty for a URL or handler that may
// speak either Streamable HTTP or HTTP+SSE.
func (e *Endpoint) Transport() requirement.Transport {
	if e.Owned() || e.Pipe != nil {
		return requirement.Stdio
	}
	if e.Forced == auto {
		return ""
	}
	return e.Forced
}

// Candidates lists the transports that the endpoint may speak, the likely one first.
func (e *Endpoint) Candidates() []requirement.Transport {
	if t := e.Transport(); t != "" {
		return []requirement.Transport{t}
	}
	return []requirement.Transport{requirement.HTTP, requirement.SSE}
}

// Owned reports whether each connection is a process that we start and end.
func (e *Endpoint) Owned() bool { return len(e.Command) > 0 && e.URL == "" }

// Started reports whether a server is started that all connections share.
func (e *Endpoint) Started() bool { return len(e.Command) > 0 && e.URL != "" }

// Label is the name of the endpoint, else its command line, else its address.
func (e *Endpoint) Label() string {
	return cmp.Or(e.Name, e.NameWithout(func(s string) string { return s }))
}

// DialOptions says how to connect to an endpoint. The zero value is ready for
// use where the transport of the endpoint is known.
type DialOptions struct {
	// Transport is http or sse where the endpoint leaves it open; it must
	// not contradict the endpoint.
	Transport requirement.Transport
	// As is the identity to take on; nil means that of the endpoint.
	As *Identity
	// Anonymous leaves out all headers of the endpoint that are not public.
	Anonymous bool
	Limits    transport.Limits
}

// Dialer makes what opens connections to the endpoint. It fails if a value of
// the environment is missing or the transport is neither known nor possible;
// it contacts nobody.
func (e *Endpoint) Dialer(o DialOptions) (transport.Dialer, error) {
	speaks := e.Transport()
	switch {
	case speaks == "" && o.Transport == "":
		return nil, errors.New("it is not known whether the endpoint speaks Streamable HTTP or HTTP+SSE")
	case speaks == "":
		speaks = o.Transport
	case o.Transport != "" && o.Transport != speaks:
		return nil, fmt.Errorf("the endpoint %s speaks %s, not %s", e.Address(), speaks, o.Transport)
	}
	switch speaks {
	case requirement.Stdio:
		if e.Pipe != nil {
			return &transport.Pipe{Open: e.Pipe, Limits: o.Limits}, nil
		}
		return e.process(o)
	case requirement.HTTP, requirement.SSE:
		return e.client(speaks, o)
	}
	return nil, fmt.Errorf("the transport %q is not known", speaks)
}

func (e *Endpoint) process(o DialOptions) (transport.Dialer, error) {
	if len(e.Command) == 0 {
		return nil, errors.New("the endpoint has no command")
	}
	env, err := variables(e.EnvPass, e.EnvAll, e.Env, cmp.Or(o.As, &Identity{}).Env)
	if err != nil {
		return nil, err
	}
	return &transport.Process{Argv: e.Command, Env: env, Dir: e.Dir, Limits: o.Limits}, nil
}

// variables lists what a program gets beside the usual variables, "K=V": what is passed, and the layers over
// it and over each other.
func variables(pass []string, all bool, layers ...map[string]Value) ([]string, error) {
	env, err := (&environ.Grant{Pass: pass, All: all}).Vars()
	if err != nil {
		return nil, err
	}
	for _, layer := range layers {
		for _, name := range slices.Sorted(maps.Keys(layer)) {
			value, err := layer[name].Reveal()
			if err != nil {
				return nil, fmt.Errorf("env %s: %w", name, err)
			}
			env = append(env, name+"="+value)
		}
	}
	return env, nil
}

func (e *Endpoint) client(speaks requirement.Transport, o DialOptions) (transport.Dialer, error) {
	header, err := e.header(o)
	if err != nil {
		return nil, err
	}
	if e.Started() && e.server == nil {
		return nil, fmt.Errorf("the server of the endpoint %s was not started: see Target.Serve", e.Address())
	}
	client := transport.Client{Handler: e.Handler, CAFile: e.CAFile, Server: e.server}
	address := e.URL
	if e.Handler != nil && address == "" && e.Path != "" {
		address = "http://127.0.0.1/" + strings.TrimPrefix(e.Path, "/")
	}
	h := &transport.HTTP{URL: address, Header: header, Client: client, Limits: o.Limits}
	if speaks == requirement.SSE {
		return (*transport.SSE)(h), nil
	}
	return h, nil
}

// header lays the headers of the identity over those of the endpoint.
func (e *Endpoint) header(o DialOptions) (http.Header, error) {
	own := maps.Clone(e.Header)
	if o.Anonymous {
		maps.DeleteFunc(own, func(_ string, v Value) bool { return !v.Public })
	}
	header, err := reveal(own)
	if err != nil {
		return nil, err
	}
	if o.As != nil {
		over, err := reveal(o.As.Header)
		if err != nil {
			return nil, fmt.Errorf("identity %s: %w", o.As.Name, err)
		}
		maps.Copy(header, over)
	}
	return header, nil
}

// isHost reports whether a value is the host of an endpoint's URL. A variable that tells a
// server where to listen makes no secret of it: without it no URL of a report could be used.
func (t *Target) isHost(value string) bool {
	return slices.ContainsFunc(t.Endpoints, func(e Endpoint) bool {
		u, err := parseURL(e.URL)
		return err == nil && u.Hostname() == value
	})
}

// Secrets lists every value that reports must not show: what the description says, see [Target.stated], the
// secrets of other targets, and those of our own environment, see [environ.Secrets]. The hosts of the
// endpoints are none, unless they are listed. The list is sorted and holds each value once; it
// includes short values, which a masker passes over.
func (t *Target) Secrets() []string {
	found := append(slices.DeleteFunc(slices.Concat(environ.Secrets(), t.Others), t.isHost), t.stated()...)
	slices.Sort(found)
	return slices.Compact(found)
}

// stated lists header values and environment values of endpoints, identities and triggers that are not marked
// public. It adds what is listed as secret, and passwords and keys in URLs and command lines. It is sorted.
func (t *Target) stated() []string {
	var found []string
	visit("", "", reflect.ValueOf(*t), func(path, is string, v reflect.Value) {
		var secrets []string
		switch x := v.Interface().(type) {
		case Value:
			secrets = x.secrets()
		case string:
			if is == "url" {
				secrets = urlSecrets(x)
			}
		case []string:
			if is == "command" {
				_, secrets = hideArgs(x)
			} else if is == "env-pass" {
				secrets = (&environ.Grant{Pass: x}).Secrets()
			}
		}
		for _, s := range secrets {
			if s != "" && (strings.HasPrefix(path, "secrets[") || !t.isHost(s)) {
				found = append(found, s)
			}
		}
	})
	slices.Sort(found)
	return slices.Compact(found)
}
