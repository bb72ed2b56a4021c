package scenario

import (
	"github.com/mcpcheck/mcpcheck/suite/judge"
)

// Description says what the list says of a template.
func Description(p *Play, template string) []string {
	for _, l := range p.Templates() {
		if l.Template() == template {
			tags := []string{"listed", "yes"}
			if mime := l.Get("mimeType"); judge.IsString(mime) {
				tags = append(tags, "mime", mime.Str)
			}
			return tags
		}
	}
	return nil
}
