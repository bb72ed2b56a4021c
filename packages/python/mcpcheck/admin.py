# Written by packages/clients from the description of the interface; do not edit.
"""The client of the admin interface of a mock server."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, TypedDict
from urllib.error import HTTPError
from urllib.parse import quote, urlencode
from urllib.request import ProxyHandler, Request, build_opener

if TYPE_CHECKING:
    from typing import Literal

    from typing_extensions import Required


class AdminError(Exception):
    """What the interface refuses: its code, its sentence and, where there is one, the member that is wrong."""

    def __init__(self, status: int, problem: dict[str, Any]) -> None:
        super().__init__(f"the admin interface answers {status} ({problem['code']}): {problem['message']}")
        self.status = status
        self.code: str = problem["code"]
        self.field: str | None = problem.get("field")


class Admin:
    """Steers a mock server by its admin interface, at an address such as http://127.0.0.1:4000."""

    def __init__(self, address: str, *, token: str | None = None) -> None:
        self.address = address.rstrip("/")
        self._headers = {"Authorization": f"Bearer {token}"} if token else {}
        self._opener = build_opener(ProxyHandler({}))

    def _call(self, method: str, path: str, query: dict[str, Any] | None = None, body: Any = None) -> Any:
        given = {name: value for name, value in (query or {}).items() if value is not None}
        for name, value in given.items():
            if isinstance(value, bool):
                given[name] = str(value).lower()
        if given:
            path += "?" + urlencode(given, doseq=True)
        request = Request(self.address + path, method=method, headers=self._headers)
        if method != "GET":
            request.add_header("Content-Type", "application/json")
        if body is not None:
            request.data = json.dumps(body).encode()
        try:
            with self._opener.open(request) as answer:
                text = answer.read()
        except HTTPError as refused:
            with refused:
                text = refused.read()
            try:
                problem = json.loads(text)["error"]
            except (ValueError, KeyError, TypeError):
                problem = {"code": "internal", "message": "an answer that is not of this interface: is the address right?"}
            raise AdminError(refused.code, problem) from None
        return json.loads(text) if text else None

    def get_deviations(self) -> DeviationList:
        "The faults and quirks that rules can switch on."
        return self._call("GET", "/deviations")

    def post_end_subscriptions(self) -> None:
        "End all listen streams in order (2026-07-28)."
        self._call("POST", "/end-subscriptions")

    def get_health(self) -> Health:
        "How the server fares."
        return self._call("GET", "/health")

    def get_identities(self) -> IdentityList:
        "The owners of the bearer tokens that the server demands."
        return self._call("GET", "/identities")

    def delete_journal(self) -> None:
        "Forget all entries. Numbers go on."
        self._call("DELETE", "/journal")

    def get_journal(self, *, direction: Literal['in', 'out'] | None = None, kind: list[Literal['request', 'notification', 'response', 'batch', 'unreadable', 'http-request', 'http-answer', 'event', 'opened', 'closed', 'applied']] | None = None, kinds: list[Literal['request', 'notification', 'response', 'batch', 'unreadable', 'http-request', 'http-answer', 'event', 'opened', 'closed', 'applied']] | None = None, method: str | None = None, uri: str | None = None, session: str | None = None, transport: str | None = None, identity: str | None = None, rule: str | None = None, since: int | None = None, limit: int | None = None, newest: bool | None = None) -> EntryList:
        "Entries of the journal, oldest first."
        return self._call("GET", "/journal", {"direction": direction, "kind": kind, "kinds": kinds, "method": method, "uri": uri, "session": session, "transport": transport, "identity": identity, "rule": rule, "since": since, "limit": limit, "newest": newest})

    def post_journal_assert(self, body: Assertion) -> Outcome:
        "Say whether something holds of the journal. That it does not is no error: see met."
        return self._call("POST", "/journal/assert", body=body)

    def post_journal_wait(self, body: Wait) -> Outcome:
        "Wait until entries are there. That they did not come in time is no error: see met."
        return self._call("POST", "/journal/wait", body=body)

    def post_list_changed(self) -> None:
        "Notify clients as if the list of resources had changed."
        self._call("POST", "/list-changed")

    def get_namespaces(self) -> NamespaceList:
        "The namespaces by name. All paths but those of namespaces are there beneath /namespaces/NAME as well, and are about that one."
        return self._call("GET", "/namespaces")

    def post_namespaces(self, body: NewNamespace) -> Namespace:
        "Make a namespace: a server with world, rules, sessions, timeline and journal of its own, called at /mcp/NAME."
        return self._call("POST", "/namespaces", body=body)

    def delete_namespaces_name(self, name: str) -> None:
        "End a namespace and all its connections."
        self._call("DELETE", f"/namespaces/{quote(name, safe='')}")

    def get_namespaces_name(self, name: str) -> Namespace:
        "A namespace."
        return self._call("GET", f"/namespaces/{quote(name, safe='')}")

    def delete_oauth(self) -> None:
        "Forget all clients, grants and tokens."
        self._call("DELETE", "/oauth")

    def get_oauth_clients(self) -> OAuthClientList:
        "The clients that have registered, oldest first."
        return self._call("GET", "/oauth/clients")

    def post_oauth_expire(self, body: Expire) -> Expired:
        "Have access tokens expire now, and refresh tokens if that is asked for."
        return self._call("POST", "/oauth/expire", body=body)

    def get_oauth_grants(self) -> GrantList:
        "What the authorization server has granted to clients, oldest first."
        return self._call("GET", "/oauth/grants")

    def delete_oauth_grants_id(self, id: str) -> None:
        "Revoke a grant with all its tokens."
        self._call("DELETE", f"/oauth/grants/{quote(id, safe='')}")

    def get_openapi_json(self) -> dict[str, Any]:
        "This document."
        return self._call("GET", "/openapi.json")

    def post_reset(self) -> None:
        "Bring back the world, the rules and the timeline with which the server began. Connections and journal stay."
        self._call("POST", "/reset")

    def delete_resource(self, *, uri: str) -> None:
        "Take a resource away. Clients are notified."
        self._call("DELETE", "/resource", {"uri": uri})

    def get_resource(self, *, uri: str) -> Resource:
        "A resource as a world file has it."
        return self._call("GET", "/resource", {"uri": uri})

    def patch_resource(self, body: ResourcePatch, *, uri: str) -> WrittenResource:
        "Change a resource by a JSON merge patch (RFC 7396). Clients are notified."
        return self._call("PATCH", "/resource", {"uri": uri}, body=body)

    def put_resource(self, body: Resource) -> WrittenResource:
        "Add a resource, or replace the one with its URI. Clients are notified."
        return self._call("PUT", "/resource", body=body)

    def get_resources(self, *, offset: int | None = None, limit: int | None = None) -> ResourceList:
        "List the resources."
        return self._call("GET", "/resources", {"offset": offset, "limit": limit})

    def delete_rules(self) -> None:
        "Switch all rules off."
        self._call("DELETE", "/rules")

    def get_rules(self) -> RuleList:
        "The rules in force, outermost first."
        return self._call("GET", "/rules")

    def post_rules(self, body: Rule) -> Status:
        "Switch a fault, a quirk, a failure or a delay on."
        return self._call("POST", "/rules", body=body)

    def delete_rules_id(self, id: str) -> None:
        "Switch a rule off."
        self._call("DELETE", f"/rules/{quote(id, safe='')}")

    def get_rules_id(self, id: str) -> Status:
        "A rule, and how often it has been applied."
        return self._call("GET", f"/rules/{quote(id, safe='')}")

    def get_sessions(self) -> SessionList:
        "The open sessions, oldest first."
        return self._call("GET", "/sessions")

    def delete_sessions_id(self, id: str) -> None:
        "End a session as a server may at any time."
        self._call("DELETE", f"/sessions/{quote(id, safe='')}")

    def post_sessions_id_ask(self, id: str, body: Ask) -> Answer:
        "Send a request of the server to the client of a session (revisions with a handshake) and wait for the answer."
        return self._call("POST", f"/sessions/{quote(id, safe='')}/ask", body=body)

    def get_states(self) -> StateList:
        "The states of scenarios, which rules ask for and change."
        return self._call("GET", "/states")

    def put_states(self, body: StateList) -> StateList:
        "Give scenarios other states; those that are not named keep theirs."
        return self._call("PUT", "/states", body=body)

    def delete_template(self, *, uri_template: str) -> None:
        "Take a template away. Clients are notified."
        self._call("DELETE", "/template", {"uriTemplate": uri_template})

    def get_template(self, *, uri_template: str) -> Template:
        "A template as a world file has it."
        return self._call("GET", "/template", {"uriTemplate": uri_template})

    def patch_template(self, body: TemplatePatch, *, uri_template: str) -> WrittenTemplate:
        "Change a template by a JSON merge patch (RFC 7396). Clients are notified."
        return self._call("PATCH", "/template", {"uriTemplate": uri_template}, body=body)

    def put_template(self, body: Template) -> WrittenTemplate:
        "Add a template, or replace the one with its URI template. Clients are notified."
        return self._call("PUT", "/template", body=body)

    def get_templates(self) -> TemplateList:
        "All templates, in the order of listing."
        return self._call("GET", "/templates")

    def get_timeline(self) -> StepList:
        "The steps of the timeline, how often each has happened, and when it happens next."
        return self._call("GET", "/timeline")

    def post_touch(self, body: Touch) -> None:
        "Notify the subscribers of a resource as if it had changed."
        self._call("POST", "/touch", body=body)

    def post_verify(self, body: Verify) -> Report:
        "Judge the clients by what the journal has of them."
        return self._call("POST", "/verify", body=body)


