package scenario

import (
	"github.com/mcpcheck/mcpcheck/suite/judge"
	"github.com/mcpcheck/mcpcheck/suite/recording"
)

// Description says what the list says of a template.
func Description(p *Play, template string) recording.Tags {
	for _, l := range p.Templates() {
		if l.Template() == template {
			tags := recording.Tags{recording.TagListed: "yes"}
			if mime := l.Get("mimeType"); judge.IsString(mime) {
				tags[recording.TagMIME] = mime.Str
			}
			return tags
		}
	}
	return nil
}
