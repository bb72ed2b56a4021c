package read

import (
	"strconv"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/session"
)

// Steps "text" and "blob" read what the target file knows. Tags: "uri"; "type"
// if a MIME type is known; of a text "text", and "contains" if it is only a
// part; of a blob "base64", "sha256" and "size", as far as they are known.
var knownReadsScenario = &scenario.Scenario{
	Name:  recording.KnownReads,
	Title: "reading resources with known contents",
	Sends: "Reads of the resources whose contents the target file knows.",
	When: scenario.Where(func(p *scenario.Play) bool {
		return len(p.Target.Subjects.Texts)+len(p.Target.Subjects.Blobs) > 0
	},
		recording.CodeNeedsConfig,
		"name resources with known contents in the target file (subjects.texts, subjects.blobs)"),
	Script: scenario.OnClean(func(c *scenario.Client) {
		var known []session.Request
		add := func(step recording.Step, uri string, tags recording.Tags) {
			for name, value := range tags {
				if value == "" && name != recording.TagText {
					delete(tags, name)
				}
			}
			known = append(known, scenario.Of(step, "resources/read", uri, tags))
		}
		for _, t := range c.Target.Subjects.Texts {
			tags := recording.Tags{recording.TagType: t.MIMEType}
			if t.Text != nil {
				tags[recording.TagText] = *t.Text
			}
			if t.Contains {
				tags[recording.TagContains] = "true"
			}
			add(stepText, t.URI, tags)
		}
		for _, b := range c.Target.Subjects.Blobs {
			tags := recording.Tags{recording.TagType: b.MIMEType, tagBase64: b.Base64, tagSHA256: b.SHA256}
			if b.Size != nil {
				tags[scenario.TagSize] = strconv.FormatInt(*b.Size, 10)
			}
			add(stepBlob, b.URI, tags)
		}
		c.DoEach(known...)
	}),
}
