package admin

import (
	"github.com/mcpcheck/mcpcheck/reference/oauth"
)

// GrantList is what users have granted to clients, oldest first.
type GrantList struct {
	Grants []oauth.Grant `json:"grants"`
}

// OAuthClientList is the clients that have registered, oldest first.
type OAuthClientList struct {
	Clients []oauth.Client `json:"clients"`
}

// Expire has tokens expire.
type Expire struct {
	// Grant is the id of the grant whose tokens they are; empty means all.
	Grant string `json:"grant,omitempty"`
	// Refresh has the refresh tokens expire as well, so that clients have to ask the user again.
	Refresh bool `json:"refresh,omitempty"`
}

// Expired says how many tokens have expired that were good before.
type Expired struct {
	Tokens int `json:"tokens"`
}

// issuing is a handler for those servers that have an authorization server.
func issuing[R any](handle func(c *call, as *oauth.Server) (R, error)) handler {
	return giving(func(c *call) (none R, err error) {
		as := c.server.OAuth()
		if as == nil {
			return none, problem(CodeNotFound, "",
				"there is no authorization server: the mock is started with --oauth to have one")
		}
		return handle(c, as)
	})
}

func postExpire(c *call, as *oauth.Server) (Expired, error) {
	var in Expire
	if err := decode(c.body, &in); err != nil {
		return Expired{}, err
	}
	return Expired{as.Expire(in.Grant, in.Refresh)}, nil
}

func deleteGrant(c *call, as *oauth.Server) (any, error) {
	if id := c.named("id"); !as.Revoke(id) {
		return nil, absent("grant", "id", id)
	}
	return nil, nil
}
