package target

import (
	"context"
	"io"
	"net/http"

	"github.com/mcpcheck/mcpcheck/suite/requirement"
)

// Endpoint is one way to reach the target: exactly one of Command, URL, Pipe
// and Handler.
type Endpoint struct {
	// Name tells endpoints apart in reports; empty means the address.
	Name string `yaml:"name"`
	// Instances is how many copies of the program may run at once, or, at a URL, how
	// many sessions may be open at once; 0 means no limit. Copies of some servers fight
	// over a port or a lock file, and some servers do not survive a second client.
	Instances int `yaml:"instances"`
	// Revisions limits the run on this endpoint; empty means all.
	Revisions []requirement.Revision `yaml:"revisions"`

	// Command is a program and its arguments that speaks stdio.
	Command []string `yaml:"command"`
	// Env is added to the environment of mcpcheck, which the program inherits.
	Env map[string]Value `yaml:"env"`
	// Dir is the working directory; empty means the current one.
	Dir string `yaml:"dir"`
	// URL is an http or https address.
	URL string `yaml:"url"`
	// Header is sent with every request.
	Header map[string]Value `yaml:"headers"`
	// CAFile holds further certificates to trust, in PEM.
	CAFile string `yaml:"ca-file"`
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
}

// auto is how files say that the transport is to be found out.
const auto requirement.Transport = "auto"

// Transport is what the endpoint speaks; empty for a URL or handler that may
// speak either Streamable HTTP or HTTP+SSE.
func (e *Endpoint) Transport() requirement.Transport {
	if len(e.Command) > 0 || e.Pipe != nil {
		return requirement.Stdio
	}
	if e.Forced == auto {
		return ""
	}
	return e.Forced
}

// Owned reports whether the target's process is started and ended by us.
func (e *Endpoint) Owned() bool { return len(e.Command) > 0 }

// Label is the name of the endpoint, else its address.
func (e *Endpoint) Label() string {
	if e.Name != "" {
		return e.Name
	}
	return e.Address()
}
