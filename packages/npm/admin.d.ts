// Written by packages/clients from the description of the interface; do not edit.

/** What the interface refuses: its code, its sentence and, where there is one, the member that is wrong. */
export class AdminError extends Error {
  readonly status: number;
  readonly code: string;
  readonly field?: string;
}

/** Steers a mock server by its admin interface. */
export class Admin {
  readonly address: string;

  /** The address is as in http://127.0.0.1:4000. */
  constructor(address: string, options?: { token?: string });

  /** The faults and quirks that rules can switch on. */
  getDeviations(): Promise<DeviationList>;

  /** End all listen streams in order (2026-07-28). */
  postEndSubscriptions(): Promise<void>;

  /** How the server fares. */
  getHealth(): Promise<Health>;

  /** The owners of the bearer tokens that the server demands. */
  getIdentities(): Promise<IdentityList>;

  /** Forget all entries. Numbers go on. */
  deleteJournal(): Promise<void>;

  /** Entries of the journal, oldest first. */
  getJournal(query?: { direction?: "in" | "out"; kind?: Array<"request" | "notification" | "response" | "batch" | "unreadable" | "http-request" | "http-answer" | "event" | "opened" | "closed" | "applied">; kinds?: Array<"request" | "notification" | "response" | "batch" | "unreadable" | "http-request" | "http-answer" | "event" | "opened" | "closed" | "applied">; method?: string; uri?: string; session?: string; transport?: string; identity?: string; rule?: string; since?: number; limit?: number; newest?: boolean }): Promise<EntryList>;

  /** Say whether something holds of the journal. That it does not is no error: see met. */
  postJournalAssert(body: Assertion): Promise<Outcome>;

  /** Wait until entries are there. That they did not come in time is no error: see met. */
  postJournalWait(body: Wait): Promise<Outcome>;

  /** Notify clients as if the list of resources had changed. */
  postListChanged(): Promise<void>;

  /** The namespaces by name. All paths but those of namespaces are there beneath /namespaces/NAME as well, and are about that one. */
  getNamespaces(): Promise<NamespaceList>;

  /** Make a namespace: a server with world, rules, sessions, timeline and journal of its own, called at /mcp/NAME. */
  postNamespaces(body: NewNamespace): Promise<Namespace>;

  /** End a namespace and all its connections. */
  deleteNamespacesName(name: string): Promise<void>;

  /** A namespace. */
  getNamespacesName(name: string): Promise<Namespace>;

  /** Forget all clients, grants and tokens. */
  deleteOauth(): Promise<void>;

  /** The clients that have registered, oldest first. */
  getOauthClients(): Promise<OAuthClientList>;

  /** Have access tokens expire now, and refresh tokens if that is asked for. */
  postOauthExpire(body: Expire): Promise<Expired>;

  /** What the authorization server has granted to clients, oldest first. */
  getOauthGrants(): Promise<GrantList>;

  /** Revoke a grant with all its tokens. */
  deleteOauthGrantsId(id: string): Promise<void>;

  /** This document. */
  getOpenapiJson(): Promise<Record<string, any>>;

  /** Bring back the world, the rules and the timeline with which the server began. Connections and journal stay. */
  postReset(): Promise<void>;

  /** Take a resource away. Clients are notified. */
  deleteResource(query: { uri: string }): Promise<void>;

  /** A resource as a world file has it. */
  getResource(query: { uri: string }): Promise<Resource>;

  /** Change a resource by a JSON merge patch (RFC 7396). Clients are notified. */
  patchResource(query: { uri: string }, body: ResourcePatch): Promise<WrittenResource>;

  /** Add a resource, or replace the one with its URI. Clients are notified. */
  putResource(body: Resource): Promise<WrittenResource>;

  /** List the resources. */
  getResources(query?: { offset?: number; limit?: number }): Promise<ResourceList>;

  /** Switch all rules off. */
  deleteRules(): Promise<void>;

  /** The rules in force, outermost first. */
  getRules(): Promise<RuleList>;

  /** Switch a fault, a quirk, a failure or a delay on. */
  postRules(body: Rule): Promise<Status>;

  /** Switch a rule off. */
  deleteRulesId(id: string): Promise<void>;

  /** A rule, and how often it has been applied. */
  getRulesId(id: string): Promise<Status>;

