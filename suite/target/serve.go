package target

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mcpcheck/mcpcheck/internal/environ"
	"github.com/mcpcheck/mcpcheck/internal/yamlfile"
	"github.com/mcpcheck/mcpcheck/suite/transport"
)

// Serve starts, side by side, the servers of those endpoints that have a command and a
// URL and are wanted (nil: all), and waits until they are ready, or for the given time (0:
// 30 s). It returns a target like this one in which the ports are known, and what ends the
// servers. Endpoints with the same command and the same host and port share a server. One that
// does not start says why to whoever connects to it.
//
// So they are in the triggers. Where nothing is to be started, or was already, the target comes back as it
// is.
func (t *Target) Serve(ctx context.Context, wait time.Duration, wanted func(*Endpoint) bool) (served *Target,
	stop func(), err error) {
	started := &servers{wait: wait, known: map[string]*transport.Server{}}
	endpoints := slices.Clone(t.Endpoints)
	var mine []*Endpoint
	for i := range endpoints {
		e := &endpoints[i]
		if !e.Started() || e.server != nil || wanted != nil && !wanted(e) {
			continue
		}
		if e.server, err = started.of(e); err != nil {
			return nil, nil, fmt.Errorf("the endpoint %s: %w", e.Label(), err)
		}
		mine = append(mine, e)
	}
	if len(mine) == 0 {
		return t, func() {}, nil
	}
	started.each(func(s *transport.Server) { _ = s.Start(ctx) }) // who connects is told the error
	copied := *t
	copied.Endpoints = endpoints
	for _, e := range mine {
		if e.given, e.URL = e.URL, e.server.URL(e.URL); portMarked(e.given) {
			copied.Triggers = t.Triggers.filled(e.server.URL)
		}
	}
	return &copied, func() { started.each((*transport.Server).Close) }, nil
}

// servers are those of a target, by what tells them apart.
type servers struct {
	wait  time.Duration
	known map[string]*transport.Server
}

// of is the server of an endpoint.
func (s *servers) of(e *Endpoint) (*transport.Server, error) {
	env, err := variables(e.EnvPass, e.EnvAll, e.Env)
	if err != nil {
		return nil, err
	}
	ready, err := transport.ParseReady(e.Ready)
	if err != nil {
		return nil, fmt.Errorf("ready %w", err)
	}
	u, err := parseURL(e.URL)
	if err != nil {
		return nil, errors.New("the URL cannot be read")
	}
	key := fmt.Sprintf("%q %q %q %q %t %s", e.Command, env, e.Dir, u.Host, portMarked(e.URL), e.Ready)
	if s.known[key] == nil {
		s.known[key] = transport.NewServer(transport.Program{
			Argv: e.Command, Env: env, Dir: e.Dir, URL: e.URL, Ready: ready, StartWait: s.wait,
		})
	}
	return s.known[key], nil
}

// each does something with all servers, side by side.
func (s *servers) each(do func(*transport.Server)) {
	var all sync.WaitGroup
	for _, server := range s.known {
		all.Go(func() { do(server) })
	}
	all.Wait()
}

// Server is the server that was started for the endpoint; nil if none was.
func (e *Endpoint) Server() *transport.Server { return e.server }

// started checks an endpoint whose server is started.
func (c *checker) started(path string, e *Endpoint) {
	if !e.Started() {
		if e.Ready != "" {
			c.fail(path+".ready",
				"needs a command and a url: it says when a server that is started can be used")
		}
		if portMarked(e.URL) {
			c.fail(path+".url", "has %s for the port, but no command that is started to listen there",
				transport.PortMark)
		}
		return
	}
	if _, err := transport.ParseReady(e.Ready); err != nil {
		c.fail(path+".ready", "%v", err)
	}
	told := tells(e)
	u, err := parseURL(e.URL)
	switch {
	case err != nil: // it was said already
	case !loopback(u.Hostname()):
		c.fail(path+".url",
			"must name this machine (127.0.0.1, localhost or [::1]): the command is to listen there")
	case portMarked(e.URL) && !told:
		c.fail(path+".url",
			"has %[1]s, but the program is not told that port: write %[1]s in an argument of the command,"+
				" too, or as the value of a variable in env, such as PORT", transport.PortMark)
	case !portMarked(e.URL) && told:
		c.fail(path+".url",
			"must have %[1]s for the port, as in http://127.0.0.1:%[1]s/mcp: the program is told %[1]s",
			transport.PortMark)
	case !portMarked(e.URL) && u.Port() == "":
		c.fail(path+".url", "must have a port, or %s for one that is free", transport.PortMark)
	}
}

// tells reports whether the program is told the port.
func tells(e *Endpoint) bool {
	marked := func(s string) bool { return strings.Contains(s, transport.PortMark) }
	for _, v := range e.Env {
		if marked(v.Value) {
			return true
		}
	}
	return slices.ContainsFunc(e.Command, marked)
}

// loopback reports whether a host is this machine.
func loopback(host string) bool {
	return slices.Contains([]string{"127.0.0.1", "localhost", "::1"}, strings.ToLower(host))
}

// DefaultURL is where a server that is started is looked for, if nothing else is said.
const DefaultURL = "http://127.0.0.1:" + transport.PortMark + "/mcp"

// serve is the target that a command starts and that is called at a URL.
func (o *Flags) serve(command []string) (*Target, error) {
	flags := *o
	flags.URL, flags.Dir, flags.Grant = cmp.Or(o.URL, DefaultURL), "", environ.Grant{}
	t, err := flags.address()
	if err != nil {
		return nil, err
	}
	e := &t.Endpoints[0]
	e.Command, e.Dir, e.Ready = command, o.Dir, o.Ready
	if err := o.environment(e); err != nil {
		return nil, err
	}
	if o.URL == "" && !tells(e) {
		return nil, fmt.Errorf("the program is not told at which port to listen: write %[1]s in its "+
			"command, or --env PORT=%[1]s, or give --url with the port that it has chosen",
			transport.PortMark)
	}
	c := &checker{index: &yamlfile.Index{}}
	if c.started("-", e); len(c.index.Problems) > 0 {
		return nil, errors.New(strings.Replace(c.index.Problems[0].Message, "-.", "--", 1))
	}
	return t, nil
}
