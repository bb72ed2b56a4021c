package control

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/tidwall/gjson"

	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/mcpcheck/mcpcheck/reference/journal"
	"github.com/mcpcheck/mcpcheck/reference/operation"
)

// maxRules bounds a set.
const maxRules = 1000

// Status is a rule of a set and how it has fared.
type Status struct {
	Rule
	// Name is what the journal calls it.
	Name string `json:"name"`
	// Requirement is the requirement that a fault breaks or that permits a
	// quirk, or "connection".
	Requirement string `json:"requirement,omitempty"`
	// Summary says in one clause what it does.
	Summary string `json:"summary,omitempty"`
	// Hits is how many messages it has been applied to.
	Hits int `json:"hits"`
	// Done says that its count is used up.
	Done bool `json:"done,omitempty"`
	// Warnings say what is most likely a mistake in the rule, or why it cannot show.
	Warnings []string `json:"warnings,omitempty"`
}

// Set is the rules of one server. Its methods may be used from several goroutines.
type Set struct {
	seed    uint64
	journal *journal.Journal

	mu     sync.Mutex
	nodes  []*node // outermost first
	added  uint64
	serial uint64

	states states
	base   chain // the server without any rule
	head   atomic.Pointer[chain]
	// live is nodes, for those who only look.
	live atomic.Pointer[[]*node]
}

// New makes an empty set. Rules that are applied are noted in the journal, which
// may be nil.
func New(seed uint64, j *journal.Journal) *Set {
	s := &Set{seed: seed, journal: j}
	s.head.Store(&chain{})
	s.live.Store(&[]*node{})
	s.states.now.Store(&map[string]string{})
	return s
}

// stream makes a source of randomness.
func stream(seed, number uint64) *rand.Rand {
	return rand.New(rand.NewPCG(seed, number)) // #nosec G404 -- what a seed gives has to be the same again
}

// The sources of randomness of the rules: those that a server starts with are
// numbered by sort, so that adding a quirk changes nothing for the faults.
const (
	streamQuirks = 1 << 32
	streamOthers = 2 << 32
	streamLater  = 3 << 32
	streamChance = 1 << 63
)

// Start adds the rules that a server starts with, in this order from outside to
// inside within each sort.
func (s *Set) Start(rules []Rule) error {
	numbers := map[int]uint64{
		rankFault:   0,
		rankQuirk:   streamQuirks,
		rankFailure: streamOthers,
		rankDelay:   streamOthers + 1<<16,
	}
	prepared := make([]*node, 0, len(rules))
	for _, r := range rules {
		about, _ := r.find() // prepare says what is wrong with it
		n, err := s.prepare(r, numbers[about.rank])
		if err != nil {
			return err
		}
		numbers[n.rank]++
		prepared = append(prepared, n)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, n := range slices.Backward(prepared) {
		if err := s.insert(n); err != nil {
			return err
		}
	}
	return nil
}

// Add switches a rule on and returns it with its id.
func (s *Set) Add(r Rule) (Status, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.added++
	n, err := s.prepare(r, streamLater+s.added)
	if err != nil {
		return Status{}, err
	}
	if err := s.insert(n); err != nil {
		return Status{}, err
	}
	return n.status(), nil
}

// Remove switches a rule off; nothing is known of it then. It reports whether
// there was one with that id. What it has begun (a delay) runs out.
func (s *Set) Remove(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := len(s.nodes)
	s.nodes = slices.DeleteFunc(slices.Clone(s.nodes), func(n *node) bool { return n.rule.ID == id })
	s.link()
	return len(s.nodes) < before
}

// Clear switches all rules off.
func (s *Set) Clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.nodes = nil
	s.link()
}

// List lists the rules, outermost first.
func (s *Set) List() []Status {
	all := []Status{}
	for _, n := range *s.live.Load() {
		all = append(all, n.status())
	}
	return all
}

// Find returns the rule with that id.
func (s *Set) Find(id string) (Status, bool) {
	for _, n := range *s.live.Load() {
		if n.rule.ID == id {
			return n.status(), true
		}
	}
	return Status{}, false
}

