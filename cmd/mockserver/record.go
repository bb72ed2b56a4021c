package main

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/mcpcheck/mcpcheck/cmd/internal/helpcmd"
	"github.com/mcpcheck/mcpcheck/internal/environ"
	"github.com/mcpcheck/mcpcheck/internal/plural"
	"github.com/mcpcheck/mcpcheck/internal/telling"
	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/mcpcheck/mcpcheck/reference/record"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// recording are the flags of record.
type recording struct {
	*settings
	to    string
	url   string
	masks []string

	patterns            []*regexp.Regexp // of the masks
	granted             environ.Grant
	headers, headerVars []string
	header              http.Header // of both
}

func (s *settings) recordCommand() *cobra.Command {
	r := &recording{settings: s}
	c := helpcmd.New(help, "record", nil, r.act, helpcmd.Flags{
		// These two are flags of serve as well, with another meaning.
		{&s.stdio, "stdio",
			"the client starts this program and speaks stdio with it; so it is unless --http is given"},
		{&s.addr, "http",
			"the client calls this `ADDRESS`, say 127.0.0.1:0, at the path that standard error says"},
		{&r.to, "to", "the `FILE` to write; it must not exist"},
		{&r.url, "url", "the `URL` of the endpoint of a server on HTTP"},
		{&r.headers, "header",
			"with --url: send this header, `'NAME: VALUE'`, with each request; a value of 8 bytes or more " +
				"is masked"},
		{&r.headerVars, "header-env",
			"with --url: send a header with the value of an environment variable, `NAME=VAR`; " +
				"masked likewise"},
		{&r.masks, "mask",
			"mask what matches this `PATTERN` (a regular expression) in messages, headers and paths"},
	})
	r.granted.Register(c.Flags(), "the server")
	return c
}

// only refuses flags that mean nothing to a command.
func only(cmd *cobra.Command, names ...string) error {
	var err error
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if cmd.LocalNonPersistentFlags().Lookup(f.Name) == nil && !slices.Contains(names, f.Name) {
			err = usagef("--%s means nothing to %s", f.Name, cmd.Name())
		}
	})
	return err
}

func (r *recording) act(cmd *cobra.Command, args []string) error {
	if err := r.check(cmd, args); err != nil {
		return err
	}
	file, err := created(r.to)
	if err != nil {
		return err
	}
	h := record.Header{Transport: hook.Stdio}
	if r.addr != "" {
		h.Transport = hook.HTTP
	}
	if h.Server = record.Describe(r.url); r.url == "" {
		h.Server = filepath.Base(args[0])
	}
	recorder, err := record.NewRecorder(file, h, r.patterns, r.secrets()...)
	if err == nil {
		recorder.AllowedHosts, recorder.AllowedOrigins = r.options.AllowedHosts, r.options.AllowedOrigins
		err = r.between(cmd.Context(), recorder, args)
	}
	err = errors.Join(err, file.Close())
	if errors.As(err, &usageError{}) {
		return errors.Join(err, os.Remove(r.to)) // nothing has begun
	}
	return err
}

// created makes the file of --to, which must not be there.
func created(path string) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	switch {
	case errors.Is(err, fs.ErrExist):
		return nil, usagef("--to %s: there is a file of that name, which is not replaced: give another "+
			"one, or remove it", path)
	case err != nil:
		return nil, usagef("--to %s: %w", path, errors.Unwrap(err))
	}
	return file, nil
}

// check finds mistakes in the arguments.
func (r *recording) check(cmd *cobra.Command, args []string) error {
	if err := r.callers(); err != nil {
		return err
	}
	o := &r.options
	switch {
	case r.to == "":
		return usagef("say where to write: mockserver record --to FILE")
	case (len(args) > 0) == (r.url != ""):
		return usagef("give either the command of a server behind -- or --url URL")
	case len(args) > 0 && args[0] == "":
		return usagef("the command of the server is empty")
	case r.stdio && r.addr != "", cmd.Flags().Changed("http") && r.addr == "":
		return usagef("give either --stdio or --http ADDRESS")
	case r.addr == "" && len(o.AllowedOrigins)+len(o.AllowedHosts) > 0:
		return usagef("--allow-origin and --allow-host need --http")
	case r.url == "" && len(r.headers)+len(r.headerVars) > 0:
		return usagef("--header and --header-env need --url")
	case r.url != "" && r.granted.Given():
		return usagef("--env, --env-pass and --env-all need the command of a server")
	}
	if _, err := r.granted.Vars(); err != nil {
		return usagef("--%w", err)
	}
	var err error
	if r.header, err = headers(r.headers, r.headerVars); err != nil {
		return err
	}
	for _, pattern := range r.masks {
		m, err := regexp.Compile(pattern)
		if err != nil {
			return usagef("--mask %s: %w", pattern, err)
		}
		r.patterns = append(r.patterns, m)
	}
	return nil
}