  /** The open sessions, oldest first. */
  getSessions(): Promise<SessionList>;

  /** End a session as a server may at any time. */
  deleteSessionsId(id: string): Promise<void>;

  /** Send a request of the server to the client of a session (revisions with a handshake) and wait for the answer. */
  postSessionsIdAsk(id: string, body: Ask): Promise<Answer>;

  /** The states of scenarios, which rules ask for and change. */
  getStates(): Promise<StateList>;

  /** Give scenarios other states; those that are not named keep theirs. */
  putStates(body: StateList): Promise<StateList>;

  /** Take a template away. Clients are notified. */
  deleteTemplate(query: { uriTemplate: string }): Promise<void>;

  /** A template as a world file has it. */
  getTemplate(query: { uriTemplate: string }): Promise<Template>;

  /** Change a template by a JSON merge patch (RFC 7396). Clients are notified. */
  patchTemplate(query: { uriTemplate: string }, body: TemplatePatch): Promise<WrittenTemplate>;

  /** Add a template, or replace the one with its URI template. Clients are notified. */
  putTemplate(body: Template): Promise<WrittenTemplate>;

  /** All templates, in the order of listing. */
  getTemplates(): Promise<TemplateList>;

  /** The steps of the timeline, how often each has happened, and when it happens next. */
  getTimeline(): Promise<StepList>;

  /** Notify the subscribers of a resource as if it had changed. */
  postTouch(body: Touch): Promise<void>;

  /** Judge the clients by what the journal has of them. */
  postVerify(body: Verify): Promise<Report>;
}

/** Annotations are hints about the use of a resource. */
export interface Annotations {
  audience?: Array<string>;
  /** LastModified is an ISO 8601 timestamp (2025-06-18 on). */
  lastModified?: string;
  priority?: number;
}

/** Answer is what a client answered: Result or Failure. */
export interface Answer {
  error?: any;
  id: string;
  result?: any;
}

/** Ask is a request of the server's to the client of a session. */
export interface Ask {
  method: string;
  params?: any;
  /** Timeout is how long the answer is awaited; 0 means 5s. */
  timeout?: string;
  /** Undeclared sends it although the client has not declared the capability. */
  undeclared?: boolean;
}

/** Assertion is what must hold of the journal: exactly one of Exactly, AtLeast and InOrder is set. */
export interface Assertion {
  atLeast?: number;
  exactly?: number;
  /** InOrder wants an entry for each query, each after the one before it. */
  inOrder?: Array<Query>;
  query?: Query;
}

/** Caching is a pair of caching hints (2026-07-28). */
export interface Caching {
  /** Scope is "public" or "private"; empty means private. */
  scope?: string;
  /** TTL is how long a result may be thought fresh; sent in milliseconds. */
  ttl?: string;
}

/** Client describes a client that has registered. */
export interface Client {
  /** AuthMethod is how it authenticates: none, client_secret_basic or client_secret_post. */
  authMethod: string;
  id: string;
  name?: string;
  /** Redirects are the addresses that users are sent back to. */
  redirects: Array<string>;
}

/** Days is a span of days, written 2006-01-02. */
export interface Days {
  from?: string;
  to?: string;
}

/** Deviation is a fault or quirk that a rule can switch on. */
export interface Deviation {
  name: string;
  /** Requirement is that which a fault breaks, or "connection"; or those, with commas between them, by which a quirk is permitted. */
  requirement?: string;
  summary: string;
}

/** DeviationList is all faults and quirks that there are. */
export interface DeviationList {
  faults: Array<Deviation>;
  quirks: Array<Deviation>;
}

