package fault

import (
	"net"

	"github.com/mcpcheck/mcpcheck/reference/hook"
)

// The faults that show on connections, below HTTP.
func init() {
	Register(
		Fault{
			Name: "http-26-one-spelling", Requirement: "HTTP-26", Needs: modernHTTP,
			Summary: "Mcp- headers are known in their usual spelling only",
			Hooks:   hook.Hooks{Conn: func(c net.Conn) net.Conn { return &speller{Conn: c} }},
		},
		Fault{
			Name: "sec-06-everywhere", Requirement: "SEC-06", Needs: Needs{Transports: []string{hook.HTTP, hook.SSE}},
			Summary: "the server listens on all addresses of the machine",
			Hooks:   hook.Hooks{Public: true},
		},
	)
}

// speller spoils the names of headers that begin with "m" or "MC". Lines of a body
// can begin so as well, but JSON on one line does not.
type speller struct {
	net.Conn
	column   int
	previous byte
}

// Read reads with the names changed.
func (s *speller) Read(p []byte) (int, error) {
	n, err := s.Conn.Read(p)
	for i, b := range p[:n] {
		if s.column == 0 && b == 'm' || s.column == 1 && s.previous == 'M' && b == 'C' {
			p[i] = 'X'
		}
		s.column, s.previous = s.column+1, b
		if b == '\n' {
			s.column = 0
		}
	}
	return n, err
}