// secrets are the values of headers and of the URL that must not be written down.
func (r *recording) secrets() []string {
	all := slices.Concat(environ.Secrets(), r.granted.Secrets())
	for name, values := range r.header {
		lower := strings.ToLower(name)
		if strings.HasPrefix(lower, "accept") || strings.HasPrefix(lower, "content-") ||
			lower == "user-agent" {
			continue // media types and languages are in messages as well
		}
		for _, v := range values {
			all = append(all, telling.Credentials(v)...)
		}
	}
	u, err := url.Parse(r.url)
	if err != nil {
		return all // who connects there says so
	}
	password, _ := u.User.Password()
	all = append(all, password, strings.Trim(u.User.Username()+":"+password, ":"))
	for _, values := range u.Query() {
		all = append(all, values...)
	}
	return all
}

var headerName = regexp.MustCompile("^[!#$%&'*+.^_`|~0-9A-Za-z-]+$")

// headers reads the headers that go along.
func headers(given, fromEnv []string) (http.Header, error) {
	h := http.Header{}
	for _, s := range given {
		name, value, ok := strings.Cut(s, ":")
		if value = strings.TrimSpace(value); !ok || value == "" || !headerName.MatchString(name) ||
			strings.ContainsAny(value, "\r\n\x00") {
			return nil, usagef("--header is written 'NAME: VALUE'")
		}
		h.Add(name, value)
	}
	for _, s := range fromEnv {
		name, env, ok := strings.Cut(s, "=")
		if !ok || env == "" || !headerName.MatchString(name) {
			return nil, usagef("--header-env is written NAME=VAR, where VAR is the name of an environment " +
				"variable")
		}
		value, err := variable("--header-env", env)
		if err != nil {
			return nil, err
		}
		if strings.ContainsAny(value, "\r\n\x00") {
			return nil, usagef("--header-env: the value of %s cannot stand in a header", env)
		}
		h.Add(name, value)
	}
	return h, nil
}

// openRecording reads a recording from a file.
func (s *settings) openRecording(name string) (*record.Recording, error) {
	if name == "" {
		return nil, usagef("the name of the recording is empty")
	}
	file, err := os.Open(filepath.Clean(name))
	if err != nil {
		return nil, usagef("%s: the file cannot be read: %w", name, errors.Unwrap(err))
	}
	rec, err := record.Read(name, file)
	if err := errors.Join(err, file.Close()); err != nil {
		return nil, usageError{err}
	}
	if rec.Cut {
		s.note("%s ends in the middle of a line, which is left out", strings.TrimSpace(name))
	}
	return rec, nil
}

func (s *settings) replayCommand() *cobra.Command {
	return helpcmd.New(help, "replay", nil, s.replay, nil)
}

func (s *settings) replay(cmd *cobra.Command, args []string) error {
	switch {
	case len(args) != 1:
		return usagef("give one recording: mockserver replay {--stdio | --http ADDRESS} FILE")
	case s.stdio == (s.addr != ""):
		return usagef("give either --stdio or --http ADDRESS")
	}
	if err := errors.Join(s.check(), s.rules()); err != nil {
		return err
	}
	rec, err := s.openRecording(args[0])
	if err != nil {
		return err
	}
	if n, alike := rec.Masked(); n > 0 {
		s.note("%s: values are masked in %s, and match any value when they are replayed%s",
			args[0], plural.Count(n, "request"), ordered(alike))
	}
	if err := s.steer.protect(&s.options, s.addr); err != nil {
		return err
	}
	return s.operate(cmd.Context(), nil, rec.Serve)
}

// ordered says of requests that what was masked has made like others how they are answered.
func ordered(alike int) string {
	if alike == 0 {
		return ""
	}
	return fmt.Sprintf("; %d of these cannot be told apart and are answered in the order in which they "+
		"were recorded", alike)
}