# Functions make the types, since some members have the names of keywords.

# Annotations are hints about the use of a resource.
Annotations = TypedDict(
    "Annotations",
    {
        "audience": "list[str]",
        # LastModified is an ISO 8601 timestamp (2025-06-18 on).
        "lastModified": "str",
        "priority": "float",
    },
    total=False,
)

# Answer is what a client answered: Result or Failure.
Answer = TypedDict(
    "Answer",
    {
        "error": "Any",
        "id": "Required[str]",
        "result": "Any",
    },
    total=False,
)

# Ask is a request of the server's to the client of a session.
Ask = TypedDict(
    "Ask",
    {
        "method": "Required[str]",
        "params": "Any",
        # Timeout is how long the answer is awaited; 0 means 5s.
        "timeout": "str",
        # Undeclared sends it although the client has not declared the capability.
        "undeclared": "bool",
    },
    total=False,
)

# Assertion is what must hold of the journal: exactly one of Exactly, AtLeast and InOrder is set.
Assertion = TypedDict(
    "Assertion",
    {
        "atLeast": "int",
        "exactly": "int",
        # InOrder wants an entry for each query, each after the one before it.
        "inOrder": "list[Query]",
        "query": "Query",
    },
    total=False,
)

# Caching is a pair of caching hints (2026-07-28).
Caching = TypedDict(
    "Caching",
    {
        # Scope is "public" or "private"; empty means private.
        "scope": "str",
        # TTL is how long a result may be thought fresh; sent in milliseconds.
        "ttl": "str",
    },
    total=False,
)

