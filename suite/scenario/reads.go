package scenario

import (
	"context"
	"fmt"
	"strconv"
	"sync/atomic"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/tidwall/gjson"
)

var readsScenario = &Scenario{
	Name:  recording.Reads,
	Title: "reading what is listed",
	Sends: "resources/read of each listed resource, or of a sample of them.",
	Phase: Read,
	After: []recording.Name{recording.WalkResources},
	Script: func(ctx context.Context, p *Play) {
		all := p.Resources()
		if len(all) == 0 {
			p.Skip(recording.CodeNeedsSubject, "the target lists no resources")
			return
		}
		c, ok := p.Clean(ctx)
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
				tags[recording.TagSize] = size.Raw
			}
			if mime := l.Get("mimeType"); mime.Type == gjson.String {
				tags[recording.TagType] = mime.Str
			}
			if enough := begun(i, func() bool { return seen.Load() >= plenty }); enough {
				return
			}
			seen.Add(int64(len(ReadResource(ctx, c, recording.StepRead, l.URI(), tags).Result().Raw)))
		})
		if n := p.stopAtPlenty(len(picked)); n > 0 {
			p.Skip(recording.CodeNotExercised, fmt.Sprintf("%d resources were not read, since the others came to more than %d MiB", n, plenty>>20))
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
