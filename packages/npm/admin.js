// Written by packages/clients from the description of the interface; do not edit.

/** What the interface refuses: its code, its sentence and, where there is one, the member that is wrong. */
export class AdminError extends Error {
  constructor(status, problem) {
    super(`the admin interface answers ${status} (${problem.code}): ${problem.message}`);
    this.name = "AdminError";
    this.status = status;
    this.code = problem.code;
    this.field = problem.field;
  }
}

/** Steers a mock server by its admin interface. */
export class Admin {
  #token;

  constructor(address, { token } = {}) {
    this.address = address.replace(/\/+$/, "");
    this.#token = token;
  }

  async #call(method, path, query, body) {
    const url = new URL(this.address + path);
    for (const [name, value] of Object.entries(query ?? {}))
      for (const one of [value].flat()) if (one !== undefined) url.searchParams.append(name, String(one));
    const headers = {};
    if (method !== "GET") headers["Content-Type"] = "application/json";
    if (this.#token) headers.Authorization = `Bearer ${this.#token}`;
    const answer = await fetch(url, { method, headers, body: body === undefined ? undefined : JSON.stringify(body) });
    const text = await answer.text();
    let value;
    try {
      value = text === "" ? undefined : JSON.parse(text);
    } catch {
      // It is no answer of the interface; a refusal says so.
    }
    if (answer.ok) return value;
    throw new AdminError(answer.status, value?.error ?? { code: "internal", message: "an answer that is not of this interface: is the address right?" });
  }

  /** The faults and quirks that rules can switch on. */
  getDeviations() {
    return this.#call("GET", "/deviations");
  }

  /** End all listen streams in order (2026-07-28). */
  postEndSubscriptions() {
    return this.#call("POST", "/end-subscriptions");
  }

  /** How the server fares. */
  getHealth() {
    return this.#call("GET", "/health");
  }

  /** The owners of the bearer tokens that the server demands. */
  getIdentities() {
    return this.#call("GET", "/identities");
  }

  /** Forget all entries. Numbers go on. */
  deleteJournal() {
    return this.#call("DELETE", "/journal");
  }

  /** Entries of the journal, oldest first. */
  getJournal(query) {
    return this.#call("GET", "/journal", query);
  }

  /** Say whether something holds of the journal. That it does not is no error: see met. */
  postJournalAssert(body) {
    return this.#call("POST", "/journal/assert", undefined, body);
  }

  /** Wait until entries are there. That they did not come in time is no error: see met. */
  postJournalWait(body) {
    return this.#call("POST", "/journal/wait", undefined, body);
  }

  /** Notify clients as if the list of resources had changed. */
  postListChanged() {
    return this.#call("POST", "/list-changed");
  }

  /** The namespaces by name. All paths but those of namespaces are there beneath /namespaces/NAME as well, and are about that one. */
  getNamespaces() {
    return this.#call("GET", "/namespaces");
  }

  /** Make a namespace: a server with world, rules, sessions, timeline and journal of its own, called at /mcp/NAME. */
  postNamespaces(body) {
    return this.#call("POST", "/namespaces", undefined, body);
  }

  /** End a namespace and all its connections. */
  deleteNamespacesName(name) {
    return this.#call("DELETE", `/namespaces/${encodeURIComponent(name)}`);
  }

  /** A namespace. */
  getNamespacesName(name) {
    return this.#call("GET", `/namespaces/${encodeURIComponent(name)}`);
  }

  /** Forget all clients, grants and tokens. */
  deleteOauth() {
    return this.#call("DELETE", "/oauth");
  }

  /** The clients that have registered, oldest first. */
  getOauthClients() {
    return this.#call("GET", "/oauth/clients");
  }

  /** Have access tokens expire now, and refresh tokens if that is asked for. */
  postOauthExpire(body) {
    return this.#call("POST", "/oauth/expire", undefined, body);
  }