# Client describes a client that has registered.
Client = TypedDict(
    "Client",
    {
        # AuthMethod is how it authenticates: none, client_secret_basic or client_secret_post.
        "authMethod": "Required[str]",
        "id": "Required[str]",
        "name": "str",
        # Redirects are the addresses that users are sent back to.
        "redirects": "Required[list[str]]",
    },
    total=False,
)

# Days is a span of days, written 2006-01-02.
Days = TypedDict(
    "Days",
    {
        "from": "str",
        "to": "str",
    },
    total=False,
)

# Deviation is a fault or quirk that a rule can switch on.
Deviation = TypedDict(
    "Deviation",
    {
        "name": "Required[str]",
        # Requirement is that which a fault breaks, or "connection"; or those, with commas between them, by which a
        # quirk is permitted.
        "requirement": "str",
        "summary": "Required[str]",
    },
    total=False,
)

# DeviationList is all faults and quirks that there are.
DeviationList = TypedDict(
    "DeviationList",
    {
        "faults": "Required[list[Deviation]]",
        "quirks": "Required[list[Deviation]]",
    },
    total=False,
)

# Entry is one entry. It is not changed after it has been noted.
Entry = TypedDict(
    "Entry",
    {
        # The message, where it is not even UTF-8.
        "base64": "str",
        # Connection tells network connections apart: the address of the client.
        "connection": "str",
        "direction": "Literal['in', 'out']",
        # EventID is the id of the server-sent event.
        "eventId": "str",
        "http": "HTTP",
        # ID is the JSON-RPC id as it was written; absent if there is none.
        "id": "Any",
        # Identity is the fingerprint of the bearer token that came along.
        "identity": "str",
        "kind": "Required[Literal['request', 'notification', 'response', 'batch', 'unreadable', 'http-request', 'http-answer', 'event', 'opened', 'closed', 'applied']]",
        # The message, where it is complete and is JSON.
        "message": "Any",
        # Method is the JSON-RPC method; of a response, that of its request.
        "method": "str",
        "reason": "str",
        # RequestSeq is the number of the entry that this one answers, belongs to or ends; 0 if there is none.
        "requestSeq": "int",
        # Retry is the retry field of the server-sent event, in milliseconds.
        "retry": "int",
        # Revision is the protocol revision that was negotiated, or that the request claims; empty before a handshake.
        "revision": "str",
        # Rules names the faults, quirks, failures and delays that were in force for the request: the one applied
        # (Applied), or all so far (Out).
        "rules": "list[str]",
        # Scope says what was opened or closed, Reason how it came to be closed: "client", "server", "abort", "evicted",
        # "deleted", "shutdown" or "interrupted" (by a signal, with the input still open).
        "scope": "str",
        # Seq numbers the entries from 1.
        "seq": "Required[int]",
        # Session is the id of the connection (stdio, HTTP+SSE) or session (Streamable HTTP); empty for requests of no
        # session.
        "session": "str",
        "size": "int",
        # Stream is the kind of the event stream ("post", "get", "sse") on which the server sent this.
        "stream": "str",
        # The message, where it is not.
        "text": "str",
        # Time is when it was noted.
        "time": "Required[str]",
        # Transport is "stdio", "http" or "sse".
        "transport": "str",
        # Says that this is the beginning of a longer message.
        "truncated": "bool",
        # URI is that of the resource that the message is about, if it is about one.
        "uri": "str",
    },
    total=False,
)

# EntryList is entries of the journal, oldest first.
EntryList = TypedDict(
    "EntryList",
    {
        "entries": "Required[list[Entry]]",
        # Last is the newest number in the journal, Lost how many entries it no longer has.
        "last": "Required[int]",
        "lost": "Required[int]",
    },
    total=False,
)

# Expire has tokens expire.
Expire = TypedDict(
    "Expire",
    {
        # Grant is the id of the grant whose tokens they are; empty means all.
        "grant": "str",
        # Refresh has the refresh tokens expire as well, so that clients have to ask the user again.
        "refresh": "bool",
    },
    total=False,
)

# Expired says how many tokens have expired that were good before.
Expired = TypedDict(
    "Expired",
    {
        "tokens": "Required[int]",
    },
    total=False,
)

# Failure is what matching requests are answered with. With a Code it is a JSON-RPC error, over HTTP with Status (0
# means 200). Without one, Status makes it an HTTP answer without a JSON-RPC message (over HTTP+SSE that to the POST,
# whose request is then never answered on the stream); on stdio such a failure is the error -32603.
Failure = TypedDict(
    "Failure",
    {
        # Body is the body of an HTTP answer without a message, as plain text.
        "body": "str",
        "code": "int",
        "data": "Any",
        # Header is added to the answer, Retry-After say.
        "header": "dict[str, str]",
        "message": "str",
        "status": "int",
    },
    total=False,
)

