package life

import (
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/session"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
	"github.com/mcpcheck/mcpcheck/suite/wire"
)

// tagAnswer says how the target's requests were answered before an exchange.
const tagAnswer recording.Tag = "answer"

// How they are: not yet, by a result, or by an error.
const later, byResult, byError = "", "result", "error"

// The client declares all that the revision has, and waits a little before it ends the handshake. Then the
// target has a moment to ask for something. While a request of the target is open, step "open" is a ping.
// Then it is answered, by a result (the tag "answer"). Steps "used" are about a resource, and step "served"
// is an ordinary request. All of that comes once more when the client has told of other roots, with errors. A
// target that does not ask again then gets its error in another session.
//
// Over HTTP further clients leave, in the sight of the one that stays: right behind the handshake and, where
// the target asks by itself, with a request of the target open. Before each, step "beside" is a ping of the
// one that stays, and after a while step "left" an ordinary request.
var capableClientScenario = &scenario.Scenario{
	Name:  CapableClient,
	Title: "a client that declares what it can do",
	Sends: "A handshake that declares roots, sampling and, from 2025-06-18 on, elicitation; answers " +
		"to what " +
		"the target asks for, by results and by errors, with a ping before them, and a read, a " +
		"subscription " +
		"and an ordinary request behind; news of other roots; over HTTP such clients that leave right " +
		"behind the handshake, or leave a request of the target open.",
	Phase:  scenario.Destructive, // a target may end over it
	Waits:  true,
	In:     scenario.Own,
	After:  verdict.ResourceWalk,
	When:   legacyOnly,
	Script: playCapable,
}

func playCapable(p *scenario.Play) {
	root, err := os.MkdirTemp("", "mcpcheck-root-") // empty, as a stranger may look into it
	if err != nil {
		p.Break(recording.CodePanic, "there is no directory to be shown as a root: "+err.Error())
		return
	}
	defer func() { _ = os.RemoveAll(root) }()
	c, ok := newCapable(p, root, true)
	if !ok {
		return
	}
	defer c.hangUp()
	// servers in use ask a third of a second after the handshake
	moment := p.Limits.UpTo(2 * p.Limits.QuietWindow)
	asks := c.exchange(moment, byResult)
	if c.S.Alive() {
		c.change()
		asks = c.exchange(moment/6, byError) || asks
	}
	if asked, failed := c.heard(); asked && !failed && c.S.Alive() {
		if p.Instances == 1 {
			p.End(c.S)
		}
		if other, ok := newCapable(p, root, true); ok {
			other.exchange(moment, byError)
			other.hangUp()
		}
	}
	if p.OnStdio() || p.Instances == 1 || !c.S.Alive() {
		return // none can stay
	}
	c.seesLeave(asks, moment)
}

// capable is a client that can do everything.
type capable struct {
	*scenario.Client
	root     string
	declared map[string]any
	stream   *session.Stream

	mu      sync.Mutex
	answer  string            // how requests of the target are answered
	open    []session.Request // what will answer those that are not answered yet
	asked   bool              // the target has asked for something
	failed  bool              // one got an error
	changed bool              // the roots are others than at first
}

// newCapable opens a session, a slow one with a pause before the end of the handshake, and with the stream on
// which the target can ask.
func newCapable(p *scenario.Play, root string, slow bool) (c *capable, ok bool) {
	c = &capable{root: root, declared: scenario.LegacyCapabilities(p.Revision())}
	c.Client, ok = p.Fresh(session.Options{Kind: recording.Capable, HoldInitialized: slow,
		Capabilities: c.declared, Answer: c.reply})
	if ok && slow {
		if !p.OnHTTP() { // where there is no stream yet
			c.Quiet(p.Limits.QuietWindow / 3)
		}
		c.Note(c.S.Initialized(p))
		c.listen()
	}
	return c, ok
}

func (c *capable) listen() {
	if c.stream = c.S.OpenStream(c, recording.StepStream); c.stream != nil {
		c.Note(c.stream.Exchange())
	}
}

func (c *capable) hangUp() {
	if c.stream != nil {
		c.Dropped(c.stream)
	}
}

// exchange lets the target ask for something, and answers that. It reports whether the target did so by
// itself.
func (c *capable) exchange(moment time.Duration, answer string) (asks bool) {
	if asks = c.awaitAsked(moment); asks {
		c.Once(session.Request{Step: stepOpen, Method: "ping"})
	}
	for _, q := range c.answerBy(answer) {
		c.Once(q)
	}
	if asks { // a target that has no use for the answer may leave
		c.Quiet(c.Limits.QuietWindow / 3)
	}
	if asked, _ := c.heard(); asked || answer == byResult {
		c.use(answer)
		q := c.Ordinary(stepServed)
		q.Tags = recording.Tags{tagAnswer: answer}
		c.Once(q)
	}
	return asks
}