// insert puts a rule before the others of its sort. The caller holds mu.
func (s *Set) insert(n *node) error {
	if len(s.nodes) >= maxRules {
		return fmt.Errorf("there are %d rules already", maxRules)
	}
	for n.rule.ID == "" {
		s.serial++
		id := fmt.Sprintf("rule-%d", s.serial)
		if !s.has(id) {
			n.rule.ID = id
		}
	}
	if s.has(n.rule.ID) {
		return fmt.Errorf("there is a rule %q already", n.rule.ID)
	}
	at := slices.IndexFunc(s.nodes, func(other *node) bool { return other.rank >= n.rank })
	if at < 0 {
		at = len(s.nodes)
	}
	s.nodes = slices.Insert(slices.Clone(s.nodes), at, n)
	s.link()
	return nil
}

func (s *Set) has(id string) bool {
	return slices.ContainsFunc(s.nodes, func(n *node) bool { return n.rule.ID == id })
}

// link chains the rules. What is on its way through them then goes on as it began. The caller holds mu.
func (s *Set) link() {
	way := s.base
	for _, n := range slices.Backward(s.nodes) {
		way = n.through(way)
	}
	s.head.Store(&way)
	s.live.Store(new(s.nodes))
}

// Hooks puts the rules around a server. A set serves one server only.
func (s *Set) Hooks() hook.Hooks {
	return hook.Hooks{
		About: func(t *hook.Trace) bool {
			return s.anyHas(func(n *node) bool { return n.hooks.Concern(t) && n.matcher.Concerns(t) })
		},
		Handle:  entered(s, func(c *chain) *hook.Handler { return &c.handle }),
		Emit:    entered(s, func(c *chain) *hook.Emitter { return &c.emit }),
		Receive: entered(s, func(c *chain) *hook.Receiver { return &c.receive }),
		Event:   entered(s, func(c *chain) *hook.EventWriter { return &c.event }),
		HTTP: func(next http.Handler) http.Handler {
			return handler(entered(s, func(c *chain) *way { return &c.web })(serves(next)))
		},
		EventStreams: func(t *hook.Trace) bool {
			return s.anyHas(func(n *node) bool { return n.hooks.EventStreams.Holds(t) && n.holds(t) })
		},
		OffGrid: func(t *hook.Trace) bool {
			return s.anyHas(func(n *node) bool { return n.hooks.OffGrid.Holds(t) })
		},
		Public: func(t *hook.Trace) bool {
			return s.anyHas(func(n *node) bool { return n.hooks.Public.Holds(t) })
		},
		Conn: func(c net.Conn) net.Conn { return hook.Wrap(s.whole().Conn, c) },
		Stdio: func(ctx context.Context, in io.Reader, out io.Writer) (io.Reader, io.Writer, func()) {
			if wrap := s.whole().Stdio; wrap != nil {
				return wrap(ctx, in, out)
			}
			return in, out, nil
		},
	}
}

// anyHas reports whether something holds for a rule that is in force.
func (s *Set) anyHas(is func(n *node) bool) bool { return slices.ContainsFunc(*s.live.Load(), is) }

// whole are the hooks of the rules for connections as a whole.
func (s *Set) whole() hook.Hooks {
	var all []hook.Hooks
	for _, n := range *s.live.Load() {
		all = append(all, hook.Hooks{Stdio: n.hooks.Stdio, Conn: n.hooks.Conn})
	}
	return hook.Join(all...)
}

// node is a rule at its place.
type node struct {
	deviation
	set     *Set
	rule    Rule
	matcher *operation.Matcher
	chance  *rand.Rand
	hooks   hook.Hooks
	counted bool // it matters on which messages it acts

	mu   sync.Mutex
	seen int
	hits int
}

func (n *node) status() Status {
	n.mu.Lock()
	defer n.mu.Unlock()
	return Status{
		Rule: n.rule, Name: n.label, Requirement: n.Requirement, Summary: n.Summary,
		Hits: n.hits, Done: n.done(),
		Warnings: n.rule.Warnings(),
	}
}

// done reports whether the count of the rule is used up. The caller holds mu.
func (n *node) done() bool { return n.rule.Count > 0 && n.hits >= n.rule.Count }