  /** What the authorization server has granted to clients, oldest first. */
  getOauthGrants() {
    return this.#call("GET", "/oauth/grants");
  }

  /** Revoke a grant with all its tokens. */
  deleteOauthGrantsId(id) {
    return this.#call("DELETE", `/oauth/grants/${encodeURIComponent(id)}`);
  }

  /** This document. */
  getOpenapiJson() {
    return this.#call("GET", "/openapi.json");
  }

  /** Bring back the world, the rules and the timeline with which the server began. Connections and journal stay. */
  postReset() {
    return this.#call("POST", "/reset");
  }

  /** Take a resource away. Clients are notified. */
  deleteResource(query) {
    return this.#call("DELETE", "/resource", query);
  }

  /** A resource as a world file has it. */
  getResource(query) {
    return this.#call("GET", "/resource", query);
  }

  /** Change a resource by a JSON merge patch (RFC 7396). Clients are notified. */
  patchResource(query, body) {
    return this.#call("PATCH", "/resource", query, body);
  }

  /** Add a resource, or replace the one with its URI. Clients are notified. */
  putResource(body) {
    return this.#call("PUT", "/resource", undefined, body);
  }

  /** List the resources. */
  getResources(query) {
    return this.#call("GET", "/resources", query);
  }

  /** Switch all rules off. */
  deleteRules() {
    return this.#call("DELETE", "/rules");
  }

  /** The rules in force, outermost first. */
  getRules() {
    return this.#call("GET", "/rules");
  }

  /** Switch a fault, a quirk, a failure or a delay on. */
  postRules(body) {
    return this.#call("POST", "/rules", undefined, body);
  }

  /** Switch a rule off. */
  deleteRulesId(id) {
    return this.#call("DELETE", `/rules/${encodeURIComponent(id)}`);
  }

  /** A rule, and how often it has been applied. */
  getRulesId(id) {
    return this.#call("GET", `/rules/${encodeURIComponent(id)}`);
  }

  /** The open sessions, oldest first. */
  getSessions() {
    return this.#call("GET", "/sessions");
  }

  /** End a session as a server may at any time. */
  deleteSessionsId(id) {
    return this.#call("DELETE", `/sessions/${encodeURIComponent(id)}`);
  }

  /** Send a request of the server to the client of a session (revisions with a handshake) and wait for the answer. */
  postSessionsIdAsk(id, body) {
    return this.#call("POST", `/sessions/${encodeURIComponent(id)}/ask`, undefined, body);
  }

  /** The states of scenarios, which rules ask for and change. */
  getStates() {
    return this.#call("GET", "/states");
  }

  /** Give scenarios other states; those that are not named keep theirs. */
  putStates(body) {
    return this.#call("PUT", "/states", undefined, body);
  }

  /** Take a template away. Clients are notified. */
  deleteTemplate(query) {
    return this.#call("DELETE", "/template", query);
  }

  /** A template as a world file has it. */
  getTemplate(query) {
    return this.#call("GET", "/template", query);
  }

  /** Change a template by a JSON merge patch (RFC 7396). Clients are notified. */
  patchTemplate(query, body) {
    return this.#call("PATCH", "/template", query, body);
  }

  /** Add a template, or replace the one with its URI template. Clients are notified. */
  putTemplate(body) {
    return this.#call("PUT", "/template", undefined, body);
  }

  /** All templates, in the order of listing. */
  getTemplates() {
    return this.#call("GET", "/templates");
  }

  /** The steps of the timeline, how often each has happened, and when it happens next. */
  getTimeline() {
    return this.#call("GET", "/timeline");
  }

  /** Notify the subscribers of a resource as if it had changed. */
  postTouch(body) {
    return this.#call("POST", "/touch", undefined, body);
  }

  /** Judge the clients by what the journal has of them. */
  postVerify(body) {
    return this.#call("POST", "/verify", undefined, body);
  }
}
