package operation

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mcpcheck/mcpcheck/internal/nearest"
	"github.com/mcpcheck/mcpcheck/reference/hook"
)

// subject is a message as paths see it. Its members are made when they are asked for.
type subject struct {
	place
	root hook.Object
	// make makes a member of the root; ok is false if there is none. If it is nil all are there.
	make    func(name string) (value any, ok bool)
	asked   map[string]bool
	changed map[string]bool // members of the root
	request *subject        // to which the message belongs; nil if to none
	silent  bool            // it gets no answer
	count   int             // of the operation that has selected it
}

// load makes the member of the root of a name.
func (s *subject) load(name string) {
	if s.asked[name] || s.make == nil {
		return
	}
	if s.root == nil {
		s.root, s.asked = hook.Object{}, map[string]bool{}
	}
	s.asked[name] = true
	if v, ok := s.make(name); ok {
		s.root[name] = v
	}
}

func (s *subject) find(p path) (any, bool) {
	switch {
	case len(p) == 0:
	case len(p) > 1 && p[0].name == noted:
		values, ok := s.read(p[1].name)
		if !ok {
			return nil, false
		}
		return p[2:].find(values)
	case len(p) == 2 && p[0].name == mock:
		return s.fact(p[1].name)
	case len(p) > 1 && p[0].name == about && s.request != nil:
		return s.request.find(p[1:])
	case p[0].name == about && s.request != nil:
		for _, name := range slices.Concat(roots[OnRequest], roots[OnHTTPRequest]) {
			s.request.load(name)
		}
		return s.request.root, true
	default:
		s.load(p[0].name)
	}
	return p.find(s.root)
}

// action is an Operation made ready. It counts, and so belongs to one server.
type action struct {
	*Operation
	verb    string
	methods hook.Methods
	over    hook.Methods // transports
	when    []test
	where   []test
	path    path
	pattern *regexp.Regexp

	mem *memory

	mu   sync.Mutex
	seen int
}

// compile makes an operation ready. What Check has seen to be well written can be read.
func (o *Operation) compile() (*action, error) {
	if found := o.Check(); len(found) > 0 {
		return nil, found[0]
	}
	a := &action{Operation: o, verb: o.given()[0], methods: hook.MethodsOf(o.Method),
		over: hook.MethodsOf(o.Transport)}
	a.when, a.where = compiled(o.When), compiled(o.Where)
	a.path, _ = parsePath(o.at())
	a.pattern, _ = regexp.Compile(o.Pattern)
	return a, nil
}

// concerns reports whether the operation may be done to a message with or about a method.
func (a *action) concerns(method string) bool {
	return a.methods == nil || method != "" && a.methods.Has(method)
}

// selects reports whether the operation is to be done to a message.
func (a *action) selects(ctx context.Context, method string, s *subject) bool {
	if !a.concerns(method) || s.silent && a.answers() ||
		a.Era != "" && (a.Era == "modern") != s.modern || !a.over.Has(s.transport) ||
		!all(a.when, s.find) || !a.counts(s) {
		return false
	}
	hook.Undo(ctx, a.forget)
	return true
}

// forget takes back that a message was counted to which nothing may be done.
func (a *action) forget() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.seen--
}

// counts counts a message that is selected, and says whether it is one of those to be changed.
func (a *action) counts(s *subject) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.seen++
	s.count = a.seen
	n := a.seen - a.Skip
	return n > 0 && (a.Count == 0 || n <= a.Count) && (a.Every == 0 || n%a.Every == 0) &&
		(a.Chance == 0 || a.mem.draw() < a.Chance)
}

// edits reports whether the operation changes the content of messages.
func (a *action) edits() bool { return a.path != nil || a.Code != nil }

// edit changes the content of a message.
func (a *action) edit(s *subject) {
	p, set := a.path, a.Set != ""
	if a.Code != nil {
		p = path{{name: "error", there: true}, {name: "code", there: true}}
	}
	first := p[0].name
	s.load(first)
	if _, there := s.root[first]; !there && len(p) > 1 && (first == "result" || first == "error" ||
		first == "body") {
		return
	}
	p.apply(s.root, set, func(holder, old any, there bool) (any, bool) {
		if !all(a.where, func(p path) (any, bool) { return p.find(holder) }) {
			return old, there
		}
		value, keep, done := a.become(s, holder, old, there)
		if done {
			if s.changed == nil {
				s.changed = map[string]bool{}
			}
			s.changed[first] = true
		}
		return value, keep
	})
}

// become is what becomes of a member; done is false if nothing is changed.
func (a *action) become(s *subject, holder, old any, there bool) (value any, keep, done bool) {
	switch {
	case a.Set != "":
		if value, ok := a.expand(s, holder, a.To); ok {
			return value, true, !there || !reflect.DeepEqual(old, value)
		}
		return old, there, false
	case !there:
		return nil, false, false
	case a.Drop != "":
		return nil, false, true
	case a.Code != nil:
		if a.Was != nil && old != hook.Number(*a.Was) {
			return old, true, false
		}
		return hook.Number(*a.Code), true, true
	case a.Retype != "":
		value := retyped(old, a.As)
		return value, true, !reflect.DeepEqual(old, value)
	}
	switch v := old.(type) {
	case string:
		text := a.pattern.ReplaceAllString(v, a.With)
		return text, true, text != v
	case json.Number:
		if n := json.Number(a.pattern.ReplaceAllString(v.String(), a.With)); json.Valid([]byte(n)) {
			return n, true, n != v
		}
	}
	return old, true, false
}