# Field is a text field of a form.
Field = TypedDict(
    "Field",
    {
        # Default is used for clients of revisions that cannot be asked.
        "default": "str",
        "description": "str",
        "name": "str",
        "title": "str",
    },
    total=False,
)

# Generate makes a content of a given length: a text by repeating a line or, if it is binary, bytes that look random and
# are the same for the same line.
Generate = TypedDict(
    "Generate",
    {
        "binary": "bool",
        "bytes": "int",
        # without line break
        "line": "str",
    },
    total=False,
)

# Grant describes what has been granted to a client.
Grant = TypedDict(
    "Grant",
    {
        "client": "str",
        # ClientID and Client are id and name of the client.
        "clientId": "Required[str]",
        "expires": "str",
        # Fingerprint is that of the newest access token, Expires when that is good no more.
        "fingerprint": "str",
        "id": "Required[str]",
        # Refreshed is how often it has been refreshed.
        "refreshed": "Required[int]",
        "resource": "str",
        # Scopes and Resource are what its tokens are good for; without a resource it was not asked for one, and they
        # are good for all of the server.
        "scopes": "Required[list[str]]",
        "since": "Required[str]",
        "user": "Required[str]",
    },
    total=False,
)

# GrantList is what users have granted to clients, oldest first.
GrantList = TypedDict(
    "GrantList",
    {
        "grants": "Required[list[Grant]]",
    },
    total=False,
)

# HTTP is the head of an HTTP request (Method, Path) or answer (Status).
HTTP = TypedDict(
    "HTTP",
    {
        # credentials are masked
        "header": "dict[str, list[str]]",
        "method": "str",
        # with the query
        "path": "str",
        "status": "int",
    },
    total=False,
)

# Health says how a server fares.
Health = TypedDict(
    "Health",
    {
        # Journal is the newest number in the journal, JournalLost how many entries it no longer has, JournalError why
        # its file is no longer written.
        "journal": "Required[int]",
        "journalError": "str",
        "journalLost": "int",
        "resources": "Required[int]",
        "rules": "Required[int]",
        "sessions": "Required[int]",
        "since": "Required[str]",
        # Status is "ok", or "closed" once the server has ended.
        "status": "Required[str]",
        "templates": "Required[int]",
        "world": "Required[str]",
    },
    total=False,
)

# Icon is a picture for display (2025-11-25 on).
Icon = TypedDict(
    "Icon",
    {
        "mimeType": "str",
        "sizes": "list[str]",
        "src": "str",
        "theme": "str",
    },
    total=False,
)

# IdentityList is the owners of the tokens that the server demands; empty if it demands none.
IdentityList = TypedDict(
    "IdentityList",
    {
        "identities": "Required[list[Owner]]",
    },
    total=False,
)

# Input is what has to be asked before a read (2026-07-28): of the user by a form or at a URL, of a model, or of the
# client for its roots. In the text of the resource {name} stands for the answer to the field "name" of a form, and
# {key} for what the model said, or the URIs of the roots.
Input = TypedDict(
    "Input",
    {
        # Default is the answer of a model or the roots, used for clients of revisions that cannot be asked.
        "default": "str",
        # Fields are those of a form.
        "fields": "list[Field]",
        # Key names the input request.
        "key": "str",
        # Kind is form, which an empty one means, url, sampling or roots.
        "kind": "str",
        # Message is what the user or the model is told.
        "message": "str",
        "then": "Input",
        # URL is where the user is sent to.
        "url": "str",
    },
    total=False,
)

# Namespace describes a namespace.
Namespace = TypedDict(
    "Namespace",
    {
        "name": "Required[str]",
        # Path is that of its endpoint of Streamable HTTP.
        "path": "Required[str]",
        "sessions": "Required[int]",
        "since": "Required[str]",
        # World is the name of what it serves.
        "world": "Required[str]",
    },
    total=False,
)

# NamespaceList is all namespaces, by name.
NamespaceList = TypedDict(
    "NamespaceList",
    {
        "namespaces": "Required[list[Namespace]]",
    },
    total=False,
)

# NewNamespace is a namespace that is to be made.
NewNamespace = TypedDict(
    "NewNamespace",
    {
        # Faults and Quirks are names, each with limits behind it if it has any: those with which the namespace begins.
        # Those of the server do not hold in it.
        "faults": "list[str]",
        # Name has 1 to 64 letters of ASCII, digits and ._- in it.
        "name": "Required[str]",
        # PageSize is the number of entries on a page; 0 means that of the world.
        "pageSize": "int",
        "quirks": "list[str]",
        # Revisions are those that are served; empty means those of the server.
        "revisions": "list[str]",
        # Seed feeds the randomness of faults, quirks and delays.
        "seed": "int",
        # World is the name of a ready world, or a world as a file has it; absent means what the server serves.
        "world": "Any",
    },
    total=False,
)

# OAuthClientList is the clients that have registered, oldest first.
OAuthClientList = TypedDict(
    "OAuthClientList",
    {
        "clients": "Required[list[Client]]",
    },
    total=False,
)

