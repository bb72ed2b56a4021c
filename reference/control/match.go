package control

import "github.com/mcpcheck/mcpcheck/reference/hook"

// Matcher makes a function that says whether the limits hold for a message, Count and
// Skip aside. The error says which pattern cannot be read.
func (l Limits) Matcher() (func(t *hook.Trace) bool, error) {
	if err := l.validate(); err != nil {
		return nil, err
	}
	m, err := l.compile()
	if err != nil {
		return nil, err
	}
	return m.match, nil
}
