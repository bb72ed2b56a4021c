package operation

import (
	"math/rand/v2"
	"net/http"
	"sync"

	"github.com/mcpcheck/mcpcheck/reference/hook"
)

// about is the root of paths into the request that a message belongs to, raw a message as it is sent, noted
// the root of paths into what has been noted, and the values of Per say for whom.
const (
	about         = "request"
	raw           = "raw"
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
	connection, session, revision, transport string
	modern                                   bool
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

// ofCall is the place of a call.
func (pl *plan) ofCall(c *hook.Call) place {
	p := place{&pl.memory, "", "", c.Revision, c.Transport, c.Modern}
	if c.Session != nil {
		p.connection, p.session = c.Connection(), c.Session.ID()
	}
	return p
}

// ofMessage is the place of what the server sends.
func (pl *plan) ofMessage(m hook.Message) place {
	p := place{memory: &pl.memory, transport: m.Transport, modern: hook.Modern(m.Revision)}
	switch {
	case m.Call != nil:
		p = pl.ofCall(m.Call)
		p.transport = m.Transport
	case m.Session != nil:
		p.connection, p.session, p.revision = m.Session.ID(), m.Session.ID(), m.Session.Revision()
	}
	return p
}

// ofExchange is the place of an HTTP request and its answer.
func (pl *plan) ofExchange(r *http.Request) place {
	p := place{&pl.memory, r.RemoteAddr, r.Header.Get("Mcp-Session-Id"), r.Header.Get("Mcp-Protocol-Version"),
		hook.HTTP, false}
	if r.URL.Path == "/sse" || r.URL.Path == "/message" {
		p.transport = hook.SSE
	}
	return p
}
