package scenario

import (
	"github.com/mcpcheck/mcpcheck/suite/judge"
	"github.com/mcpcheck/mcpcheck/suite/recording"
)

// Description says what the list says of a template.
func Description(p *Play, template string) recording.Tags {
	for _, l := range p.Templates() {
		if l.Template() == template {
			tags := recording.Tags{"listed": "yes"}
			if mime := l.Get("mimeType"); judge.IsString(mime) {
				tags["mime"] = mime.Str
			}
			return tags
		}
	}
	return nil
}
