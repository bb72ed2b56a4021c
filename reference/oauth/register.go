package oauth

import (
	"cmp"
	"crypto/rand"
	"crypto/subtle"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/mcpcheck/mcpcheck/reference/internal/httpserve"
	"github.com/mcpcheck/mcpcheck/reference/internal/loopback"
)

var (
	grantTypes  = []string{"authorization_code", "refresh_token"}
	authMethods = []string{"none", "client_secret_basic", "client_secret_post"}
)

// maxRedirects bounds the addresses of a client.
const maxRedirects = 20

// client is a client that has registered (RFC 7591). It is what the answer to that says.
type client struct {
	ID            string   `json:"client_id"`
	Secret        string   `json:"client_secret,omitempty"`
	Issued        int64    `json:"client_id_issued_at"`
	SecretExpires *int     `json:"client_secret_expires_at,omitempty"`
	Name          string   `json:"client_name,omitempty"`
	URI           string   `json:"client_uri,omitempty"`
	Scope         string   `json:"scope,omitempty"`
	Redirects     []string `json:"redirect_uris"`
	AuthMethod    string   `json:"token_endpoint_auth_method"`
	GrantTypes    []string `json:"grant_types"`
	ResponseTypes []string `json:"response_types"`
	// Application is native or web (OpenID Connect Dynamic Client Registration 1.0); empty is web.
	Application string `json:"application_type,omitempty"`

	used time.Time // when a user was last asked for it, or it was last issued something; zero if never
}

// register serves dynamic client registration. Members that it does not know are ignored (RFC 7591, section
// 2).
func (s *Server) register(w http.ResponseWriter, r *http.Request) *refusal {
	if why := httpserve.NotJSON(r, false); why != "" {
		return &refusal{"invalid_client_metadata", why, http.StatusUnsupportedMediaType}
	}
	var c client
	data, err := io.ReadAll(r.Body)
	if err != nil || json.Unmarshal(data, &c) != nil {
		return refused("invalid_client_metadata", "the body is no JSON object with client metadata")
	}
	if f := c.complete(); f != nil {
		return f
	}
	c.ID, c.Issued, c.Secret, c.SecretExpires = rand.Text(), s.options.Now().Unix(), "", nil
	if c.AuthMethod != "none" {
		c.Secret, c.SecretExpires = rand.Text()+rand.Text(), new(int)
	}
	if !s.add(&c) {
		const why = "all clients that there can be are in use: try again later"
		return &refusal{"temporarily_unavailable", why, http.StatusServiceUnavailable}
	}
	httpserve.JSON(w, http.StatusCreated, &c)
	return nil
}

// add adds a client. If there are too many, the one makes room that was used before all others: of those that
// never were, the oldest. It reports false if all are in use.
func (s *Server) add(c *client) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.clients) >= maxClients {
		least := slices.MinFunc(s.clients, func(a, b *client) int { return a.used.Compare(b.used) })
		if s.options.Now().Sub(least.used) < max(clientLife, s.options.Expires) {
			return false
		}
		s.clients = slices.DeleteFunc(s.clients, func(other *client) bool { return other == least })
		s.pending = slices.DeleteFunc(s.pending, func(r *request) bool { return r.client == least })
		for _, g := range slices.Clone(s.grants) {
			if g.client == least {
				s.drop(g)
			}
		}
	}
	s.clients = append(s.clients, c)
	return true
}

// complete fills in what a client leaves to the server, and says what it cannot have.
func (c *client) complete() *refusal {
	if len(c.Redirects) == 0 || len(c.Redirects) > maxRedirects {
		return refused("invalid_redirect_uri", "redirect_uris must have 1 to 20 addresses")
	}
	if !slices.Contains([]string{"", "native", "web"}, c.Application) {
		return refused("invalid_client_metadata", "application_type must be native or web")
	}
	for _, address := range c.Redirects {
		if why := unfit(address); why != "" && !(c.Application == "native" && private(address)) {
			return refused("invalid_redirect_uri", address+": "+why)
		}
	}
	c.AuthMethod = cmp.Or(c.AuthMethod, "client_secret_basic") // RFC 7591, section 2
	if !slices.Contains(authMethods, c.AuthMethod) {
		return refused("invalid_client_metadata",
			"token_endpoint_auth_method must be none, client_secret_basic or client_secret_post")
	}
	if len(c.GrantTypes) == 0 {
		c.GrantTypes = []string{grantTypes[0]}
	}
	c.GrantTypes = slices.DeleteFunc(c.GrantTypes, func(t string) bool {
		return !slices.Contains(grantTypes, t)
	})
	if !slices.Contains(c.GrantTypes, grantTypes[0]) {
		return refused("invalid_client_metadata", "grant_types must have authorization_code among them")
	}
	if len(c.ResponseTypes) > 0 && !slices.Contains(c.ResponseTypes, "code") {
		return refused("invalid_client_metadata", "response_types must have code among them")
	}
	c.ResponseTypes = []string{"code"}
	return nil
}