// placeholder stands for the value at a path.
var placeholder = regexp.MustCompile(`\$\{[^}]*\}`)

// expand makes a value with what its placeholders stand for; ok is false if one that is a
// whole value stands for nothing.
func (a *action) expand(s *subject, holder, v any) (value any, ok bool) {
	switch v := v.(type) {
	case string:
		if !strings.Contains(v, "${") {
			return v, true
		}
		if placeholder.FindString(v) == v {
			return lookup(s, holder, v)
		}
		return filled(s, holder, v), true
	case map[string]any:
		o := make(hook.Object, len(v))
		for name, member := range v {
			if o[name], ok = a.expand(s, holder, member); !ok {
				return nil, false
			}
		}
		return o, true
	case []any:
		list := make([]any, len(v))
		for i := range v {
			if list[i], ok = a.expand(s, holder, v[i]); !ok {
				return nil, false
			}
		}
		return list, true
	}
	return hook.Plain(v), true
}

// filled is a text with the values of its placeholders.
func filled(s *subject, holder any, text string) string {
	return placeholder.ReplaceAllStringFunc(text, func(one string) string {
		found, ok := lookup(s, holder, one)
		if !ok {
			return ""
		}
		return textOf(found)
	})
}

// lookup is what a placeholder stands for.
func lookup(s *subject, holder any, placeholder string) (any, bool) {
	text := placeholder[2 : len(placeholder)-1]
	within, relative := strings.CutPrefix(text, ".")
	p, err := parsePath(within)
	if err != nil || !p.single() {
		return nil, false
	}
	var v any
	var ok bool
	if relative {
		v, ok = p.find(holder)
	} else {
		v, ok = s.find(p)
	}
	return copied(v), ok
}

// copied is a value that shares nothing with the other.
func copied(v any) any {
	switch v.(type) {
	case hook.Object, []any:
		return hook.Plain(v)
	}
	return v
}

// mock is the root of paths to what the server knows and the message does not say.
const mock = "mock"

// fact is a member of mock.
func (s *subject) fact(name string) (any, bool) {
	switch now := time.Now().UTC(); name {
	case "count":
		return hook.Number(int64(s.count)), s.count > 0
	case "time":
		return now.Format(time.RFC3339Nano), true
	case "unix":
		return hook.Number(now.UnixMilli()), true
	}
	if s.memory == nil {
		return nil, false
	}
	switch name {
	case "random":
		return json.Number(fmt.Sprintf("%.6f", s.draw())), true
	case "uuid":
		return s.uuid(), true
	}
	return nil, false
}

// draw is a number from 0 to less than 1.
func (m *memory) draw() float64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.rng.Float64()
}

// uuid is a UUID of version 4 (RFC 9562).
func (m *memory) uuid() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	const version, variant = 4 << 12, 2 << 14
	high, low := m.rng.Uint64(), m.rng.Uint64()
	return fmt.Sprintf("%08x-%04x-%04x-%04x-%012x", high>>32, high>>16&0xffff, high&0xfff|version,
		low>>48&0x3fff|variant, low&(1<<48-1))
}

// facts are the members of mock.
var facts = []string{"count", "random", "time", "unix", "uuid"}

// placeholders checks those of a value, which lead into a sort of message.
func (c *Problems) placeholders(member string, v any, roots []string) {
	switch v := v.(type) {
	case string:
		for _, one := range placeholder.FindAllString(v, -1) {
			c.placeholder(member, one[2:len(one)-1], roots)
		}
	case map[string]any:
		for name, value := range v {
			c.placeholders(member+"."+name, value, roots)
		}
	case []any:
		for i, value := range v {
			c.placeholders(fmt.Sprintf("%s[%d]", member, i), value, roots)
		}
	}
}

func (c *Problems) placeholder(member, text string, roots []string) {
	within, relative := strings.CutPrefix(text, ".")
	p, err := parsePath(within)
	switch {
	case err != nil:
		c.Say(member, "%v", err)
	case relative || len(p) == 0:
	case !p.single():
		c.Say(member, "${%s} leads to more than one member", text)
	case p[0].name == "" || !slices.Contains(roots, p[0].name):
		c.begins(member, "${"+text+"}", p, roots)
	case p[0].name == mock && (len(p) != 2 || !slices.Contains(facts, p[1].name)):
		c.Say(member, "${%s} is not known: there are mock.%s%s", text, strings.Join(facts, ", mock."),
			nearest.Question(strings.TrimPrefix(text, mock+"."), facts))
	}
}
