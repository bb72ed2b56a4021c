package operation

import (
	"math/rand/v2"
	"net/http"
	"sync"

	"github.com/mcpcheck/mcpcheck/reference/hook"
)

// noted is the root of paths into what has been noted, and the values of Per say for whom.
const (
	noted         = "noted"
	perConnection = "connection"
	perSession    = "session"
	perRevision   = "revision"
)

// maxNoted bounds the values under a name, and the connections, sessions and revisions that have some.
const maxNoted = 10_000

// memory is what has been noted on a server, and what it draws by chance.
type memory struct {
	per map[string]string // by name

	mu     sync.Mutex
	rng    *rand.Rand
	values map[[2]string][]any // by name, and connection, session or revision
}

// place is where a message was sent, and what is remembered there.
type place struct {
	*memory
	connection, session, revision string
}

func (p place) key(name string) [2]string {
	switch p.per[name] {
	case perConnection:
		return [2]string{name, p.connection}
	case perSession:
		return [2]string{name, p.session}
	case perRevision:
		return [2]string{name, p.revision}
	}
	return [2]string{name}
}

// read are the values under a name, oldest first; ok is false if there are none.
func (p place) read(name string) (values any, ok bool) {
	if p.memory == nil {
		return nil, false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	all := p.values[p.key(name)]
	return all[:len(all):len(all)], len(all) > 0
}

// write adds a value to those under a name.
func (p place) write(name string, value any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	key := p.key(name)
	switch n := len(p.values[key]); {
	case n == 0 && len(p.values) >= maxNoted:
		return
	case n >= maxNoted:
		p.values[key] = p.values[key][1:]
	}
	p.values[key] = append(p.values[key], value)
}

// at is a subject with what is remembered where it was sent.
func (pl *plan) at(s *subject, connection, session, revision string) *subject {
	s.place = place{&pl.memory, connection, session, revision}
	return s
}

// atCall is at for what has to do with a call.
func (pl *plan) atCall(s *subject, c *hook.Call) *subject {
	if c.Session == nil {
		return pl.at(s, "", "", c.Revision)
	}
	return pl.at(s, c.Connection(), c.Session.ID(), c.Revision)
}

// atMessage is at for what the server sends.
func (pl *plan) atMessage(s *subject, m hook.Message) *subject {
	switch {
	case m.Call != nil:
		return pl.atCall(s, m.Call)
	case m.Session != nil:
		return pl.at(s, m.Session.ID(), m.Session.ID(), m.Session.Revision())
	}
	return pl.at(s, "", "", "")
}

// atExchange is at for an HTTP request and its answer.
func (pl *plan) atExchange(s *subject, r *http.Request) *subject {
	return pl.at(s, r.RemoteAddr, r.Header.Get("Mcp-Session-Id"), r.Header.Get("Mcp-Protocol-Version"))
}