// use reads a resource, and subscribes to it where that is declared: there are targets that ask for something
// meanwhile.
func (c *capable) use(answer string) {
	all := c.Resources()
	if len(all) == 0 || !c.S.Alive() {
		return
	}
	methods := []string{"resources/read", "resources/subscribe"}
	if !c.Facts.Declares("resources.subscribe") {
		methods = methods[:1]
	}
	for _, method := range methods {
		q := scenario.About(stepUsed, method, all[0].URI())
		q.Tags = recording.Tags{tagAnswer: answer}
		c.Once(q)
	}
}

// awaitAsked waits until a request of the target is open.
func (c *capable) awaitAsked(moment time.Duration) bool {
	_, ok := c.S.Await(c, 0, moment, func(*wire.Frame) bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		return len(c.open) > 0
	})
	return ok
}

// answerBy says how requests are answered from now on, and returns the answers to those that are open.
func (c *capable) answerBy(answer string) []session.Request {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.answer = answer
	open := c.open
	c.open = nil
	for i, q := range open {
		open[i] = session.Response(q.Method, q.ID, c.member(q.Method))
		open[i].Notification = true // what becomes of it is waited for
	}
	return open
}

// change tells the target that the roots are others.
func (c *capable) change() {
	c.answerBy(later)
	c.mu.Lock()
	c.changed = true
	c.mu.Unlock()
	news := session.Request{Step: stepRoots, Method: "notifications/roots/list_changed", Notification: true}
	c.Once(news)
}

// heard tells whether the target has asked for anything, and whether it got an error.
func (c *capable) heard() (asked, failed bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.asked, c.failed
}

// reply answers a request of the target for what was declared.
func (c *capable) reply(method string, id json.RawMessage) (member string, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	feature, _, _ := strings.Cut(method, "/")
	if results[method] == nil || c.declared[feature] == nil {
		return "", false
	}
	c.asked = true
	if c.answer == later {
		c.open = append(c.open, session.Request{Method: method, ID: id})
		return "", true
	}
	return c.member(method), true
}

// member is the result or the error that a request gets now; the lock is held.
func (c *capable) member(method string) string {
	name, value := "result", results[method](c)
	if c.answer == byError {
		name, value, c.failed = "error", refusals[method], true
	}
	raw, err := json.Marshal(value)
	if err != nil {
		panic(err) // strings and maps of them always have a JSON form
	}
	return strconv.Quote(name) + ":" + string(raw)
}

// results and refusals answer requests of the target.
var (
	results = map[string]func(c *capable) any{
		"roots/list": func(c *capable) any {
			name := map[bool]string{false: "a directory", true: "a directory under another name"}[c.changed]
			uri := url.URL{Scheme: "file", Path: "/" + strings.TrimPrefix(filepath.ToSlash(c.root), "/")}
			return map[string]any{"roots": []any{map[string]any{"uri": uri.String(), "name": name}}}
		},
		"sampling/createMessage": func(*capable) any {
			return map[string]any{"role": "assistant", "model": "mcpcheck", "stopReason": "endTurn",
				"content": map[string]any{"type": "text", "text": "No model stands behind this client."}}
		},
		"elicitation/create": func(*capable) any { return map[string]any{"action": "decline"} },
	}
	refusals = map[string]any{
		"roots/list":             map[string]any{"code": -32603, "message": "The roots cannot be listed now"},
		"sampling/createMessage": map[string]any{"code": -1, "message": "The user does not want that"},
		"elicitation/create":     map[string]any{"code": -32603, "message": "Nobody can be asked now"},
	}
)

// seesLeave lets another client leave at once, and where the target asks by itself one with a request of the
// target open, and looks after a while whether this one is served.
func (c *capable) seesLeave(asks bool, while time.Duration) {
	began := time.Now()
	if !c.seesOneLeave(nil) {
		return
	}
	if asks {
		c.seesOneLeave(func(other *capable) {
			other.listen()
			other.change()
			other.awaitAsked(while)
		})
		c.Quiet(max(while-time.Since(began), c.Limits.QuietWindow))
	}
	c.Once(c.Ordinary(stepLeft))
}

// seesOneLeave lets another client leave when it has done something.
func (c *capable) seesOneLeave(does func(*capable)) (ok bool) {
	other, ok := newCapable(c.Play, c.root, false)
	if !ok {
		return false
	}
	if does != nil {
		does(other)
	}
	c.Once(session.Request{Step: stepBeside, Method: "ping"})
	c.End(other.S)
	other.hangUp()
	return true
}