/** Entry is one entry. It is not changed after it has been noted. */
export interface Entry {
  /** The message, where it is not even UTF-8. */
  base64?: string;
  /** Connection tells network connections apart: the address of the client. */
  connection?: string;
  direction?: "in" | "out";
  /** EventID is the id of the server-sent event. */
  eventId?: string;
  http?: HTTP;
  /** ID is the JSON-RPC id as it was written; absent if there is none. */
  id?: any;
  /** Identity is the fingerprint of the bearer token that came along. */
  identity?: string;
  kind: "request" | "notification" | "response" | "batch" | "unreadable" | "http-request" | "http-answer" | "event" | "opened" | "closed" | "applied";
  /** The message, where it is complete and is JSON. */
  message?: any;
  /** Method is the JSON-RPC method; of a response, that of its request. */
  method?: string;
  reason?: string;
  /** RequestSeq is the number of the entry that this one answers, belongs to or ends; 0 if there is none. */
  requestSeq?: number;
  /** Retry is the retry field of the server-sent event, in milliseconds. */
  retry?: number;
  /** Revision is the protocol revision that was negotiated, or that the request claims; empty before a handshake. */
  revision?: string;
  /** Rules names the faults, quirks, failures and delays that were in force for the request: the one applied (Applied), or all so far (Out). */
  rules?: Array<string>;
  /** Scope says what was opened or closed, Reason how it came to be closed: "client", "server", "abort", "evicted", "deleted", "shutdown" or "interrupted" (by a signal, with the input still open). */
  scope?: string;
  /** Seq numbers the entries from 1. */
  seq: number;
  /** Session is the id of the connection (stdio, HTTP+SSE) or session (Streamable HTTP); empty for requests of no session. */
  session?: string;
  size?: number;
  /** Stream is the kind of the event stream ("post", "get", "sse") on which the server sent this. */
  stream?: string;
  /** The message, where it is not. */
  text?: string;
  /** Time is when it was noted. */
  time: string;
  /** Transport is "stdio", "http" or "sse". */
  transport?: string;
  /** Says that this is the beginning of a longer message. */
  truncated?: boolean;
  /** URI is that of the resource that the message is about, if it is about one. */
  uri?: string;
}

/** EntryList is entries of the journal, oldest first. */
export interface EntryList {
  entries: Array<Entry>;
  /** Last is the newest number in the journal, Lost how many entries it no longer has. */
  last: number;
  lost: number;
}

/** Expire has tokens expire. */
export interface Expire {
  /** Grant is the id of the grant whose tokens they are; empty means all. */
  grant?: string;
  /** Refresh has the refresh tokens expire as well, so that clients have to ask the user again. */
  refresh?: boolean;
}

/** Expired says how many tokens have expired that were good before. */
export interface Expired {
  tokens: number;
}

/** Failure is what matching requests are answered with. With a Code it is a JSON-RPC error, over HTTP with Status (0 means 200). Without one, Status makes it an HTTP answer without a JSON-RPC message (over HTTP+SSE that to the POST, whose request is then never answered on the stream); on stdio such a failure is the error -32603. */
export interface Failure {
  /** Body is the body of an HTTP answer without a message, as plain text. */
  body?: string;
  code?: number;
  data?: any;
  /** Header is added to the answer, Retry-After say. */
  header?: Record<string, string>;
  message?: string;
  status?: number;
}

/** Field is a text field of a form. */
export interface Field {
  /** Default is used for clients of revisions that cannot be asked. */
  default?: string;
  description?: string;
  name?: string;
  title?: string;
}

/** Generate makes a content of a given length: a text by repeating a line or, if it is binary, bytes that look random and are the same for the same line. */
export interface Generate {
  binary?: boolean;
  bytes?: number;
  /** without line break */
  line?: string;
}

/** Grant describes what has been granted to a client. */
export interface Grant {
  client?: string;
  /** ClientID and Client are id and name of the client. */
  clientId: string;
  expires?: string;
  /** Fingerprint is that of the newest access token, Expires when that is good no more. */
  fingerprint?: string;
  id: string;
  /** Refreshed is how often it has been refreshed. */
  refreshed: number;
  resource?: string;
  /** Scopes and Resource are what its tokens are good for; without a resource it was not asked for one, and they are good for all of the server. */
  scopes: Array<string>;
  since: string;
  user: string;
}

/** GrantList is what users have granted to clients, oldest first. */
export interface GrantList {
  grants: Array<Grant>;
}

/** HTTP is the head of an HTTP request (Method, Path) or answer (Status). */
export interface HTTP {
  /** credentials are masked */
  header?: Record<string, Array<string>>;
  method?: string;
  /** with the query */
  path?: string;
  status?: number;
}

/** Health says how a server fares. */
export interface Health {
  /** Journal is the newest number in the journal, JournalLost how many entries it no longer has, JournalError why its file is no longer written. */
  journal: number;
  journalError?: string;
  journalLost?: number;
  resources: number;
  rules: number;
  sessions: number;
  since: string;
  /** Status is "ok", or "closed" once the server has ended. */
  status: string;
  templates: number;
  world: string;
}

