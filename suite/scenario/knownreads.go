package scenario

import (
	"context"
	"strconv"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/session"
)

// Steps "text" and "blob" read what the target file knows. Tags: "uri"; "type"
// if a MIME type is known; of a text "text", and "contains" if it is only a
// part; of a blob "base64", "sha256" and "size", as far as they are known.
var knownReadsScenario = &Scenario{
	Name:  recording.KnownReads,
	Title: "reading resources with known contents",
	Sends: "Reads of the resources whose contents the target file knows.",
	Phase: Read,
	When: Where(func(p *Play) bool { return len(p.Target.Subjects.Texts)+len(p.Target.Subjects.Blobs) > 0 },
		recording.CodeNeedsConfig, "name resources with known contents in the target file (subjects.texts, subjects.blobs)"),
	Script: OnClean(func(ctx context.Context, p *Play, c *Client) {
		var known []session.Request
		add := func(step recording.Step, uri string, tags recording.Tags) {
			tags[recording.TagURI] = uri
			for name, value := range tags {
				if value == "" && name != recording.TagText {
					delete(tags, name)
				}
			}
			known = append(known, session.Request{Step: step, Method: "resources/read", Params: map[string]any{"uri": uri}, Tags: tags})
		}
		for _, t := range p.Target.Subjects.Texts {
			tags := recording.Tags{recording.TagType: t.MIMEType}
			if t.Text != nil {
				tags[recording.TagText] = *t.Text
			}
			if t.Contains {
				tags[recording.TagContains] = "true"
			}
			add(recording.StepText, t.URI, tags)
		}
		for _, b := range p.Target.Subjects.Blobs {
			tags := recording.Tags{recording.TagType: b.MIMEType, recording.TagBase64: b.Base64, recording.TagSHA256: b.SHA256}
			if b.Size != nil {
				tags[recording.TagSize] = strconv.FormatInt(*b.Size, 10)
			}
			add(recording.StepBlob, b.URI, tags)
		}
		Each(c, known, func(_ int, q session.Request, c *Client) { c.Do(ctx, q) })
	}),
}
