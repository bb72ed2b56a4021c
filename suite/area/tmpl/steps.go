package tmpl

import "github.com/mcpcheck/mcpcheck/suite/recording"

// The steps of the area's scripts, which say what they mean.
const (
	stepExpansion     recording.Step = "expansion"
	stepQuery         recording.Step = "query"
	stepWithParams    recording.Step = "with-params"
	stepWithoutParams recording.Step = "without-params"
)

// The tags of the area's scripts, which say what they mean.
const (
	tagEncoded recording.Tag = "encoded"
	tagGiven   recording.Tag = "given"
)
