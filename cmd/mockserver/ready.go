package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"

	"github.com/mcpcheck/mcpcheck/internal/output"
)

// readiness is what is told of a server that is ready, as a line of JSON.
type readiness struct {
	URL      string `json:"url,omitempty"`
	SSEURL   string `json:"sseUrl,omitempty"`
	AdminURL string `json:"adminUrl,omitempty"`
	PID      int    `json:"pid"`
	Version  string `json:"version"`
}

// whileReady serves with the file that says so, if one is asked for.
func (s *settings) whileReady(r readiness, serve func() error) error {
	if s.ready == "" {
		return serve()
	}
	r.PID, r.Version = os.Getpid(), tool().Version
	// Nobody sees a part of the file.
	if err := output.Private(s.ready, nil, func(w io.Writer) error {
		return json.NewEncoder(w).Encode(r)
	}); err != nil {
		return fmt.Errorf("--ready-file %s: %w", s.ready, err)
	}
	wrote, _ := os.Stat(s.ready)
	err := serve()
	// else who has read it has removed it, or put another there
	if now, _ := os.Stat(s.ready); os.SameFile(now, wrote) {
		err = errors.Join(err, os.Remove(s.ready))
	}
	return err
}

// callable is an address by which this machine can call what listens at it.
func callable(at net.Addr) string {
	tcp, ok := at.(*net.TCPAddr)
	if !ok || !tcp.IP.IsUnspecified() {
		return at.String()
	}
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(tcp.Port))
}

// unused is what went wrong when something was closed that may have been closed before.
func unused(err error) error {
	if errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}

// busyError is an address that is well written but cannot be had: exit code 1.
type busyError struct{ error }

// Unwrap is why the address cannot be had.
func (e busyError) Unwrap() error { return e.error }

// unlistened says, with the flag, why an address cannot be listened on.
func unlistened(flag, addr string, err error) error {
	if refused, ok := errors.AsType[*os.SyscallError](err); ok {
		return busyError{fmt.Errorf("%s %s: %w: choose another port, or 0 for any that is free", flag, addr,
			refused.Err)}
	}
	var malformed *net.AddrError
	var unknown *net.DNSError
	if errors.As(err, &malformed) || errors.As(err, &unknown) {
		return usagef("%s %s: this is no HOST:PORT of this machine, as 127.0.0.1:8931 is", flag, addr)
	}
	return usagef("%s %s: %w", flag, addr, err)
}

// busy takes the mark of a mistake in the arguments from an address that cannot be had.
func busy(err error) error {
	if b, ok := errors.AsType[busyError](err); ok {
		return b
	}
	return err
}
