package scenario

import (
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
)

// InModern skips a scenario in revisions with a handshake, inLegacy in those
// without.
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

// OverHTTP is the condition of scenarios that are about Streamable HTTP.
func OverHTTP(p *Play) *recording.Skipped {
	if p.Combination.Transport != requirement.HTTP || !p.Combination.Defined() {
		return Skip(recording.CodeCombination, "the scenario is about Streamable HTTP")
	}
	return nil
}

// OverLegacyHTTP is [OverHTTP] in revisions with a handshake.
func OverLegacyHTTP(p *Play) *recording.Skipped {
	if skipped := OverHTTP(p); skipped != nil {
		return skipped
	}
	return InLegacy(p)
}

// Completes says why completions cannot be asked for: they were not declared.
// 2024-11-05 has no capability for them, so that asking is the only way.
func Completes(p *Play) *recording.Skipped {
	if p.Revision() == requirement.R20241105 || p.Facts.Declares("completions") {
		return nil
	}
	return Skip(recording.CodeUndeclared, "the target does not declare capabilities.completions")
}