// private reports whether an address leads to a program by its own scheme, which is a name of a domain
// of its maker in reverse order, and so has a dot (RFC 8252, sections 7.1 and 8.4).
func private(address string) bool {
	u, err := url.Parse(address)
	return err == nil && strings.Contains(u.Scheme, ".") && u.Opaque == "" && u.User == nil &&
		!strings.Contains(address, "#")
}

// unfit says why nobody can be redirected to an address on the web: it is HTTPS, or this machine.
func unfit(address string) string {
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Host == "" || u.Opaque != "":
		return "must be an absolute URL with a host, or, if application_type is native, one such as " +
			"com.example.app:/callback"
	case u.User != nil || u.Fragment != "" || len(address) > 0 && address[len(address)-1] == '#':
		return "must have neither user information nor a fragment"
	case u.Scheme == "https" || u.Scheme == "http" && loopback.Host(u.Host):
		return ""
	}
	return "must be an https URL, an http URL of localhost, or, if application_type is native, one with a " +
		"scheme such as com.example.app"
}

// admits reports whether an address is one of those of the client. The port of a loopback address
// may be any (RFC 8252, section 7.3).
func (c *client) admits(address string) bool {
	if slices.Contains(c.Redirects, address) {
		return true
	}
	bare := func(s string) string {
		u, err := url.Parse(s)
		if err != nil || u.Scheme != "http" || !loopback.Host(u.Host) || unfit(s) != "" {
			return ""
		}
		if u.Host = u.Hostname(); u.Path == "" {
			u.Path = "/"
		}
		return u.String()
	}
	given := bare(address)
	return given != "" && slices.ContainsFunc(c.Redirects, func(known string) bool {
		return bare(known) == given
	})
}

// client is the client of that id; nil if there is none. The caller holds mu.
func (s *Server) client(id string) *client {
	for _, c := range s.clients {
		if c.ID == id {
			return c
		}
	}
	return nil
}

// authenticated is the client that sends a form, or says why it is not known. The caller holds mu.
func (s *Server) authenticated(r *http.Request) (*client, *refusal) {
	unknown := &refusal{"invalid_client",
		"the client is unknown or has not authenticated as it has registered", http.StatusUnauthorized}
	id, secret, basic := r.BasicAuth()
	if basic { // RFC 6749, section 2.3.1: both are encoded as in a form
		var errID, errSecret error
		id, errID = url.QueryUnescape(id)
		secret, errSecret = url.QueryUnescape(secret)
		if errID != nil || errSecret != nil || r.PostForm.Has("client_secret") {
			return nil, unknown
		}
	} else {
		id, secret = r.PostForm.Get("client_id"), r.PostForm.Get("client_secret")
	}
	c := s.client(id)
	if c == nil {
		return nil, unknown
	}
	right := subtle.ConstantTimeCompare([]byte(secret), []byte(c.Secret)) == 1 // all have one length
	if !right || basic != (c.AuthMethod == "client_secret_basic") {
		return nil, unknown
	}
	return c, nil
}

// Client describes a client that has registered.
type Client struct {
	ID   string `json:"id"`
	Name string `json:"name,omitempty"`
	// Redirects are the addresses that users are sent back to.
	Redirects []string `json:"redirects"`
	// AuthMethod is how it authenticates: none, client_secret_basic or client_secret_post.
	AuthMethod string `json:"authMethod"`
}

// Clients lists the clients that have registered, oldest first.
func (s *Server) Clients() []Client {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := []Client{}
	for _, c := range s.clients {
		all = append(all, Client{c.ID, c.Name, slices.Clone(c.Redirects), c.AuthMethod})
	}
	return all
}
