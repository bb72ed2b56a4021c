package scenario

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/mcpcheck/mcpcheck/internal/plural"
	"github.com/mcpcheck/mcpcheck/suite/judge"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/target"
	"github.com/tidwall/gjson"
)

var readsScenario = &Scenario{
	Name:  recording.Reads,
	Title: "reading what is listed",
	Sends: "resources/read of each listed resource, or of a sample of them.",
	After: []recording.Name{recording.WalkResources},
	Script: func(p *Play) {
		all := p.Resources()
		if len(all) == 0 {
			p.Unlisted(recording.WalkResources, "the target lists no resources")
			return
		}
		c, ok := p.Clean()
		if !ok {
			return
		}
		// What is read is kept in memory: once there is plenty, what remains is left
		// unread.
		var seen atomic.Int64
		picked := Sample(all, p.Limits.Reads)
		begun := inOrder(len(picked)) // whether to begin is decided in the order of the list
		// Tags: "uri" is what was listed, "listed" the size of the list, "size"
		// and "type" the size and the MIME type in the list, if there are any.
		Each(c, picked, func(i int, l Listed, c *Client) {
			tags := recording.Tags{recording.TagListed: strconv.Itoa(len(all))}
			if size := l.Get("size"); size.Type == gjson.Number {
				tags[TagSize] = size.Raw
			}
			if mime := l.Get("mimeType"); mime.Type == gjson.String {
				tags[recording.TagType] = mime.Str
			}
			if enough := begun(i, func() bool { return seen.Load() >= plenty }); enough {
				return
			}
			seen.Add(int64(len(c.ReadResource(recording.StepRead, l.URI(), tags).Result().Raw)))
		})
		if n := p.stopAtPlenty(len(picked)); n > 0 {
			p.Skip(recording.CodeNotExercised,
				fmt.Sprintf(plural.Of(n,
					"%d {resource was|resources were} not read, since the others came to more than %d MiB"),
					n, plenty>>20))
		}
	},
}

// inOrder lets each of n goroutines, which start in order, ask something in that order.
func inOrder(n int) func(i int, ask func() bool) bool {
	asked := make([]chan struct{}, n)
	for i := range asked {
		asked[i] = make(chan struct{})
	}
	return func(i int, ask func() bool) bool {
		defer close(asked[i])
		if i > 0 {
			<-asked[i-1]
		}
		return ask()
	}
}

// stopAtPlenty ends the recording with the read that makes it plenty, in the order of
// the list, and returns how many of all count as unread then. How many further ones
// were under way by that time depends on which answers came first: they are left out,
// so that the same target gets the same verdicts.
func (p *Play) stopAtPlenty(all int) (unread int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	bytes, reads := 0, 0
	for i, x := range p.Rec.Exchanges {
		if x.Step != recording.StepRead {
			continue
		}
		reads++
		if bytes += len(x.Result().Raw); bytes >= plenty {
			p.Rec.Exchanges = p.Rec.Exchanges[:i+1]
			return all - reads
		}
	}
	return 0
}

// plenty is how many bytes of results are read in one combination before no
// further resource is begun with.
const plenty = 12 << 20

// Steps "configured" read URIs that the target file declares as missing, those
// of template arguments included; steps "guessed" read siblings of listed URIs
// that match no listed template. Only the first certainly lead nowhere.
var missingReadsScenario = &Scenario{
	Name:  recording.MissingReads,
	Title: "reading what does not exist",
	Sends: "Reads of the URIs that the target file declares as missing, and of made-up siblings of listed " +
		"URIs that match no template.",
	In:    Expendable,
	After: bothWalks,
	Script: func(p *Play) {
		configured := missing(&p.Target.Subjects)
		guesses := Siblings(p.Resources(), p.Matchers())
		if len(guesses)+len(configured) == 0 {
			p.Unlisted(recording.WalkResources,
				"no listed URI has a sibling that matches no template: name one that certainly leads to "+
					"nothing in the target file, "+example(p))
			return
		}
		c, ok := p.Expendable()
		if !ok {
			return
		}
		Each(c, append(slices.Clone(configured), guesses...), func(i int, uri string, c *Client) {
			step := recording.StepGuessed
			if i < len(configured) {
				step = StepConfigured
			}
			c.ReadResource(step, uri, nil)
		})
	},
}

// example shows how the target file names a missing URI, with the scheme of what is listed.
func example(p *Play) string {
	for _, l := range slices.Concat(p.Resources(), p.Templates()) {
		if uri := NoSuch(l.name); uri != "" {
			return "as in subjects: {missing: [" + uri + "]}"
		}
	}
	return "subjects: {missing: [URI]}"
}

// NoSuch is a URI that most probably leads to nothing, with the scheme of a URI or a URI
// template and what authority it has before a path. It is empty where that gives none, and of
// https URIs, which a client may be meant to fetch itself.
func NoSuch(uri string) string {
	literal, _, _ := strings.Cut(uri, "{")
	if _, ok := judge.Scheme(literal); !ok || judge.HasScheme(literal, "https") {
		return ""
	}
	all := absent(literal, 1)
	guess := all[len(all)-1]
	if len(judge.URI(guess)) > 0 {
		return ""
	}
	return guess
}

// missing lists the URIs that the target file declares as missing.
func missing(s *target.Subjects) []string {
	uris := slices.Clone(s.Missing)
	for _, t := range s.Templates {
		for _, a := range t.Arguments {
			if uri, err := judge.Expand(t.Template, a.Vars); a.Missing && err == nil &&
				!slices.Contains(uris, uri) {
				uris = append(uris, uri)
			}
		}
	}
	return uris
}