# Operation does one thing to the messages that it selects: exactly one of Set, Drop, Retype, Rewrite, Code, Silence,
# Delay, Repeat, Reorder, Abort, Send, Answer and Note is given.
Operation = TypedDict(
    "Operation",
    {
        # Abort ends the connection, on HTTP the session.
        "abort": "bool",
        # After sends it after this one.
        "after": "bool",
        "answer": "Stub",
        # Apart sends it on the connection, as a message that belongs to no request.
        "apart": "bool",
        # As is string, number, array, element, json, base64 or plain.
        "as": "str",
        # Chance is the probability, drawn by the seed, with which one is changed; 0 means always.
        "chance": "float",
        # Code is the new code of an error.
        "code": "int",
        # Count is how many are changed; 0 means all.
        "count": "int",
        # Delay is how long the message waits, as in 50ms or uniform:10ms-90ms.
        "delay": "str",
        # Drop is the path of a member that is taken away.
        "drop": "str",
        # Era is legacy (revisions with a handshake) or modern (2026-07-28 on); empty is both.
        "era": "str",
        # Every changes only every so many of them; 0 means each.
        "every": "int",
        # Method is the method of the message, or of the request that it answers: "resources/*" matches by beginning,
        # "a|b" either.
        "method": "str",
        # Note is the name under which the value To is remembered.
        "note": "str",
        # On is the sort of message: request, reply, response, notification, http-request, http-answer or event; empty
        # means reply.
        "on": "str",
        # Pattern is a regular expression (RE2).
        "pattern": "str",
        # Per is connection, session or revision, for each of which is remembered apart; empty is the server.
        "per": "str",
        # Reorder has the first of two messages wait for the second, for this time at the most.
        "reorder": "str",
        # Repeat is how many times the message is sent.
        "repeat": "int",
        # Retype is the path of a member that is given the type As.
        "retype": "str",
        # Rewrite is the path of a string in which Pattern is replaced by With.
        "rewrite": "str",
        # Send is another message, which is sent before this one.
        "send": "dict[str, Any]",
        # Set is the path of a member that is given the value To.
        "set": "str",
        # Silence withholds the message.
        "silence": "bool",
        # Skip is how many of these messages pass before the first is changed.
        "skip": "int",
        # To is the value of Set and Note; absent means null.
        "to": "Any",
        # Transport is stdio, http or sse, "a|b" either; empty is all.
        "transport": "str",
        # Was is the code that Code replaces; absent means any.
        "was": "int",
        # When are tests of the message, which all must hold.
        "when": "list[Test]",
        # Where are tests of the object that the last name of the path is in.
        "where": "list[Test]",
        # With takes the place of what Pattern matches; $1 is its first group.
        "with": "str",
    },
    total=False,
)

# Outcome says whether what was waited for, or asserted, is so.
Outcome = TypedDict(
    "Outcome",
    {
        # Entries are those that were waited for, 1000 at the most.
        "entries": "list[Entry]",
        # Last is the newest number in the journal.
        "last": "Required[int]",
        # Message says what is lacking; empty if nothing is.
        "message": "str",
        "met": "Required[bool]",
    },
    total=False,
)

# Owner describes the owner of a token without the token.
Owner = TypedDict(
    "Owner",
    {
        # Fingerprint is by what the journal tells tokens apart.
        "fingerprint": "Required[str]",
        "identity": "str",
        # Scopes are what the token is good for; none means everything.
        "scopes": "Required[list[str]]",
    },
    total=False,
)

# Problem is what went wrong with a request.
Problem = TypedDict(
    "Problem",
    {
        # Code says what sort of problem it is, for programs.
        "code": "Required[str]",
        # Field is the member or parameter that is wrong, members of members after a dot; empty if it is none in
        # particular.
        "field": "str",
        "message": "Required[str]",
    },
    total=False,
)

# Query selects entries of the journal: all members that are set must hold.
Query = TypedDict(
    "Query",
    {
        # Direction is "in" or "out".
        "direction": "Literal['in', 'out']",
        # Identity is the name of an owner, or the fingerprint of a token.
        "identity": "str",
        "kind": "Literal['request', 'notification', 'response', 'batch', 'unreadable', 'http-request', 'http-answer', 'event', 'opened', 'closed', 'applied']",
        # Kinds are alternatives; Kind is one more of them.
        "kinds": "list[Literal['request', 'notification', 'response', 'batch', 'unreadable', 'http-request', 'http-answer', 'event', 'opened', 'closed', 'applied']]",
        # Limit is how many entries are wanted at the most, from the oldest on or, with Newest, the newest.
        "limit": "int",
        "method": "str",
        "newest": "bool",
        "rule": "str",
        "session": "str",
        # Since leaves out the entries up to this number.
        "since": "int",
        "transport": "str",
        "uri": "str",
    },
    total=False,
)

# Refusal is the body of every answer that is no success.
Refusal = TypedDict(
    "Refusal",
    {
        "error": "Required[Problem]",
    },
    total=False,
)

Report = TypedDict(
    "Report",
    {
        "config": "Required[dict[str, Any]]",
        "frames": "Required[list[dict[str, Any]]]",
        "observations": "Required[list[dict[str, Any]]]",
        "results": "Required[list[dict[str, Any]]]",
        "schema": "Required[str]",
        "summary": "Required[dict[str, Any]]",
        "target": "Required[dict[str, Any]]",
        "tool": "Required[dict[str, Any]]",
    },
    total=False,
)

