package target

import (
	"crypto/tls"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/transport"
)

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
	// Header is set over everything else, on HTTP.
	Header http.Header
	Limits transport.Limits
	// TLS is used for https; nil means the defaults of the system. The
	// certificates of CAFile are added to it.
	TLS *tls.Config
	// CloseWait is how long a process has to exit after the end of its
	// input, TermWait after SIGTERM; 0 means the transport's default.
	CloseWait, TermWait time.Duration
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
			return &transport.Pipe{Open: e.Pipe, Limits: o.Limits, CloseWait: o.CloseWait}, nil
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
	layers := []map[string]Value{e.Env}
	if o.As != nil {
		layers = append(layers, o.As.Env)
	}
	var env []string
	for _, layer := range layers {
		for _, name := range slices.Sorted(maps.Keys(layer)) {
			value, err := layer[name].Reveal()
			if err != nil {
				return nil, fmt.Errorf("env %s: %w", name, err)
			}
			env = append(env, name+"="+value)
		}
	}
	return &transport.Process{Argv: e.Command, Env: env, Dir: e.Dir, Limits: o.Limits,
		CloseWait: o.CloseWait, TermWait: o.TermWait}, nil
}

func (e *Endpoint) client(speaks requirement.Transport, o DialOptions) (transport.Dialer, error) {
	header, err := e.header(o)
	if err != nil {
		return nil, err
	}
	client := transport.Client{Handler: e.Handler, TLS: o.TLS, CAFile: e.CAFile}
	address := e.URL
	if e.Handler != nil && address == "" && e.Path != "" {
		address = "http://127.0.0.1/" + strings.TrimPrefix(e.Path, "/")
	}
	if speaks == requirement.SSE {
		return &transport.SSE{URL: address, Header: header, Client: client, Limits: o.Limits}, nil
	}
	return &transport.HTTP{URL: address, Header: header, Client: client, Limits: o.Limits}, nil
}

// header lays the headers of the endpoint, the identity and the options over
// each other.
func (e *Endpoint) header(o DialOptions) (http.Header, error) {
	own := e.Header
	if o.Anonymous {
		own = make(map[string]Value)
		for name, v := range e.Header {
			if v.Public {
				own[name] = v
			}
		}
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
		for name, values := range over {
			header[name] = values
		}
	}
	for name, values := range o.Header {
		header[http.CanonicalHeaderKey(name)] = values
	}
	return header, nil
}
