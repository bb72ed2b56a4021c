package admin

import (
	"encoding/json"
	"strings"

	"github.com/mcpcheck/mcpcheck/reference"
	"github.com/mcpcheck/mcpcheck/reference/journal"
	"github.com/mcpcheck/mcpcheck/reference/oauth"
	"github.com/mcpcheck/mcpcheck/reference/world"
)

// route is what a method does at a path.
type route struct {
	method, path string
	// params are the query parameters; those with "!" behind must be there.
	params []string
	handler
	// summary is what the document says about it.
	summary string
}

// on is the route of a method, a path and, behind a question mark, query parameters, as in
// "GET /journal?since&limit".
func on(request string, h handler, summary string) route {
	method, path, _ := strings.Cut(request, " ")
	path, params, _ := strings.Cut(path, "?")
	return route{method, path, strings.FieldsFunc(params, func(c rune) bool { return c == '&' }), h, summary}
}

// patch stands for a JSON merge patch of a resource or a template.
type patch struct{ of any }

// written stands for a resource or a template as it has become, with warnings about it.
type written struct{ of any }

// routes are all of them, in the order of the document.
var routes = []route{
	on("GET /openapi.json", told(func(*reference.Server) json.RawMessage { return openAPI }),
		"This document."),
	on("GET /health", told((*reference.Server).Health), "How the server fares."),
	on("POST /reset", doing(postReset),
		"Bring back the world, the rules and the timeline with which the server began. Connections and "+
			"journal stay."),

	on("GET /resources?offset&limit", giving(getResources), "List the resources."),
	on("GET /resource?uri!", resources.getting(), "A resource as a world file has it."),
	on("PUT /resource", resources.writing(world.Resource{}, resources.replace),
		"Add a resource, or replace the one with its URI. Clients are notified."),
	on("PATCH /resource?uri!", resources.writing(patch{world.Resource{}}, patchResource),
		"Change a resource by a JSON merge patch (RFC 7396). Clients are notified."),
	on("DELETE /resource?uri!", removal("resource", "uri", (*reference.Server).Remove),
		"Take a resource away. Clients are notified."),
	on("GET /templates", giving(getTemplates), "All templates, in the order of listing."),
	on("GET /template?uriTemplate!", templates.getting(), "A template as a world file has it."),
	on("PUT /template", templates.writing(world.Template{}, templates.replace),
		"Add a template, or replace the one with its URI template. Clients are notified."),
	on("PATCH /template?uriTemplate!", templates.writing(patch{world.Template{}}, patchTemplate),
		"Change a template by a JSON merge patch (RFC 7396). Clients are notified."),
	on("DELETE /template?uriTemplate!",
		removal("template", "uriTemplate", (*reference.Server).RemoveTemplate),
		"Take a template away. Clients are notified."),
	on("POST /touch", quiet(taking(postTouch)),
		"Notify the subscribers of a resource as if it had changed."),
	on("POST /list-changed", done((*reference.Server).ListChanged),
		"Notify clients as if the list of resources had changed."),
	on("POST /end-subscriptions", done((*reference.Server).EndSubscriptions),
		"End all listen streams in order (2026-07-28)."),

	on("GET /deviations", told(deviations), "The faults and quirks that rules can switch on."),
	on("GET /rules", told(func(s *reference.Server) RuleList { return RuleList{s.Rules()} }),
		"The rules in force, outermost first."),
	on("POST /rules", created(taking(postRule)), "Switch a fault, a quirk, a failure or a delay on."),
	on("DELETE /rules", done((*reference.Server).ClearRules), "Switch all rules off."),
	on("GET /rules/{id}", found("rule", "id", (*reference.Server).Rule),
		"A rule, and how often it has been applied."),
	on("DELETE /rules/{id}", removal("rule", "id", (*reference.Server).RemoveRule), "Switch a rule off."),

	on("GET /timeline", told(func(s *reference.Server) StepList { return StepList{s.Timeline()} }),
		"The steps of the timeline, how often each has happened, and when it happens next."),
	on("GET /states", told(states), "The states of scenarios, which rules ask for and change."),
	on("PUT /states", taking(putStates),
		"Give scenarios other states; those that are not named keep theirs."),

	on("GET /sessions", told(func(s *reference.Server) SessionList { return SessionList{s.Sessions()} }),
		"The open sessions, oldest first."),
	on("DELETE /sessions/{id}", removal("session", "id", (*reference.Server).EndSession),
		"End a session as a server may at any time."),
	on("POST /sessions/{id}/ask", taking(postAsk),
		"Send a request of the server to the client of a session (revisions with a handshake) and wait "+
			"for the answer."),
	on("GET /identities", told(func(s *reference.Server) IdentityList { return IdentityList{s.Owners()} }),
		"The owners of the bearer tokens that the server demands."),

	on("GET /journal?direction&kind&kinds&method&uri&session&transport&identity&rule&since&limit&newest",
		giving(getJournal), "Entries of the journal, oldest first."),
	on("DELETE /journal", done(func(s *reference.Server) { s.Journal().Clear() }),
		"Forget all entries. Numbers go on."),
	on("POST /journal/wait", taking(postWait),
		"Wait until entries are there. That they did not come in time is no error: see met."),
	on("POST /journal/assert", taking(postAssert),
		"Say whether something holds of the journal. That it does not is no error: see met."),

	on("GET /namespaces",
		told(func(s *reference.Server) NamespaceList { return NamespaceList{s.Namespaces()} }),
		"The namespaces by name. All paths but those of namespaces are there beneath /namespaces/NAME as "+
			"well, and are about that one."),
	on("POST /namespaces", created(taking(postNamespace)),
		"Make a namespace: a server with world, rules, sessions, timeline and journal of its own, called "+
			"at /mcp/NAME."),
	on("GET /namespaces/{name}", found("namespace", "name", namespace), "A namespace."),
	on("DELETE /namespaces/{name}", removal("namespace", "name", (*reference.Server).RemoveNamespace),
		"End a namespace and all its connections."),

	on("GET /oauth/grants", issuing(func(_ *call, as *oauth.Server) (GrantList, error) {
		return GrantList{as.Grants()}, nil
	}), "What the authorization server has granted to clients, oldest first."),
	on("DELETE /oauth/grants/{id}", quiet(issuing(deleteGrant)), "Revoke a grant with all its tokens."),
	on("POST /oauth/expire", accepting(Expire{}, issuing(postExpire)),
		"Have access tokens expire now, and refresh tokens if that is asked for."),
	on("GET /oauth/clients", issuing(func(_ *call, as *oauth.Server) (OAuthClientList, error) {
		return OAuthClientList{as.Clients()}, nil
	}), "The clients that have registered, oldest first."),
	on("DELETE /oauth", quiet(issuing(func(_ *call, as *oauth.Server) (any, error) {
		as.Forget()
		return nil, nil
	})), "Forget all clients, grants and tokens."),

	on("POST /verify", taking(postVerify), "Judge the clients by what the journal has of them."),
}

// unlisted are types that appear within others, for the test of the document.
var unlisted = []any{Refusal{}, journal.Entry{}}