/** Icon is a picture for display (2025-11-25 on). */
export interface Icon {
  mimeType?: string;
  sizes?: Array<string>;
  src?: string;
  theme?: string;
}

/** IdentityList is the owners of the tokens that the server demands; empty if it demands none. */
export interface IdentityList {
  identities: Array<Owner>;
}

/** Input is what has to be asked before a read (2026-07-28): of the user by a form or at a URL, of a model, or of the client for its roots. In the text of the resource {name} stands for the answer to the field "name" of a form, and {key} for what the model said, or the URIs of the roots. */
export interface Input {
  /** Default is the answer of a model or the roots, used for clients of revisions that cannot be asked. */
  default?: string;
  /** Fields are those of a form. */
  fields?: Array<Field>;
  /** Key names the input request. */
  key?: string;
  /** Kind is form, which an empty one means, url, sampling or roots. */
  kind?: string;
  /** Message is what the user or the model is told. */
  message?: string;
  then?: Input;
  /** URL is where the user is sent to. */
  url?: string;
}

/** Namespace describes a namespace. */
export interface Namespace {
  name: string;
  /** Path is that of its endpoint of Streamable HTTP. */
  path: string;
  sessions: number;
  since: string;
  /** World is the name of what it serves. */
  world: string;
}

/** NamespaceList is all namespaces, by name. */
export interface NamespaceList {
  namespaces: Array<Namespace>;
}

/** NewNamespace is a namespace that is to be made. */
export interface NewNamespace {
  /** Faults and Quirks are names, each with limits behind it if it has any: those with which the namespace begins. Those of the server do not hold in it. */
  faults?: Array<string>;
  /** Name has 1 to 64 letters of ASCII, digits and ._- in it. */
  name: string;
  /** PageSize is the number of entries on a page; 0 means that of the world. */
  pageSize?: number;
  quirks?: Array<string>;
  /** Revisions are those that are served; empty means those of the server. */
  revisions?: Array<string>;
  /** Seed feeds the randomness of faults, quirks and delays. */
  seed?: number;
  /** World is the name of a ready world, or a world as a file has it; absent means what the server serves. */
  world?: any;
}

/** OAuthClientList is the clients that have registered, oldest first. */
export interface OAuthClientList {
  clients: Array<Client>;
}

/** Operation does one thing to the messages that it selects: exactly one of Set, Drop, Retype, Rewrite, Code, Silence, Delay, Repeat, Reorder, Abort, Send, Answer and Note is given. */
export interface Operation {
  /** Abort ends the connection, on HTTP the session. */
  abort?: boolean;
  /** After sends it after this one. */
  after?: boolean;
  answer?: Stub;
  /** Apart sends it on the connection, as a message that belongs to no request. */
  apart?: boolean;
  /** As is string, number, array, element, json, base64 or plain. */
  as?: string;
  /** Chance is the probability, drawn by the seed, with which one is changed; 0 means always. */
  chance?: number;
  /** Code is the new code of an error. */
  code?: number;
  /** Count is how many are changed; 0 means all. */
  count?: number;
  /** Delay is how long the message waits, as in 50ms or uniform:10ms-90ms. */
  delay?: string;
  /** Drop is the path of a member that is taken away. */
  drop?: string;
  /** Era is legacy (revisions with a handshake) or modern (2026-07-28 on); empty is both. */
  era?: string;
  /** Every changes only every so many of them; 0 means each. */
  every?: number;
  /** Method is the method of the message, or of the request that it answers: "resources/*" matches by beginning, "a|b" either. */
  method?: string;
  /** Note is the name under which the value To is remembered. */
  note?: string;
  /** On is the sort of message: request, reply, response, notification, http-request, http-answer or event; empty means reply. */
  on?: string;
  /** Pattern is a regular expression (RE2). */
  pattern?: string;
  /** Per is connection, session or revision, for each of which is remembered apart; empty is the server. */
  per?: string;
  /** Reorder has the first of two messages wait for the second, for this time at the most. */
  reorder?: string;
  /** Repeat is how many times the message is sent. */
  repeat?: number;
  /** Retype is the path of a member that is given the type As. */
  retype?: string;
  /** Rewrite is the path of a string in which Pattern is replaced by With. */
  rewrite?: string;
  /** Send is another message, which is sent before this one. */
  send?: Record<string, any>;
  /** Set is the path of a member that is given the value To. */
  set?: string;
  /** Silence withholds the message. */
  silence?: boolean;
  /** Skip is how many of these messages pass before the first is changed. */
  skip?: number;
  /** To is the value of Set and Note; absent means null. */
  to?: any;
  /** Transport is stdio, http or sse, "a|b" either; empty is all. */
  transport?: string;
  /** Was is the code that Code replaces; absent means any. */
  was?: number;
  /** When are tests of the message, which all must hold. */
  when?: Array<Test>;
  /** Where are tests of the object that the last name of the path is in. */
  where?: Array<Test>;
  /** With takes the place of what Pattern matches; $1 is its first group. */
  with?: string;
}

