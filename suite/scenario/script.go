package scenario

import (
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/session"
)

// OnClean is a script that needs [Play.Clean]. Where there is no such client it is not
// played, and the recording says why.
func OnClean(script func(c *Client)) func(*Play) {
	return on((*Play).Clean, script)
}

// OnExpendable is a script that needs [Play.Expendable].
func OnExpendable(script func(c *Client)) func(*Play) {
	return on((*Play).Expendable, script)
}

// OnFresh is a script that needs [Play.Fresh].
func OnFresh(o session.Options, script func(c *Client)) func(*Play) {
	return on(func(p *Play) (*Client, bool) { return p.Fresh(o) }, script)
}

func on(open func(*Play) (*Client, bool), script func(*Client)) func(*Play) {
	return func(p *Play) {
		if c, ok := open(p); ok {
			script(c)
		}
	}
}

// Where is the condition of scenarios that have no occasion where something does not hold,
// and says why.
func Where(holds func(*Play) bool, code recording.Code, reason string) func(*Play) *recording.Skipped {
	return func(p *Play) *recording.Skipped {
		if holds(p) {
			return nil
		}
		return &recording.Skipped{Code: code, Reason: reason}
	}
}

// Declared is the condition of scenarios about a declared capability, given by gjson path.
func Declared(path string) func(*Play) *recording.Skipped {
	return Where(func(p *Play) bool { return p.Facts.Declares(path) }, recording.CodeUndeclared,
		"the target does not declare capabilities."+path)
}

// All is the condition that several hold; the first that does not says why.
func All(conditions ...func(*Play) *recording.Skipped) func(*Play) *recording.Skipped {
	return func(p *Play) *recording.Skipped {
		for _, c := range conditions {
			if skipped := c(p); skipped != nil {
				return skipped
			}
		}
		return nil
	}
}

// InModern is the condition of scenarios that only revisions without a handshake have.
func InModern(p *Play) *recording.Skipped {
	if p.Modern() {
		return nil
	}
	return Skip(recording.CodeCombination, "%s opens with a handshake", p.Revision())
}

// InLegacy is the condition of scenarios that only revisions with a handshake have.
func InLegacy(p *Play) *recording.Skipped {
	if !p.Modern() {
		return nil
	}
	return Skip(recording.CodeCombination, "%s has no handshake", p.Revision())
}

// OverHTTP is the condition of scenarios that are about Streamable HTTP, OverLegacyHTTP the
// same in revisions with a handshake.
var (
	OverHTTP = Where(func(p *Play) bool { return p.OnHTTP() && p.Combination.Defined() },
		recording.CodeCombination, "the scenario is about Streamable HTTP")
	OverLegacyHTTP = All(OverHTTP, InLegacy)
)

// Completes says why completions cannot be asked for: they were not declared.
// 2024-11-05 has no capability for them, so that asking is the only way.
func Completes(p *Play) *recording.Skipped {
	if p.Revision() == requirement.R20241105 {
		return nil
	}
	return Declared("completions")(p)
}
