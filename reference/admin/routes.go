package admin

import (
	"encoding/json"
	"net/http"

	"github.com/mcpcheck/mcpcheck/reference"
	"github.com/mcpcheck/mcpcheck/reference/control"
	"github.com/mcpcheck/mcpcheck/reference/journal"
	"github.com/mcpcheck/mcpcheck/reference/world"
	"github.com/mcpcheck/mcpcheck/reports"
)

// route is what a method does at a path.
type route struct {
	method, path string
	// params are the query parameters; those with "!" behind must be there.
	params []string
	// request and response are values of the types of the bodies; nil if there is none.
	request, response any
	// status is that of a success.
	status int
	handle handler
	// summary is what the document says about it.
	summary string
}

// patch stands for a JSON merge patch of a resource or a template.
type patch struct{ of any }

// written stands for a resource or a template as it has become, with warnings about it.
type written struct{ of any }

// routes are all of them, in the order of the document.
var routes = []route{
	{"GET", "/openapi.json", nil, nil, json.RawMessage{}, http.StatusOK, told(func(*reference.Server) any {
		return json.RawMessage(openAPI)
	}), "This document."},
	{"GET", "/health", nil, nil, reference.Health{}, http.StatusOK, told(func(s *reference.Server) any {
		return s.Health()
	}), "How the server fares."},
	{"POST", "/reset", nil, nil, nil, http.StatusNoContent, postReset,
		"Bring back the world, the rules and the timeline with which the server began. Connections and " +
			"journal stay."},

	{"GET", "/resources", []string{"offset", "limit"}, nil, ResourceList{}, http.StatusOK, getResources,
		"List the resources."},
	{"GET", "/resource", []string{"uri!"}, nil, world.Resource{}, http.StatusOK, resources.get,
		"A resource as a world file has it."},
	{"PUT", "/resource", nil, world.Resource{}, written{world.Resource{}}, http.StatusOK,
		part(resources.replace), "Add a resource, or replace the one with its URI. Clients are notified."},
	{"PATCH", "/resource", []string{"uri!"}, patch{world.Resource{}}, written{world.Resource{}},
		http.StatusOK, part(patchResource),
		"Change a resource by a JSON merge patch (RFC 7396). Clients are notified."},
	{"DELETE", "/resource", []string{"uri!"}, nil, nil, http.StatusNoContent,
		removal("resource", "uri", (*reference.Server).Remove),
		"Take a resource away. Clients are notified."},
	{"GET", "/templates", nil, nil, TemplateList{}, http.StatusOK, getTemplates,
		"All templates, in the order of listing."},
	{"GET", "/template", []string{"uriTemplate!"}, nil, world.Template{}, http.StatusOK, templates.get,
		"A template as a world file has it."},
	{"PUT", "/template", nil, world.Template{}, written{world.Template{}}, http.StatusOK,
		part(templates.replace),
		"Add a template, or replace the one with its URI template. Clients are notified."},
	{"PATCH", "/template", []string{"uriTemplate!"}, patch{world.Template{}}, written{world.Template{}},
		http.StatusOK, part(patchTemplate),
		"Change a template by a JSON merge patch (RFC 7396). Clients are notified."},
	{"DELETE", "/template", []string{"uriTemplate!"}, nil, nil, http.StatusNoContent,
		removal("template", "uriTemplate", (*reference.Server).RemoveTemplate),
		"Take a template away. Clients are notified."},
	{"POST", "/touch", nil, Touch{}, nil, http.StatusNoContent, taking(postTouch),
		"Notify the subscribers of a resource as if it had changed."},
	{"POST", "/list-changed", nil, nil, nil, http.StatusNoContent, done((*reference.Server).ListChanged),
		"Notify clients as if the list of resources had changed."},
	{"POST", "/end-subscriptions", nil, nil, nil, http.StatusNoContent,
		done((*reference.Server).EndSubscriptions), "End all listen streams in order (2026-07-28)."},

	{"GET", "/deviations", nil, nil, DeviationList{}, http.StatusOK, told(deviations),
		"The faults and quirks that rules can switch on."},
	{"GET", "/rules", nil, nil, RuleList{}, http.StatusOK, told(func(s *reference.Server) any {
		return RuleList{append([]control.Status{}, s.Rules()...)}
	}), "The rules in force, outermost first."},
	{"POST", "/rules", nil, control.Rule{}, control.Status{}, http.StatusCreated, taking(postRule),
		"Switch a fault, a quirk, a failure or a delay on."},
	{"DELETE", "/rules", nil, nil, nil, http.StatusNoContent, done((*reference.Server).ClearRules),
		"Switch all rules off."},
	{"GET", "/rules/{id}", nil, nil, control.Status{}, http.StatusOK, getRule,
		"A rule, and how often it has been applied."},
	{"DELETE", "/rules/{id}", nil, nil, nil, http.StatusNoContent,
		removal("rule", "id", (*reference.Server).RemoveRule), "Switch a rule off."},

	{"GET", "/timeline", nil, nil, StepList{}, http.StatusOK, told(func(s *reference.Server) any {
		return StepList{s.Timeline()}
	}), "The steps of the timeline, how often each has happened, and when it happens next."},
	{"GET", "/states", nil, nil, StateList{}, http.StatusOK, told(func(s *reference.Server) any {
		return StateList{s.States()}
	}), "The states of scenarios, which rules ask for and change."},
	{"PUT", "/states", nil, StateList{}, StateList{}, http.StatusOK, taking(putStates),
		"Give scenarios other states; those that are not named keep theirs."},

	{"GET", "/sessions", nil, nil, SessionList{}, http.StatusOK, told(func(s *reference.Server) any {
		return SessionList{s.Sessions()}
	}), "The open sessions, oldest first."},
	{"DELETE", "/sessions/{id}", nil, nil, nil, http.StatusNoContent,
		removal("session", "id", (*reference.Server).EndSession),
		"End a session as a server may at any time."},
	{"POST", "/sessions/{id}/ask", nil, Ask{}, reference.Answer{}, http.StatusOK, taking(postAsk),
		"Send a request of the server to the client of a session (revisions with a handshake) and wait " +
			"for the answer."},
	{"GET", "/identities", nil, nil, IdentityList{}, http.StatusOK, told(func(s *reference.Server) any {
		return IdentityList{s.Owners()}
	}), "The owners of the bearer tokens that the server demands."},

	{
		"GET", "/journal", []string{"direction", "kind", "kinds", "method", "uri", "session", "transport",
			"identity", "rule", "since", "limit", "newest"},
		nil, EntryList{}, http.StatusOK, getJournal,
		"Entries of the journal, oldest first.",
	},
	{"DELETE", "/journal", nil, nil, nil, http.StatusNoContent,
		done(func(s *reference.Server) { s.Journal().Clear() }), "Forget all entries. Numbers go on."},
	{"POST", "/journal/wait", nil, Wait{}, Outcome{}, http.StatusOK, taking(postWait),
		"Wait until entries are there. That they did not come in time is no error: see met."},
	{"POST", "/journal/assert", nil, Assertion{}, Outcome{}, http.StatusOK, taking(postAssert),
		"Say whether something holds of the journal. That it does not is no error: see met."},

	{"GET", "/namespaces", nil, nil, NamespaceList{}, http.StatusOK, told(func(s *reference.Server) any {
		return NamespaceList{s.Namespaces()}
	}), "The namespaces by name. All paths but those of namespaces are there beneath /namespaces/NAME as " +
		"well, and are about that one."},
	{"POST", "/namespaces", nil, NewNamespace{}, reference.Namespace{}, http.StatusCreated,
		taking(postNamespace),
		"Make a namespace: a server with world, rules, sessions, timeline and journal of its own, called " +
			"at /mcp/NAME."},
	{"GET", "/namespaces/{name}", nil, nil, reference.Namespace{}, http.StatusOK, getNamespace,
		"A namespace."},
	{"DELETE", "/namespaces/{name}", nil, nil, nil, http.StatusNoContent,
		removal("namespace", "name", (*reference.Server).RemoveNamespace),
		"End a namespace and all its connections."},

	{"GET", "/oauth/grants", nil, nil, GrantList{}, http.StatusOK, getGrants,
		"What the authorization server has granted to clients, oldest first."},
	{"DELETE", "/oauth/grants/{id}", nil, nil, nil, http.StatusNoContent, deleteGrant,
		"Revoke a grant with all its tokens."},
	{"POST", "/oauth/expire", nil, Expire{}, Expired{}, http.StatusOK, postExpire,
		"Have access tokens expire now, and refresh tokens if that is asked for."},
	{"GET", "/oauth/clients", nil, nil, OAuthClientList{}, http.StatusOK, getOAuthClients,
		"The clients that have registered, oldest first."},
	{"DELETE", "/oauth", nil, nil, nil, http.StatusNoContent, deleteOAuth,
		"Forget all clients, grants and tokens."},

	{"POST", "/verify", nil, Verify{}, reports.Report{}, http.StatusOK, taking(postVerify),
		"Judge the clients by what the journal has of them."},
}

// unlisted are types that appear within others, for the test of the document.
var unlisted = []any{Refusal{}, journal.Entry{}}