/** Outcome says whether what was waited for, or asserted, is so. */
export interface Outcome {
  /** Entries are those that were waited for, 1000 at the most. */
  entries?: Array<Entry>;
  /** Last is the newest number in the journal. */
  last: number;
  /** Message says what is lacking; empty if nothing is. */
  message?: string;
  met: boolean;
}

/** Owner describes the owner of a token without the token. */
export interface Owner {
  /** Fingerprint is by what the journal tells tokens apart. */
  fingerprint: string;
  identity?: string;
  /** Scopes are what the token is good for; none means everything. */
  scopes: Array<string>;
}

/** Problem is what went wrong with a request. */
export interface Problem {
  /** Code says what sort of problem it is, for programs. */
  code: string;
  /** Field is the member or parameter that is wrong, members of members after a dot; empty if it is none in particular. */
  field?: string;
  message: string;
}

/** Query selects entries of the journal: all members that are set must hold. */
export interface Query {
  /** Direction is "in" or "out". */
  direction?: "in" | "out";
  /** Identity is the name of an owner, or the fingerprint of a token. */
  identity?: string;
  kind?: "request" | "notification" | "response" | "batch" | "unreadable" | "http-request" | "http-answer" | "event" | "opened" | "closed" | "applied";
  /** Kinds are alternatives; Kind is one more of them. */
  kinds?: Array<"request" | "notification" | "response" | "batch" | "unreadable" | "http-request" | "http-answer" | "event" | "opened" | "closed" | "applied">;
  /** Limit is how many entries are wanted at the most, from the oldest on or, with Newest, the newest. */
  limit?: number;
  method?: string;
  newest?: boolean;
  rule?: string;
  session?: string;
  /** Since leaves out the entries up to this number. */
  since?: number;
  transport?: string;
  uri?: string;
}

/** Refusal is the body of every answer that is no success. */
export interface Refusal {
  error: Problem;
}

export interface Report {
  config: Record<string, any>;
  frames: Array<Record<string, any>>;
  observations: Array<Record<string, any>>;
  results: Array<Record<string, any>>;
  schema: string;
  summary: Record<string, any>;
  target: Record<string, any>;
  tool: Record<string, any>;
}

/** Resource is a resource with its content. */
export interface Resource {
  _meta?: Record<string, any>;
  annotations?: Annotations;
  /** standard base64 */
  blob?: string;
  caching?: Caching;
  /** URIs of resources that are read together */
  contains?: Array<string>;
  /** Delay is how long a read takes, Steps how many progress notifications it sends meanwhile to those who ask for them. */
  delay?: string;
  description?: string;
  failCode?: number;
  /** Fails, if not empty, is the message of the error with which every read is answered, and FailCode its code; 0 means an internal error. */
  fails?: string;
  generate?: Generate;
  /** Hidden resources can be read but are not listed. */
  hidden?: boolean;
  icons?: Array<Icon>;
  /** Identities are the bearer tokens, or fingerprints of tokens, to whose owners the resource shows itself; for all others it does not exist. None means everyone. There are no tokens on stdio. */
  identities?: Array<string>;
  input?: Input;
  mimeType?: string;
  name: string;
  /** Size in bytes; absent means that of the content. */
  size?: number;
  steps?: number;
  /** The content is one of these six; none means an empty text. */
  text?: string;
  title?: string;
  uri: string;
}

/** ResourceList is a part of the resources, in the order of listing. */
export interface ResourceList {
  resources: Array<ResourceSummary>;
  /** Total is how many there are in all. */
  total: number;
}

