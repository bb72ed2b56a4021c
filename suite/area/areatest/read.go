package areatest

import (
	"github.com/mcpcheck/mcpcheck/suite/recording"
	rt "github.com/mcpcheck/mcpcheck/suite/recording/recordtest"
)

// ReadLine is a read of a URI, listed with a MIME type, that yields contents.
func ReadLine(uri, listed, contents string) rt.Line {
	tags := recording.Tags{"uri": uri}
	if listed != "" {
		tags["type"] = listed
	}
	return rt.Line{Step: "read", Method: "resources/read", Params: `{"uri":"` + uri + `"}`, Tags: tags, Result: `{"contents":[` + contents + `]}`}
}