// prepare makes the node of a rule.
func (s *Set) prepare(r Rule, source uint64) (*node, error) {
	if err := r.Validate(); err != nil {
		return nil, err
	}
	m, err := r.Limits.Matcher()
	if err != nil {
		return nil, err
	}
	about, err := r.find()
	if err != nil {
		return nil, err
	}
	n := &node{
		set: s, rule: r, deviation: about, matcher: m, hooks: about.HooksFor(stream(s.seed, source)),
		chance: stream(s.seed, source|streamChance),
	}
	n.counted = r.Counted() && !n.hooks.Idle()
	return n, nil
}

// concerns reports whether the rule is for a message and can do anything about it. Without a trace nothing is
// known of it: only rules without limits hold.
func (n *node) concerns(t *hook.Trace) bool {
	if t == nil {
		return n.matcher.Free
	}
	h := &n.hooks
	elsewhere := h.Event != nil || h.HTTP != nil || h.EventStreams != nil || n.Needs.Authorization
	return n.matcher.Concerns(t) && (elsewhere || h.About == nil || h.About(t)) &&
		n.matcher.Holds(n.statesAt(t)) &&
		n.matcher.Tests(t)
}

// holds reports whether the rule is in force for a message: whether it may act, or, if that is counted,
// could.
func (n *node) holds(t *hook.Trace) bool { return n.concerns(t) && (n.counted || n.acts(t)) }

// enter is the context in which the rule acts on a message; false says that it does not.
func (n *node) enter(ctx context.Context, t *hook.Trace) (context.Context, bool) {
	switch {
	case !n.holds(t):
		return ctx, false
	case n.counted:
		return hook.WithTurn(ctx, func() bool { return n.acts(t) }), true
	}
	return hook.WithTurn(ctx, nil), true
}

// acts decides, once for each message of the client that the rule concerns, whether it acts on it.
func (n *node) acts(t *hook.Trace) bool {
	if t == nil {
		return true
	}
	fresh := false
	yes := t.Once(n, func() any {
		fresh = n.spend()
		return fresh
	})
	if fresh {
		n.mark(t)
	}
	return yes == true
}

// spend counts a matching message and says whether it is affected.
func (n *node) spend() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.seen++
	after := n.seen - n.rule.Skip
	switch {
	case after <= 0 || n.done(),
		n.rule.Every > 0 && after%n.rule.Every != 0,
		n.rule.Chance > 0 && n.chance.Float64() >= n.rule.Chance:
		return false
	}
	n.hits++
	n.set.states.set(n.rule.Become)
	return true
}

// mark notes that the rule holds for a message. Rules that hold for everything and are
// part of how the server is do not get an entry each time.
func (n *node) mark(t *hook.Trace) {
	t.Mark(n.label)
	if n.matcher.Free && n.rank > rankFailure {
		return
	}
	n.set.journal.Note(&journal.Entry{
		Kind: journal.Applied, Transport: t.Transport, Session: t.Session, Method: t.Method, URI: t.URI,
		Identity: journal.Fingerprint(t.Token), RequestSeq: t.Seq, Rules: []string{n.label},
	}, nil)
}

// ofMessage is the trace by which the rule concerns a message of the server's.
func (n *node) ofMessage(ctx context.Context, m hook.Message) *hook.Trace {
	t := hook.TraceOf(ctx)
	if m.Call != nil && m.Call.Trace != nil {
		t = m.Call.Trace
	}
	if m.Kind != hook.Notification {
		return t
	}
	own := &hook.Trace{Method: m.Method, Transport: m.Transport}
	if m.Session != nil {
		own.Session = m.Session.ID()
	}
	return n.either(t, own, m.Raw)
}

// ofEvent is ofMessage for a server-sent event.
func (n *node) ofEvent(ctx context.Context, e hook.Event) *hook.Trace {
	t := hook.TraceOf(ctx)
	if t == nil || e.Response {
		return t
	}
	own := &hook.Trace{
		Method:    gjson.GetBytes(e.Data, "method").Str,
		Transport: t.Transport,
		Session:   t.Session,
		Token:     t.Token,
	}
	return n.either(t, own, e.Data)
}

// either is the trace of the message of the client to which a notification belongs, or else, if the rule
// names a method, that of the notification itself.
func (n *node) either(t, own *hook.Trace, raw []byte) *hook.Trace {
	if t != nil && (n.matcher.Method == "" || n.concerns(t)) {
		return t
	}
	params := gjson.GetBytes(raw, "params")
	own.URI, own.Params = params.Get("uri").String(), []byte(params.Raw)
	return own
}