/** A JSON merge patch: null takes a member away. */
export interface ResourcePatch {
  _meta?: any;
  annotations?: any;
  blob?: any;
  caching?: any;
  contains?: any;
  delay?: any;
  description?: any;
  failCode?: any;
  fails?: any;
  generate?: any;
  hidden?: any;
  icons?: any;
  identities?: any;
  input?: any;
  mimeType?: any;
  name?: any;
  size?: any;
  steps?: any;
  text?: any;
  title?: any;
  uri?: any;
}

/** ResourceSummary is a resource in a list. */
export interface ResourceSummary {
  hidden?: boolean;
  mimeType?: string;
  name: string;
  uri: string;
}

/** Rule is one deviation: exactly one of Fault, Quirk, Fail, Delay and Do is set. The names in it are known. */
export interface Rule {
  /** Become are the states that scenarios are in from the next message on when one has been affected. */
  become?: Record<string, string>;
  /** Chance is the probability, drawn by the seed, with which one is affected; 0 means always. */
  chance?: number;
  /** Count is how many matching messages are affected; 0 means all. Those that the rule does nothing about are not counted, unless it does no more than to note. */
  count?: number;
  /** Delay holds answers back. */
  delay?: string;
  /** Do are the operations, which change messages in the vocabulary in which faults and quirks are written. */
  do?: Array<Operation>;
  /** Every affects only every so many of them; 0 means each. */
  every?: number;
  fail?: Failure;
  /** Fault is the name of a fault or of a failure of the connection. */
  fault?: string;
  /** ID names the rule in the lists of the admin API and in the journal; empty has one made up. */
  id?: string;
  /** Identity is a bearer token or its fingerprint, as entries of the journal have it; "a|b" is either. */
  identity?: string;
  /** Method is a JSON-RPC method; "resources/*" matches by beginning, "a|b" either. HTTP requests without a message have their HTTP method instead ("GET" is the opening of an event stream, "DELETE" the end of a session). */
  method?: string;
  /** Quirk is the name of a quirk. */
  quirk?: string;
  /** Session is the id of a session or connection. */
  session?: string;
  /** Skip is how many matching messages pass before the first is affected. */
  skip?: number;
  /** URI is a pattern for params.uri. A URI with braces in it is an RFC 6570 template. Otherwise "**" stands for anything and "*" for anything without a slash, and what is neither must be equal. */
  uri?: string;
  /** When are tests of the message as it came in, whose paths begin with params or header. */
  when?: Array<Test>;
  /** While are the states that scenarios have to be in: {link: down}. One that has not been set is in the state "". */
  while?: Record<string, string>;
}

/** RuleList is all rules, outermost first. */
export interface RuleList {
  rules: Array<Status>;
}

/** SessionInfo describes an open session. */
export interface SessionInfo {
  /** Capabilities are what the client has declared in it. */
  capabilities?: any;
  /** Client is the clientInfo of the handshake. */
  client?: any;
  id: string;
  inFlight: number;
  /** Listens is the number of its listen streams, InFlight that of its requests that are being worked on. */
  listens: number;
  /** Revision is the negotiated one; empty before the handshake, and for a listen stream over HTTP, which is a session of its own. */
  revision?: string;
  since: string;
  /** Subscriptions are the URIs that it has subscribed to or listens to, sorted. */
  subscriptions: Array<string>;
  transport: string;
}

/** SessionList is the open sessions, oldest first. */
export interface SessionList {
  sessions: Array<SessionInfo>;
}

/** StateList is states of scenarios, by name. */
export interface StateList {
  states: Record<string, string>;
}

