package scenario

import (
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
)

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
	OverHTTP = Where(func(p *Play) bool { return p.Combination.Transport == requirement.HTTP && p.Combination.Defined() },
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