# Resource is a resource with its content.
Resource = TypedDict(
    "Resource",
    {
        "_meta": "dict[str, Any]",
        "annotations": "Annotations",
        # standard base64
        "blob": "str",
        "caching": "Caching",
        # URIs of resources that are read together
        "contains": "list[str]",
        # Delay is how long a read takes, Steps how many progress notifications it sends meanwhile to those who ask for
        # them.
        "delay": "str",
        "description": "str",
        "failCode": "int",
        # Fails, if not empty, is the message of the error with which every read is answered, and FailCode its code; 0
        # means an internal error.
        "fails": "str",
        "generate": "Generate",
        # Hidden resources can be read but are not listed.
        "hidden": "bool",
        "icons": "list[Icon]",
        # Identities are the bearer tokens, or fingerprints of tokens, to whose owners the resource shows itself; for
        # all others it does not exist. None means everyone. There are no tokens on stdio.
        "identities": "list[str]",
        "input": "Input",
        "mimeType": "str",
        "name": "Required[str]",
        # Size in bytes; absent means that of the content.
        "size": "int",
        "steps": "int",
        # The content is one of these six; none means an empty text.
        "text": "str",
        "title": "str",
        "uri": "Required[str]",
    },
    total=False,
)

# ResourceList is a part of the resources, in the order of listing.
ResourceList = TypedDict(
    "ResourceList",
    {
        "resources": "Required[list[ResourceSummary]]",
        # Total is how many there are in all.
        "total": "Required[int]",
    },
    total=False,
)

# A JSON merge patch: null takes a member away.
ResourcePatch = TypedDict(
    "ResourcePatch",
    {
        "_meta": "Any",
        "annotations": "Any",
        "blob": "Any",
        "caching": "Any",
        "contains": "Any",
        "delay": "Any",
        "description": "Any",
        "failCode": "Any",
        "fails": "Any",
        "generate": "Any",
        "hidden": "Any",
        "icons": "Any",
        "identities": "Any",
        "input": "Any",
        "mimeType": "Any",
        "name": "Any",
        "size": "Any",
        "steps": "Any",
        "text": "Any",
        "title": "Any",
        "uri": "Any",
    },
    total=False,
)

# ResourceSummary is a resource in a list.
ResourceSummary = TypedDict(
    "ResourceSummary",
    {
        "hidden": "bool",
        "mimeType": "str",
        "name": "Required[str]",
        "uri": "Required[str]",
    },
    total=False,
)

# Rule is one deviation: exactly one of Fault, Quirk, Fail, Delay and Do is set. The names in it are known.
Rule = TypedDict(
    "Rule",
    {
        # Become are the states that scenarios are in from the next message on when one has been affected.
        "become": "dict[str, str]",
        # Chance is the probability, drawn by the seed, with which one is affected; 0 means always.
        "chance": "float",
        # Count is how many matching messages are affected; 0 means all. Those that the rule does nothing about are not
        # counted, unless it does no more than to note.
        "count": "int",
        # Delay holds answers back.
        "delay": "str",
        # Do are the operations, which change messages in the vocabulary in which faults and quirks are written.
        "do": "list[Operation]",
        # Every affects only every so many of them; 0 means each.
        "every": "int",
        "fail": "Failure",
        # Fault is the name of a fault or of a failure of the connection.
        "fault": "str",
        # ID names the rule in the lists of the admin API and in the journal; empty has one made up.
        "id": "str",
        # Identity is a bearer token or its fingerprint, as entries of the journal have it; "a|b" is either.
        "identity": "str",
        # Method is a JSON-RPC method; "resources/*" matches by beginning, "a|b" either. HTTP requests without a message
        # have their HTTP method instead ("GET" is the opening of an event stream, "DELETE" the end of a session).
        "method": "str",
        # Quirk is the name of a quirk.
        "quirk": "str",
        # Session is the id of a session or connection.
        "session": "str",
        # Skip is how many matching messages pass before the first is affected.
        "skip": "int",
        # URI is a pattern for params.uri. A URI with braces in it is an RFC 6570 template. Otherwise "**" stands for
        # anything and "*" for anything without a slash, and what is neither must be equal.
        "uri": "str",
        # When are tests of the message as it came in, whose paths begin with params or header.
        "when": "list[Test]",
        # While are the states that scenarios have to be in: {link: down}. One that has not been set is in the state "".
        "while": "dict[str, str]",
    },
    total=False,
)

# RuleList is all rules, outermost first.
RuleList = TypedDict(
    "RuleList",
    {
        "rules": "Required[list[Status]]",
    },
    total=False,
)

# SessionInfo describes an open session.
SessionInfo = TypedDict(
    "SessionInfo",
    {
        # Capabilities are what the client has declared in it.
        "capabilities": "Any",
        # Client is the clientInfo of the handshake.
        "client": "Any",
        "id": "Required[str]",
        "inFlight": "Required[int]",
        # Listens is the number of its listen streams, InFlight that of its requests that are being worked on.
        "listens": "Required[int]",
        # Revision is the negotiated one; empty before the handshake, and for a listen stream over HTTP, which is a
        # session of its own.
        "revision": "str",
        "since": "Required[str]",
        # Subscriptions are the URIs that it has subscribed to or listens to, sorted.
        "subscriptions": "Required[list[str]]",
        "transport": "Required[str]",
    },
    total=False,
)

