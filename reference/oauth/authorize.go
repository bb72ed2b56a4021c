package oauth

import (
	"cmp"
	"crypto/rand"
	_ "embed" // the pages
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/mcpcheck/mcpcheck/reference/guard"
)

// request is what a client asks a user for, where it can be granted.
type request struct {
	id        string // of the page that asks
	client    *client
	redirect  string
	state     url.Values // what goes back as it came
	challenge string
	scopes    []string
	resource  string
}

//go:embed page.html.tmpl
var pageText string

// page asks the user, or says what is wrong where nobody can be redirected.
var page = template.Must(template.New("page").Parse(pageText))

// authorize serves the authorization endpoint (RFC 6749, section 4.1.1).
func (s *Server) authorize(w http.ResponseWriter, r *http.Request) *refusal {
	query := r.URL.Query()
	s.mu.Lock()
	c := s.client(query.Get("client_id"))
	s.mu.Unlock()
	if c == nil || len(query["client_id"]) > 1 {
		return refused("invalid_request",
			"The client is unknown: it has to register at "+pathRegister+" first.")
	}
	redirect := query.Get("redirect_uri")
	if !query.Has("redirect_uri") && len(c.Redirects) == 1 {
		redirect = c.Redirects[0]
	}
	if len(query["redirect_uri"]) > 1 || !c.admits(redirect) {
		return refused("invalid_request", "The redirect_uri is none that the client has registered.")
	}
	asked := &request{id: rand.Text(), client: c, redirect: redirect, state: url.Values{}}
	if query.Has("state") {
		asked.state.Set("state", query.Get("state"))
	}
	if f := s.examine(asked, query, guard.Origin(r)); f != nil {
		return asked.answer(w, r, url.Values{"error": {f.code}, "error_description": {f.text}})
	}
	if !s.options.Consent {
		return s.approve(w, r, asked)
	}
	s.mu.Lock()
	c.used = s.options.Now()
	s.pending = append(s.pending, asked)
	if at := surplus(s.pending, maxPending, func(other *request) bool { return other.client == c }); at >= 0 {
		s.pending = slices.Delete(s.pending, at, at+1)
	}
	s.mu.Unlock()
	show(w, http.StatusOK, map[string]any{
		"ID": asked.id, "Action": pathConsent, "User": s.options.User, "Client": cmp.Or(c.Name, c.ID),
		"Scopes": asked.scopes, "Resource": asked.resource, "Redirect": redirect,
	})
	return nil
}

// examine says what in a request cannot be granted.
func (s *Server) examine(asked *request, query url.Values, issuer string) *refusal {
	for name, values := range query {
		if len(values) > 1 && name != "resource" {
			return refused("invalid_request", name+" is there twice")
		}
	}
	asked.challenge = query.Get("code_challenge")
	switch {
	case query.Get("response_type") != "code":
		return refused("unsupported_response_type", "response_type must be code")
	case query.Get("code_challenge_method") != "S256":
		return refused("invalid_request", "code_challenge_method must be S256")
	case len(asked.challenge) != challengeLength:
		return refused("invalid_request",
			"code_challenge must be the SHA-256 hash of the verifier in base64url")
	}
	var f *refusal
	if asked.scopes, f = narrowed(query.Get("scope"), s.options.Scopes); f != nil {
		return f
	}
	asked.resource, f = resourceOf(query["resource"], issuer)
	return f
}

// narrowed are those of some scopes that are asked for; all if none in particular are.
func narrowed(asked string, held []string) ([]string, *refusal) {
	fields := strings.Fields(asked)
	if len(fields) == 0 {
		return held, nil
	}
	all := slices.DeleteFunc(slices.Clone(held), func(scope string) bool {
		return !slices.Contains(fields, scope)
	})
	if len(all) == 0 {
		return nil, refused("invalid_scope", "none of the scopes can be granted: there are "+
			strings.Join(held, " "))
	}
	return all, nil
}

// resourceOf is the resource that is asked for (RFC 8707): the server as a whole or one of its endpoints. It
// is empty if none is.
func resourceOf(asked []string, issuer string) (string, *refusal) {
	asked = slices.Compact(slices.Clone(asked))
	if len(asked) == 0 {
		return "", nil
	}
	resource := strings.TrimSuffix(asked[0], "/")
	if u, err := url.Parse(resource); err == nil { // scheme and host are the same in any case of the letters
		u.Scheme, u.Host = strings.ToLower(u.Scheme), strings.ToLower(u.Host)
		resource = u.String()
	}
	path, ours := strings.CutPrefix(resource, issuer)
	first, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	if len(asked) > 1 || !ours || path != "" && path[0] != '/' || !slices.Contains([]string{"", "mcp", "sse"},
		first) || strings.ContainsAny(path, "?#") {
		return "", refused("invalid_target", "the resource must be one of this server: "+issuer+"/mcp")
	}
	return resource, nil
}

// answer sends the user back to the client.
func (a *request) answer(w http.ResponseWriter, r *http.Request, values url.Values) *refusal {
	u, err := url.Parse(a.redirect)
	if err != nil { // has been parsed when it was registered
		return refused("invalid_request", "The redirect_uri cannot be read.")
	}
	query := u.Query()
	for _, all := range []url.Values{a.state, values, {"iss": {guard.Origin(r)}}} {
		for name := range all {
			query.Set(name, all.Get(name))
		}
	}
	u.RawQuery = query.Encode()
	w.Header().Set("Location", u.String())
	w.WriteHeader(http.StatusFound)
	return nil
}

// approve gives a client its code.
func (s *Server) approve(w http.ResponseWriter, r *http.Request, asked *request) *refusal {
	now := s.options.Now()
	g := &grant{id: rand.Text(), client: asked.client, scopes: asked.scopes, resource: asked.resource,
		since: now}
	s.mu.Lock()
	s.granted(g)
	secret := s.issue(code, g, asked.scopes, now.Add(codeLife))
	s.tokens[sumOf(secret)].request = asked
	s.mu.Unlock()
	return asked.answer(w, r, url.Values{"code": {secret}})
}

// consent takes what the user decides on the page.
func (s *Server) consent(w http.ResponseWriter, r *http.Request) *refusal {
	if err := r.ParseForm(); err != nil {
		return refused("invalid_request", "The form cannot be read.")
	}
	s.mu.Lock()
	at := slices.IndexFunc(s.pending, func(p *request) bool { return p.id == r.PostForm.Get("id") })
	var asked *request
	if at >= 0 {
		asked = s.pending[at]
		s.pending = slices.Delete(s.pending, at, at+1)
	}
	s.mu.Unlock()
	switch {
	case asked == nil:
		return refused("invalid_request", "This has been decided already, or was never asked.")
	case r.PostForm.Get("decision") == "approve":
		return s.approve(w, r, asked)
	}
	return asked.answer(w, r, url.Values{"error": {"access_denied"},
		"error_description": {"the user has denied it"}})
}

func show(w http.ResponseWriter, status int, data map[string]any) {
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'; base-uri 'none'")
	h.Set("X-Frame-Options", "DENY")
	w.WriteHeader(status)
	_ = page.Execute(w, data) // a browser that has gone needs no page
}
