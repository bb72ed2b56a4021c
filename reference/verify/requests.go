package verify

import (
	"time"

	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/mcpcheck/mcpcheck/reference/journal"
)

// When an answer to a ping counts as due, and when it came late.
const (
	patience = 500 * time.Millisecond
	patient  = 3 // further requests
	prompt   = 5 * time.Second
)

func serverRules() []Rule {
	return []Rule{
		{
			ID: "CL-19", Title: "Notifications are not answered", Profile: profileRequests,
			Text:  "A notification asks for nothing: a client sends no response to it.",
			Level: "MUST", Grade: Fail, Basis: Normative, Revisions: everyOne, Transports: onAll,
			Sections:  base("notifications", "notifications"),
			Tolerated: "Where the server sent something unreadable, a response without an id is one to that.",
			Occasion:  "no notification was sent to it", judge: silentOnNotifications,
		},
		{
			ID: "CL-20", Title: "Each request of the server gets one response", Profile: profileRequests,
			Text:  "A request of the server is answered once, under the id that it had, and a ping promptly.",
			Level: "MUST", Grade: Fail, Basis: Normative, Revisions: legacy, Transports: onAll,
			Sections:  []Section{in("basic/utilities/ping", "behavior-requirements")},
			Tolerated: "A ping that is unanswered as the conversation ends. Other requests may wait for a user; see CL-26.",
			Occasion:  "the server asked it nothing: over HTTP a client has to accept event streams", judge: answersRequests,
		},
		{
			ID: "CL-26", Title: "What was not declared is refused", Profile: profileRequests,
			Text:  "A request for something that the client did not declare (roots, sampling, elicitation) is answered with an error, not with silence; what it did declare is not refused as unknown.",
			Level: "SHOULD", Grade: Warn, Basis: Normative, Revisions: legacy, Transports: onAll,
			Sections:  []Section{in("client/roots", "error-handling")},
			Tolerated: "A request that is unanswered as the conversation ends.",
			Occasion:  "the server asked for nothing but pings", judge: refusesUndeclared,
		},
	}
}

// paired joins the requests of the server to the responses of the client, and lists the
// responses that belong to none. Where requests have the same id, each response is one to
// the first of them that has none: a client cannot help what ids a server takes.
func (c *conversation) paired() (answers map[*message][]*message, stray []*message) {
	answers = map[*message][]*message{}
	for _, m := range c.received(journal.Response) {
		var asked *message
		for _, q := range c.told(journal.Request) {
			if q.id == m.id && q.seq() < m.seq() && (asked == nil || len(answers[asked]) > 0) {
				asked = q
			}
		}
		if asked == nil {
			stray = append(stray, m)
			continue
		}
		answers[asked] = append(answers[asked], m)
	}
	return answers, stray
}

// unanswered reports whether a request was open as a response came.
func (c *conversation) unanswered(answers map[*message][]*message, at uint64) bool {
	for _, q := range c.told(journal.Request) {
		if q.seq() < at && len(answers[q]) == 0 {
			return true
		}
	}
	return false
}

// notified is the last notification of the server before a message.
func (c *conversation) notified(at uint64) *message {
	var last *message
	for _, m := range c.told(journal.Notification, journal.Unreadable) {
		if m.seq() < at {
			last = m
		}
	}
	return last
}

// answersNotification reports whether a response that belongs to no request can only be
// one to a notification.
func (c *conversation) answersNotification(answers map[*message][]*message, m *message) *message {
	n := c.notified(m.seq())
	if n == nil || n.kind != journal.Notification || c.unanswered(answers, m.seq()) {
		return nil
	}
	return n
}

func silentOnNotifications(g *group, v *ruling) {
	for _, c := range g.talks {
		answers, stray := c.paired()
		found := false
		for _, m := range stray {
			if n := c.answersNotification(answers, m); n != nil && c.whole {
				found = true
				v.broken("no response", m.what()+" was sent after "+n.what()+", and no request of the server has that id",
					"answer only what has an id", n.seq(), m.seq())
			}
		}
		if n := c.told(journal.Notification); len(n) > 0 && !found {
			v.fine(n[0].seq())
		}
	}
}

func answersRequests(g *group, v *ruling) {
	for _, c := range g.talks {
		answers, stray := c.paired()
		for _, q := range c.told(journal.Request) {
			list := answers[q]
			switch {
			case len(list) > 1:
				v.broken("one response", q.what()+" was answered more than once", "answer each request once", q.seq(), list[0].seq(), list[1].seq())
			case len(list) == 1 && q.method == "ping" && list[0].failed():
				v.broken("an empty result", "the ping was answered with an error", "answer ping with an empty result", q.seq(), list[0].seq())
			case len(list) == 1 && q.method == "ping" && list[0].entry.Time.Sub(q.entry.Time) > prompt:
				v.dubious("how soon is prompt is not said", "a prompt response", "the ping was answered after "+list[0].entry.Time.Sub(q.entry.Time).Round(time.Second).String(),
					"answer pings at once, whatever else goes on", q.seq(), list[0].seq())
			case len(list) == 1:
				v.fine(q.seq(), list[0].seq())
			case q.method == "ping" && c.due(q):
				v.broken("an empty result", "the ping was never answered", "answer ping with an empty result", q.seq())
			default:
				v.idle("the conversation ended before a response was due")
			}
		}
		for _, m := range stray {
			if n := c.notified(m.seq()); c.whole && c.answersNotification(answers, m) == nil && (n == nil || n.kind != journal.Unreadable) {
				v.broken("the id of a request of the server", m.what()+" answers nothing that was asked", "copy the id of the request, with its type", m.seq())
			}
		}
	}
}

// due reports whether the client has had the time to answer a request.
func (c *conversation) due(q *message) bool {
	later := 0
	for _, m := range c.messages {
		if m.sent || m.seq() < q.seq() {
			continue
		}
		if later++; later >= patient || m.entry.Time.Sub(q.entry.Time) > patience {
			return true
		}
	}
	// Over HTTP a client leaves no trace when it goes: a session that it did not end itself
	// may have outlived it.
	outlived := c.transport == hook.HTTP && !c.deleted
	return c.closed != nil && !outlived && c.closed.Time.Sub(q.entry.Time) > patience
}

func refusesUndeclared(g *group, v *ruling) {
	capabilities := map[string]string{
		"roots/list": "roots", "sampling/createMessage": "sampling", "elicitation/create": "elicitation",
	}
	for _, c := range g.talks {
		answers, _ := c.paired()
		for _, q := range c.told(journal.Request) {
			if q.method == "ping" {
				continue
			}
			capability := capabilities[q.method]
			declared := capability != "" && c.offers(capability)
			list := answers[q]
			switch {
			case len(list) > 0 && declared && list[0].raw.Get("error.code").Int() == -32601:
				v.broken("an answer, since "+capability+" was declared", q.what()+" was refused as an unknown method", "declare only what is implemented", q.seq(), list[0].seq())
			case len(list) > 0 && !declared && !list[0].failed():
				v.broken("an error, since nothing of the kind was declared", q.what()+" was answered with a result", "declare what is implemented", q.seq(), list[0].seq())
			case len(list) > 0:
				v.fine(q.seq(), list[0].seq())
			case !declared && c.due(q):
				v.broken("an error", q.what()+" was left without an answer", "answer unknown requests with the error -32601", q.seq())
			default:
				v.idle("the conversation ended before a response was due")
			}
		}
	}
}