/** Status is a rule of a set and how it has fared. */
export interface Status {
  /** Become are the states that scenarios are in from the next message on when one has been affected. */
  become?: Record<string, string>;
  /** Chance is the probability, drawn by the seed, with which one is affected; 0 means always. */
  chance?: number;
  /** Count is how many matching messages are affected; 0 means all. Those that the rule does nothing about are not counted, unless it does no more than to note. */
  count?: number;
  /** Delay holds answers back. */
  delay?: string;
  /** Do are the operations, which change messages in the vocabulary in which faults and quirks are written. */
  do?: Array<Operation>;
  /** Done says that its count is used up. */
  done?: boolean;
  /** Every affects only every so many of them; 0 means each. */
  every?: number;
  fail?: Failure;
  /** Fault is the name of a fault or of a failure of the connection. */
  fault?: string;
  /** Hits is how many messages it has been applied to. */
  hits: number;
  /** ID names the rule in the lists of the admin API and in the journal; empty has one made up. */
  id?: string;
  /** Identity is a bearer token or its fingerprint, as entries of the journal have it; "a|b" is either. */
  identity?: string;
  /** Method is a JSON-RPC method; "resources/*" matches by beginning, "a|b" either. HTTP requests without a message have their HTTP method instead ("GET" is the opening of an event stream, "DELETE" the end of a session). */
  method?: string;
  /** Name is what the journal calls it. */
  name: string;
  /** Quirk is the name of a quirk. */
  quirk?: string;
  /** Requirement is the requirement that a fault breaks or that permits a quirk, or "connection". */
  requirement?: string;
  /** Session is the id of a session or connection. */
  session?: string;
  /** Skip is how many matching messages pass before the first is affected. */
  skip?: number;
  /** Summary says in one clause what it does. */
  summary?: string;
  /** URI is a pattern for params.uri. A URI with braces in it is an RFC 6570 template. Otherwise "**" stands for anything and "*" for anything without a slash, and what is neither must be equal. */
  uri?: string;
  /** Warnings say what is most likely a mistake in the rule, or why it cannot show. */
  warnings?: Array<string>;
  /** When are tests of the message as it came in, whose paths begin with params or header. */
  when?: Array<Test>;
  /** While are the states that scenarios have to be in: {link: down}. One that has not been set is in the state "". */
  while?: Record<string, string>;
}

/** StepList is the steps of the timeline, in the order of the world. */
export interface StepList {
  steps: Array<StepStatus>;
}

/** StepStatus is a step of the timeline and how it has fared. */
export interface StepStatus {
  /** Done says that it has happened for the last time. */
  done?: boolean;
  /** Next is in what time it happens next; absent if that is not known yet, or it has happened for the last time. */
  next?: string;
  /** Step says what happens. */
  step: string;
  /** Taken is how often it has happened. */
  taken: number;
  /** Waits says which message it waits for, each time or once; empty if for none. */
  waits?: string;
}

/** Stub is what a request is answered with: a Result, an error with a Code, Raw, or Base64; an http-request with a Status and a Body. A notification is answered only by Raw and Base64. */
export interface Stub {
  base64?: string;
  /** Body is the body of the answer to an http-request; Base64 can stand for it. */
  body?: string;
  /** Code is the code of an error. */
  code?: number;
  /** Data is the data of the error. */
  data?: any;
  /** Header is added to an answer over HTTP. */
  header?: Record<string, string>;
  /** Message is the message of the error. */
  message?: string;
  /** Raw is sent as it stands, Base64 decoded; on stdio a line break follows. */
  raw?: string;
  /** Result is the result of a request. */
  result?: Record<string, any>;
  /** Status is the HTTP status; 0 means 200. */
  status?: number;
  /** Template has placeholders in Raw and Body stand for values. */
  template?: boolean;
}

/** Template is a resource template. */
export interface Template {
  _meta?: Record<string, any>;
  annotations?: Annotations;
  /** Binary has the text sent as a blob. */
  binary?: boolean;
  caching?: Caching;
  delay?: string;
  description?: string;
  failCode?: number;
  fails?: string;
  /** Finds is a URI with {name} or {+name} in it that, expanded with the decoded values, names the resource of this world whose content is served. */
  finds?: string;
  icons?: Array<Icon>;
  mimeType?: string;
  name: string;
  steps?: number;
  /** Text is the content of every expansion; {name} stands for the decoded value of a variable. Without Text, Finds must be there. */
  text?: string;
  title?: string;
  uriTemplate: string;
  /** Variables tells what is known about the variables. */
  variables?: Array<Variable>;
}

/** TemplateList is all templates, each as a world file has it. */
export interface TemplateList {
  templates: Array<any>;
}

/** A JSON merge patch: null takes a member away. */
export interface TemplatePatch {
  _meta?: any;
  annotations?: any;
  binary?: any;
  caching?: any;
  delay?: any;
  description?: any;
  failCode?: any;
  fails?: any;
  finds?: any;
  icons?: any;
  mimeType?: any;
  name?: any;
  steps?: any;
  text?: any;
  title?: any;
  uriTemplate?: any;
  variables?: any;
}