# SessionList is the open sessions, oldest first.
SessionList = TypedDict(
    "SessionList",
    {
        "sessions": "Required[list[SessionInfo]]",
    },
    total=False,
)

# StateList is states of scenarios, by name.
StateList = TypedDict(
    "StateList",
    {
        "states": "Required[dict[str, str]]",
    },
    total=False,
)

# Status is a rule of a set and how it has fared.
Status = TypedDict(
    "Status",
    {
        # Become are the states that scenarios are in from the next message on when one has been affected.
        "become": "dict[str, str]",
        # Chance is the probability, drawn by the seed, with which one is affected; 0 means always.
        "chance": "float",
        # Count is how many matching messages are affected; 0 means all. Those that the rule does nothing about are not
        # counted, unless it does no more than to note.
        "count": "int",
        # Delay holds answers back.
        "delay": "str",
        # Do are the operations, which change messages in the vocabulary in which faults and quirks are written.
        "do": "list[Operation]",
        # Done says that its count is used up.
        "done": "bool",
        # Every affects only every so many of them; 0 means each.
        "every": "int",
        "fail": "Failure",
        # Fault is the name of a fault or of a failure of the connection.
        "fault": "str",
        # Hits is how many messages it has been applied to.
        "hits": "Required[int]",
        # ID names the rule in the lists of the admin API and in the journal; empty has one made up.
        "id": "str",
        # Identity is a bearer token or its fingerprint, as entries of the journal have it; "a|b" is either.
        "identity": "str",
        # Method is a JSON-RPC method; "resources/*" matches by beginning, "a|b" either. HTTP requests without a message
        # have their HTTP method instead ("GET" is the opening of an event stream, "DELETE" the end of a session).
        "method": "str",
        # Name is what the journal calls it.
        "name": "Required[str]",
        # Quirk is the name of a quirk.
        "quirk": "str",
        # Requirement is the requirement that a fault breaks or that permits a quirk, or "connection".
        "requirement": "str",
        # Session is the id of a session or connection.
        "session": "str",
        # Skip is how many matching messages pass before the first is affected.
        "skip": "int",
        # Summary says in one clause what it does.
        "summary": "str",
        # URI is a pattern for params.uri. A URI with braces in it is an RFC 6570 template. Otherwise "**" stands for
        # anything and "*" for anything without a slash, and what is neither must be equal.
        "uri": "str",
        # Warnings say what is most likely a mistake in the rule, or why it cannot show.
        "warnings": "list[str]",
        # When are tests of the message as it came in, whose paths begin with params or header.
        "when": "list[Test]",
        # While are the states that scenarios have to be in: {link: down}. One that has not been set is in the state "".
        "while": "dict[str, str]",
    },
    total=False,
)

# StepList is the steps of the timeline, in the order of the world.
StepList = TypedDict(
    "StepList",
    {
        "steps": "Required[list[StepStatus]]",
    },
    total=False,
)

# StepStatus is a step of the timeline and how it has fared.
StepStatus = TypedDict(
    "StepStatus",
    {
        # Done says that it has happened for the last time.
        "done": "bool",
        # Next is in what time it happens next; absent if that is not known yet, or it has happened for the last time.
        "next": "str",
        # Step says what happens.
        "step": "Required[str]",
        # Taken is how often it has happened.
        "taken": "Required[int]",
        # Waits says which message it waits for, each time or once; empty if for none.
        "waits": "str",
    },
    total=False,
)

# Stub is what a request is answered with: a Result, an error with a Code, Raw, or Base64; an http-request with a Status
# and a Body. A notification is answered only by Raw and Base64.
Stub = TypedDict(
    "Stub",
    {
        "base64": "str",
        # Body is the body of the answer to an http-request; Base64 can stand for it.
        "body": "str",
        # Code is the code of an error.
        "code": "int",
        # Data is the data of the error.
        "data": "Any",
        # Header is added to an answer over HTTP.
        "header": "dict[str, str]",
        # Message is the message of the error.
        "message": "str",
        # Raw is sent as it stands, Base64 decoded; on stdio a line break follows.
        "raw": "str",
        # Result is the result of a request.
        "result": "dict[str, Any]",
        # Status is the HTTP status; 0 means 200.
        "status": "int",
        # Template has placeholders in Raw and Body stand for values.
        "template": "bool",
    },
    total=False,
)

# Template is a resource template.
Template = TypedDict(
    "Template",
    {
        "_meta": "dict[str, Any]",
        "annotations": "Annotations",
        # Binary has the text sent as a blob.
        "binary": "bool",
        "caching": "Caching",
        "delay": "str",
        "description": "str",
        "failCode": "int",
        "fails": "str",
        # Finds is a URI with {name} or {+name} in it that, expanded with the decoded values, names the resource of this
        # world whose content is served.
        "finds": "str",
        "icons": "list[Icon]",
        "mimeType": "str",
        "name": "Required[str]",
        "steps": "int",
        # Text is the content of every expansion; {name} stands for the decoded value of a variable. Without Text, Finds
        # must be there.
        "text": "str",
        "title": "str",
        "uriTemplate": "Required[str]",
        # Variables tells what is known about the variables.
        "variables": "list[Variable]",
    },
    total=False,
)

