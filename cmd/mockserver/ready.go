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
	if err := output.Private(s.ready, nil, func(w io.Writer) error { return json.NewEncoder(w).Encode(r) }); err != nil {
		return fmt.Errorf("--ready-file %s: %w", s.ready, err)
	}
	err := serve()
	if gone := os.Remove(s.ready); !errors.Is(gone, os.ErrNotExist) { // whoever has read it may have removed it
		err = errors.Join(err, gone)
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
