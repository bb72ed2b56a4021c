package read

import (
	"github.com/mcpcheck/mcpcheck/suite/recording"
)

// contentReads are the recordings whose contents are held to the schema: the reads of
// what is listed, and those of templates with values that the target suggests.
var contentReads = []recording.Name{recording.Reads, recording.TemplateSweep}
