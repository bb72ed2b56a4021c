package operation

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/mcpcheck/mcpcheck/internal/nearest"
	"github.com/mcpcheck/mcpcheck/reference/hook"
)

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
	if s.place.memory == nil {
		return nil, false
	}
	switch name {
	case "random":
		return json.Number(fmt.Sprintf("%.6f", s.place.draw())), true
	case "uuid":
		return s.place.uuid(), true
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
	return fmt.Sprintf("%08x-%04x-%04x-%04x-%012x", high>>32, high>>16&0xffff, high&0xfff|version, low>>48&0x3fff|variant, low&(1<<48-1))
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
		c.Say(member, "${%s} is not known: there are mock.%s%s", text, strings.Join(facts, ", mock."), nearest.Question(strings.TrimPrefix(text, mock+"."), facts))
	}
}
