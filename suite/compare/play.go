package compare

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/mcpcheck/mcpcheck/suite/area"
	"github.com/mcpcheck/mcpcheck/suite/engine"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/session"
	"github.com/mcpcheck/mcpcheck/suite/target"
	"github.com/mcpcheck/mcpcheck/suite/wire"
	"github.com/tidwall/gjson"
)

const (
	fewSubscriptions = 8 // resources that are tried until the server accepts one
	updated          = "notifications/resources/updated"
	subscribe        = "resources/subscribe"
	readResource     = "resources/read"
	complete         = "completion/complete"

	tagAsked recording.Tag = "asked" // the subject, in the words of the direct side
)

// part is a scenario, and what of its recording is compared.
type part struct {
	group  Group
	name   recording.Name
	method string // of the exchanges that are compared; empty means all
	// Of a walk: the member of a page that lists entries, and the one that names an entry.
	member, named string
}

// The parts of a comparison, in the order in which they are played. Where no scenario of the
// suite asks, one of this package does.
var (
	declaring = &part{group: Declared, name: "declaration"}
	walks     = []*part{
		{Listed, recording.WalkResources, "resources/list", "resources", "uri"},
		{Templates, recording.WalkTemplates, "resources/templates/list", "resourceTemplates", "uriTemplate"},
	}
	requests = []*part{
		{group: Read, name: recording.Reads, method: readResource},
		{group: Completion, name: recording.TemplateCompletions, method: complete},
		{group: Templates, name: recording.TemplateSweep, method: readResource},
		{group: Templates, name: recording.Expansions, method: readResource},
		{group: Errors, name: recording.MissingReads, method: readResource},
		{group: Errors, name: elsewhere, method: readResource},
	}
	watching = &part{group: Subscriptions, name: "subscriptions", method: subscribe}
	updating = &part{group: Subscriptions, name: "subscriptions", method: updated}
	parts    = slices.Concat([]*part{declaring}, walks, requests, []*part{watching, updating})
)

// takes is what was recorded, by scenario.
type takes = map[recording.Name]*recording.Recording

// side is one of the two: the server itself, or what the gateway makes of it.
type side struct {
	name   string
	target *target.Target
	run    *engine.Run
	shown  *Side // in the report
}

// talk is a side in one revision.
type talk struct {
	*side
	at requirement.Combination
	// words say how its strings are to be read; the direct side needs none. listed are the
	// names of what it lists by those of the direct side.
	words  names
	listed map[string]string
}

// in is a URI or URI template in the words of the side.
func (t *talk) in(s string) string {
	if own, ok := t.listed[s]; ok {
		return own
	}
	return t.words.uri.forward(s)
}

var declared = &scenario.Scenario{
	Name:  declaring.name,
	Title: "asking what is declared",
	Script: scenario.OnClean(func(c *scenario.Client) {
		if c.Modern() {
			c.Do(session.Request{Step: recording.StepDiscover, Method: "server/discover"})
			return
		}
		c.Note(c.S.Record().Initialize)
	}),
}

// elsewhere are reads of what leads nowhere, whatever is listed.
const elsewhere recording.Name = "elsewhere"

var elsewhereScenario = &scenario.Scenario{
	Name:  elsewhere,
	Title: "reading what leads nowhere",
	Script: readEach(func(*scenario.Play) []scenario.URIRead {
		return []scenario.URIRead{
			{Step: recording.StepGuessed, URI: "mcpcheck-7b4e91://nowhere/mcpcheck-no-such-resource"},
			{Step: recording.StepGuessed, URI: "mcpcheck is no URI"},
		}
	}),
}

// script is a scenario, of the suite but for one, that is played whatever is declared.
func script(name recording.Name) *scenario.Scenario {
	one, ok := area.BuiltIn().Scenario(name)
	if !ok {
		return elsewhereScenario
	}
	all := *one
	all.When = nil
	if name == recording.TemplateSweep { // but for values that the server does not suggest
		all.Script = readEach(scenario.Suggested)
	}
	return &all
}

// readEach is a script that reads some URIs.
func readEach(which func(*scenario.Play) []scenario.URIRead) func(*scenario.Play) {
	return scenario.OnClean(func(c *scenario.Client) {
		scenario.Each(c, which(c.Play), func(_ int, a scenario.URIRead, c *scenario.Client) {
			c.ReadResource(a.Step, a.URI, a.Tags)
		})
	})
}

// exchanges lists those of a recording that are compared. Those that cost a session were
// repeated in another one.
func (p *part) exchanges(rec *recording.Recording) []*recording.Exchange {
	return recording.Keep(rec.Exchanges, func(x *recording.Exchange) bool {
		return (p.method == "" || x.Method == p.method) && !strings.HasSuffix(string(x.Step), "/lost") &&
			x.Step != recording.StepAlive
	})
}