/** Test is a condition on what stands at a path: all of Is, In, Matches and Type that are given must hold. */
export interface Test {
  /** At is the path. */
  at?: string;
  /** In is the path of an array that has to have the value in it, or of a value that it has to be. */
  in?: string;
  /** Is is the value that has to stand there. */
  is?: any;
  /** Matches is a regular expression (RE2) that has to match the text that stands there. */
  matches?: string;
  /** Not has the test hold where it otherwise would not. */
  not?: boolean;
  /** Type is string, number, boolean, null, object, array or missing. */
  type?: string;
}

/** Touch names the resource whose subscribers are to be notified. */
export interface Touch {
  uri: string;
}

/** Variable is a variable of a template. */
export interface Variable {
  /** Closed says that there is nothing at values other than these. */
  closed?: boolean;
  days?: Days;
  /** Default is the value if a query variable is left out. */
  default?: string;
  /** DependsOn names another variable; ValuesBy then holds the values for each value of that one, and Values those for no or another value. */
  dependsOn?: string;
  name?: string;
  /** Values are suggested on completion, in this order. */
  values?: Array<string>;
  valuesBy?: Record<string, Array<string>>;
}

/** Verify is how the clients are to be judged. */
export interface Verify {
  /** Ended says that the client has ended, SingleClient that there was but one. */
  ended?: boolean;
  /** Name is what the client is called in the report; empty means what it says of itself. */
  name?: string;
  /** Only limits the verdicts to these ids. */
  only?: Array<string>;
  /** Since leaves out the entries up to this number. */
  since?: number;
  singleClient?: boolean;
  /** Strict counts warnings as failures. */
  strict?: boolean;
}

/** Wait waits until entries are there. */
export interface Wait {
  /** Count is how many entries have to be selected; 0 means 1. */
  count?: number;
  query?: Query;
  /** Timeout is how long to wait; 0 means 5s. */
  timeout?: string;
}

/** Resource is a resource with its content. */
export interface WrittenResource {
  _meta?: Record<string, any>;
  annotations?: Annotations;
  /** standard base64 */
  blob?: string;
  caching?: Caching;
  /** URIs of resources that are read together */
  contains?: Array<string>;
  /** Delay is how long a read takes, Steps how many progress notifications it sends meanwhile to those who ask for them. */
  delay?: string;
  description?: string;
  failCode?: number;
  /** Fails, if not empty, is the message of the error with which every read is answered, and FailCode its code; 0 means an internal error. */
  fails?: string;
  generate?: Generate;
  /** Hidden resources can be read but are not listed. */
  hidden?: boolean;
  icons?: Array<Icon>;
  /** Identities are the bearer tokens, or fingerprints of tokens, to whose owners the resource shows itself; for all others it does not exist. None means everyone. There are no tokens on stdio. */
  identities?: Array<string>;
  input?: Input;
  mimeType?: string;
  name: string;
  /** Size in bytes; absent means that of the content. */
  size?: number;
  steps?: number;
  /** The content is one of these six; none means an empty text. */
  text?: string;
  title?: string;
  uri: string;
  /** What a client may stumble over, in sentences; absent if there is nothing. */
  warnings?: Array<string>;
}

/** Template is a resource template. */
export interface WrittenTemplate {
  _meta?: Record<string, any>;
  annotations?: Annotations;
  /** Binary has the text sent as a blob. */
  binary?: boolean;
  caching?: Caching;
  delay?: string;
  description?: string;
  failCode?: number;
  fails?: string;
  /** Finds is a URI with {name} or {+name} in it that, expanded with the decoded values, names the resource of this world whose content is served. */
  finds?: string;
  icons?: Array<Icon>;
  mimeType?: string;
  name: string;
  steps?: number;
  /** Text is the content of every expansion; {name} stands for the decoded value of a variable. Without Text, Finds must be there. */
  text?: string;
  title?: string;
  uriTemplate: string;
  /** Variables tells what is known about the variables. */
  variables?: Array<Variable>;
  /** What a client may stumble over, in sentences; absent if there is nothing. */
  warnings?: Array<string>;
}