# TemplateList is all templates, each as a world file has it.
TemplateList = TypedDict(
    "TemplateList",
    {
        "templates": "Required[list[Any]]",
    },
    total=False,
)

# A JSON merge patch: null takes a member away.
TemplatePatch = TypedDict(
    "TemplatePatch",
    {
        "_meta": "Any",
        "annotations": "Any",
        "binary": "Any",
        "caching": "Any",
        "delay": "Any",
        "description": "Any",
        "failCode": "Any",
        "fails": "Any",
        "finds": "Any",
        "icons": "Any",
        "mimeType": "Any",
        "name": "Any",
        "steps": "Any",
        "text": "Any",
        "title": "Any",
        "uriTemplate": "Any",
        "variables": "Any",
    },
    total=False,
)

# Test is a condition on what stands at a path: all of Is, In, Matches and Type that are given must hold.
Test = TypedDict(
    "Test",
    {
        # At is the path.
        "at": "str",
        # In is the path of an array that has to have the value in it, or of a value that it has to be.
        "in": "str",
        # Is is the value that has to stand there.
        "is": "Any",
        # Matches is a regular expression (RE2) that has to match the text that stands there.
        "matches": "str",
        # Not has the test hold where it otherwise would not.
        "not": "bool",
        # Type is string, number, boolean, null, object, array or missing.
        "type": "str",
    },
    total=False,
)

# Touch names the resource whose subscribers are to be notified.
Touch = TypedDict(
    "Touch",
    {
        "uri": "Required[str]",
    },
    total=False,
)

# Variable is a variable of a template.
Variable = TypedDict(
    "Variable",
    {
        # Closed says that there is nothing at values other than these.
        "closed": "bool",
        "days": "Days",
        # Default is the value if a query variable is left out.
        "default": "str",
        # DependsOn names another variable; ValuesBy then holds the values for each value of that one, and Values those
        # for no or another value.
        "dependsOn": "str",
        "name": "str",
        # Values are suggested on completion, in this order.
        "values": "list[str]",
        "valuesBy": "dict[str, list[str]]",
    },
    total=False,
)

# Verify is how the clients are to be judged.
Verify = TypedDict(
    "Verify",
    {
        # Ended says that the client has ended, SingleClient that there was but one.
        "ended": "bool",
        # Name is what the client is called in the report; empty means what it says of itself.
        "name": "str",
        # Only limits the verdicts to these ids.
        "only": "list[str]",
        # Since leaves out the entries up to this number.
        "since": "int",
        "singleClient": "bool",
        # Strict counts warnings as failures.
        "strict": "bool",
    },
    total=False,
)

# Wait waits until entries are there.
Wait = TypedDict(
    "Wait",
    {
        # Count is how many entries have to be selected; 0 means 1.
        "count": "int",
        "query": "Query",
        # Timeout is how long to wait; 0 means 5s.
        "timeout": "str",
    },
    total=False,
)

# Resource is a resource with its content.
WrittenResource = TypedDict(
    "WrittenResource",
    {
        "_meta": "dict[str, Any]",
        "annotations": "Annotations",
        # standard base64
        "blob": "str",
        "caching": "Caching",
        # URIs of resources that are read together
        "contains": "list[str]",
        # Delay is how long a read takes, Steps how many progress notifications it sends meanwhile to those who ask for
        # them.
        "delay": "str",
        "description": "str",
        "failCode": "int",
        # Fails, if not empty, is the message of the error with which every read is answered, and FailCode its code; 0
        # means an internal error.
        "fails": "str",
        "generate": "Generate",
        # Hidden resources can be read but are not listed.
        "hidden": "bool",
        "icons": "list[Icon]",
        # Identities are the bearer tokens, or fingerprints of tokens, to whose owners the resource shows itself; for
        # all others it does not exist. None means everyone. There are no tokens on stdio.
        "identities": "list[str]",
        "input": "Input",
        "mimeType": "str",
        "name": "Required[str]",
        # Size in bytes; absent means that of the content.
        "size": "int",
        "steps": "int",
        # The content is one of these six; none means an empty text.
        "text": "str",
        "title": "str",
        "uri": "Required[str]",
        # What a client may stumble over, in sentences; absent if there is nothing.
        "warnings": "list[str]",
    },
    total=False,
)

# Template is a resource template.
WrittenTemplate = TypedDict(
    "WrittenTemplate",
    {
        "_meta": "dict[str, Any]",
        "annotations": "Annotations",
        # Binary has the text sent as a blob.
        "binary": "bool",
        "caching": "Caching",
        "delay": "str",
        "description": "str",
        "failCode": "int",
        "fails": "str",
        # Finds is a URI with {name} or {+name} in it that, expanded with the decoded values, names the resource of this
        # world whose content is served.
        "finds": "str",
        "icons": "list[Icon]",
        "mimeType": "str",
        "name": "Required[str]",
        "steps": "int",
        # Text is the content of every expansion; {name} stands for the decoded value of a variable. Without Text, Finds
        # must be there.
        "text": "str",
        "title": "str",
        "uriTemplate": "Required[str]",
        # Variables tells what is known about the variables.
        "variables": "list[Variable]",
        # What a client may stumble over, in sentences; absent if there is nothing.
        "warnings": "list[str]",
    },
    total=False,
)