// subject is what an exchange is about, in the words of the direct side.
func subject(x *recording.Exchange) string {
	s := x.Tags[tagAsked]
	switch {
	case s != "":
	case x.Method == readResource:
		s = x.Param("uri").Str
	case x.Method == complete:
		s = x.Param("ref.uri").Str + " " + x.Param("argument.name").Str + "=" + x.Param("argument.value").Str
		given := members(x.Param("context.arguments"))
		for _, name := range slices.Sorted(maps.Keys(given)) {
			s += " with " + name + "=" + given[name].Str
		}
	default:
		s = declaration
	}
	return s
}

// again is a scenario that asks a side what the direct side was asked about some subjects; nil
// means all.
func (t *talk) again(p *part, rec *recording.Recording, about []string) *scenario.Scenario {
	var all []session.Request
	asked := map[string]bool{}
	for _, x := range p.exchanges(rec) {
		s := subject(x)
		if asked[s] || about != nil && !slices.Contains(about, s) {
			continue
		}
		asked[s] = true
		uri, raw := x.Param("uri"), string(x.Params)
		if !uri.Exists() {
			uri = x.Param("ref.uri")
		}
		raw = raw[:uri.Index] + quoted(t.in(uri.Str)).Raw + raw[uri.Index+len(uri.Raw):]
		all = append(all, session.Request{
			Step: x.Step, Method: x.Method, Params: json.RawMessage(raw), Tags: recording.Tags{tagAsked: s},
		})
	}
	return &scenario.Scenario{Name: p.name, Title: script(p.name).Title,
		Script: scenario.OnClean(func(c *scenario.Client) {
			scenario.Each(c, all, func(_ int, q session.Request, c *scenario.Client) { c.Do(q) })
		})}
}

// subscribing asks for updates of one resource after the other until one is granted, and,
// where the target file says how, makes that one change.
func (t *talk) subscribing(uris []string) *scenario.Scenario {
	return &scenario.Scenario{Name: watching.name, Title: "subscribing to a resource",
		Script: scenario.OnClean(func(c *scenario.Client) {
			for _, uri := range uris {
				x, stream := t.subscribe(c, uri)
				stands := x.Succeeded()
				x.Tags = recording.Tags{tagAsked: uri}
				c.Note(x)
				if stands && c.Target.Triggers.Update != nil {
					c.Note(t.change(c, uri))
				}
				if stands && !c.Modern() {
					c.S.Do(c, t.about(recording.StepUnsubscribe, "resources/unsubscribe", uri))
				}
				if stream != nil {
					stream.Stop(c)
				}
				if stands {
					return
				}
			}
		})}
}

// subscribe asks for updates of a resource. Of a listen request the acknowledgment counts as
// the answer: as an error if it does not grant what was asked for.
func (t *talk) subscribe(c *scenario.Client, uri string) (*recording.Exchange, *session.Stream) {
	if !c.Modern() {
		stream := c.S.OpenStream(c, recording.StepStream)
		return c.S.Do(c, t.about(recording.StepSubscribe, subscribe, uri)), stream
	}
	uri = t.in(uri)
	stream := c.S.Listen(c, recording.StepListen, session.Filter{URIs: []string{uri}}, session.Request{})
	if stream.Ack == nil {
		refused := *stream.Stop(c)
		refused.Method = subscribe
		if !refused.Failed() && !refused.CutOff() {
			refused.Outcome, refused.Reason = recording.Silent, "subscriptions/listen was not acknowledged"
		}
		return &refused, nil
	}
	granted := gjson.GetBytes(stream.Ack.Raw, "params.notifications").Raw
	if slices.Contains(scenario.Acknowledged(stream.Ack.Raw), uri) {
		return said(subscribe, `{"result":`+granted+`}`), stream
	}
	return said(subscribe, `{"error":{"data":`+cmp.Or(granted, "null")+`}}`), stream
}

// about is a request about a resource.
func (t *talk) about(step recording.Step, method, uri string) session.Request {
	return session.Request{Step: step, Method: method, Params: map[string]any{"uri": t.in(uri)}}
}

// said is an exchange with an answer.
func said(method, answer string) *recording.Exchange {
	x := &recording.Exchange{Method: method, Outcome: recording.Replied}
	x.Attach(wire.ObjectOf(answer))
	return x
}

// change makes a resource change, and is what is heard of it.
func (t *talk) change(c *scenario.Client, uri string) *recording.Exchange {
	p := c.Play
	x := &recording.Exchange{Method: updated, Outcome: recording.Canceled}
	after := c.S.Last()
	if p.Fire(p.Target.Triggers.Update, c) {
		f, ok := c.S.Await(c, after, scenario.ChangeTime, func(f *wire.Frame) bool {
			return scenario.Notifies(f, updated) && gjson.GetBytes(f.Raw, "params.uri").String() == t.in(uri)
		})
		switch {
		case ok:
			x = said(updated, `{"result":`+without(gjson.GetBytes(f.Raw, "params"), "_meta").Raw+`}`)
		case !c.S.Alive():
			x.Reason = "a session was lost after triggers.update: updates could not be compared"
		default:
			x.Outcome = recording.Silent
		}
	} else if p.Rec.Broken != nil {
		x.Reason = p.Rec.Broken.Reason
	}
	x.Tags = recording.Tags{tagAsked: uri}
	return x
}
