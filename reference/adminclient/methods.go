package adminclient

import (
	"bytes"
	"context"
	"encoding/json"
	"net/url"

	"github.com/mcpcheck/mcpcheck/reference"
	"github.com/mcpcheck/mcpcheck/reference/admin"
	"github.com/mcpcheck/mcpcheck/reference/control"
	"github.com/mcpcheck/mcpcheck/reference/oauth"
	"github.com/mcpcheck/mcpcheck/reference/world"
	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/tidwall/gjson"
)

// OpenAPI is the document that describes the interface.
func (c *Client) OpenAPI(ctx context.Context) (json.RawMessage, error) {
	return ask[json.RawMessage](ctx, c, "GET", "/openapi.json", nil)
}

// Health says how the server fares.
func (c *Client) Health(ctx context.Context) (reference.Health, error) {
	return ask[reference.Health](ctx, c, "GET", "/health", nil)
}

// Reset brings back the world, the rules and the timeline with which the server began.
func (c *Client) Reset(ctx context.Context) error {
	return c.call(ctx, "POST", "/reset", nil, nil)
}

// page is where a list begins, and how long it is at the most.
type page struct {
	Offset int `json:"offset,omitempty"`
	Limit  int `json:"limit,omitempty"`
}

// Resources lists resources from an offset on, limit at the most; 0 means admin.DefaultLimit.
func (c *Client) Resources(ctx context.Context, offset, limit int) (admin.ResourceList, error) {
	return ask[admin.ResourceList](ctx, c, "GET", at("/resources", page{max(offset, 0), max(limit, 0)}), nil)
}

// at is a path with a query: the members of a value, those with lists repeated.
func at(path string, members any) string {
	data, _ := json.Marshal(members) // text and numbers always can be
	query := url.Values{}
	gjson.ParseBytes(data).ForEach(func(name, value gjson.Result) bool {
		for _, one := range value.Array() {
			query.Add(name.Str, one.String())
		}
		return true
	})
	return path + "?" + query.Encode()
}

func resourceAt(uri string) string { return "/resource?uri=" + url.QueryEscape(uri) }

// part is [ask] for a part of a world, which decode reads.
func part[T any](
	ctx context.Context, c *Client, method, path string, in any, decode func([]byte) (T, error),
) (T, error) {
	data, err := ask[json.RawMessage](ctx, c, method, path, in)
	if err != nil {
		return *new(T), err
	}
	return decode(withoutWarnings(data))
}

// Resource returns the resource with that URI.
func (c *Client) Resource(ctx context.Context, uri string) (world.Resource, error) {
	return part(ctx, c, "GET", resourceAt(uri), nil, world.DecodeResource)
}

// withoutWarnings is a part of a world without what the interface says about it.
func withoutWarnings(data json.RawMessage) json.RawMessage {
	var members map[string]json.RawMessage
	if json.Unmarshal(data, &members) != nil || members["warnings"] == nil {
		return data // what is no object is reported when it is decoded
	}
	delete(members, "warnings")
	rest, err := json.Marshal(members)
	if err != nil {
		return data
	}
	return rest
}

// PutResource adds a resource, or replaces the one with its URI.
func (c *Client) PutResource(ctx context.Context, r world.Resource) error {
	data, err := world.EncodeResource(r)
	if err != nil {
		return err
	}
	return c.call(ctx, "PUT", "/resource", json.RawMessage(data), nil)
}

// PatchResource applies a JSON merge patch (anything that JSON can be made of) to the resource
// with that URI, and returns the result.
func (c *Client) PatchResource(ctx context.Context, uri string, patch any) (world.Resource, error) {
	return part(ctx, c, "PATCH", resourceAt(uri), patch, world.DecodeResource)
}

// DeleteResource takes the resource with that URI away.
func (c *Client) DeleteResource(ctx context.Context, uri string) error {
	return c.call(ctx, "DELETE", resourceAt(uri), nil, nil)
}

// Templates lists the templates.
func (c *Client) Templates(ctx context.Context) ([]world.Template, error) {
	var list admin.TemplateList
	if err := c.call(ctx, "GET", "/templates", nil, &list); err != nil {
		return nil, err
	}
	templates := make([]world.Template, len(list.Templates))
	for i, data := range list.Templates {
		var err error
		if templates[i], err = world.DecodeTemplate(data); err != nil {
			return nil, err
		}
	}
	return templates, nil
}

func templateAt(uriTemplate string) string {
	return "/template?uriTemplate=" + url.QueryEscape(uriTemplate)
}

// Template returns the template with that URI template.
func (c *Client) Template(ctx context.Context, uriTemplate string) (world.Template, error) {
	return part(ctx, c, "GET", templateAt(uriTemplate), nil, world.DecodeTemplate)
}

// PutTemplate adds a template, or replaces the one with its URI template.
func (c *Client) PutTemplate(ctx context.Context, t world.Template) error {
	data, err := world.EncodeTemplate(t)
	if err != nil {
		return err
	}
	return c.call(ctx, "PUT", "/template", json.RawMessage(data), nil)
}

// PatchTemplate applies a JSON merge patch to a template, and returns the result.
func (c *Client) PatchTemplate(ctx context.Context, uriTemplate string, patch any) (world.Template, error) {
	return part(ctx, c, "PATCH", templateAt(uriTemplate), patch, world.DecodeTemplate)
}

// DeleteTemplate takes a template away.
func (c *Client) DeleteTemplate(ctx context.Context, uriTemplate string) error {
	return c.call(ctx, "DELETE", templateAt(uriTemplate), nil, nil)
}

// Touch notifies the subscribers of a resource as if it had changed.
func (c *Client) Touch(ctx context.Context, uri string) error {
	return c.call(ctx, "POST", "/touch", admin.Touch{URI: uri}, nil)
}

// ListChanged notifies clients as if the list of resources had changed.
func (c *Client) ListChanged(ctx context.Context) error {
	return c.call(ctx, "POST", "/list-changed", nil, nil)
}

// EndSubscriptions ends all listen streams in order.
func (c *Client) EndSubscriptions(ctx context.Context) error {
	return c.call(ctx, "POST", "/end-subscriptions", nil, nil)
}

// Deviations lists the faults and quirks that rules can switch on.
func (c *Client) Deviations(ctx context.Context) (admin.DeviationList, error) {
	return ask[admin.DeviationList](ctx, c, "GET", "/deviations", nil)
}

// Rules lists the rules in force, outermost first.
func (c *Client) Rules(ctx context.Context) ([]control.Status, error) {
	list, err := ask[admin.RuleList](ctx, c, "GET", "/rules", nil)
	return list.Rules, err
}

// AddRule switches a fault, a quirk, a failure or a delay on.
func (c *Client) AddRule(ctx context.Context, r control.Rule) (control.Status, error) {
	return ask[control.Status](ctx, c, "POST", "/rules", r)
}

// ClearRules switches all rules off.
func (c *Client) ClearRules(ctx context.Context) error {
	return c.call(ctx, "DELETE", "/rules", nil, nil)
}

// Timeline says how the steps of the timeline have fared.
func (c *Client) Timeline(ctx context.Context) ([]reference.StepStatus, error) {
	list, err := ask[admin.StepList](ctx, c, "GET", "/timeline", nil)
	return list.Steps, err
}

// States are the states of the scenarios that rules ask for and change.
func (c *Client) States(ctx context.Context) (map[string]string, error) {
	list, err := ask[admin.StateList](ctx, c, "GET", "/states", nil)
	return list.States, err
}

// SetStates gives scenarios other states; those that are not named keep theirs.
func (c *Client) SetStates(ctx context.Context, states map[string]string) error {
	return c.call(ctx, "PUT", "/states", admin.StateList{States: states}, nil)
}

// Rule returns the rule with that id.
func (c *Client) Rule(ctx context.Context, id string) (control.Status, error) {
	return ask[control.Status](ctx, c, "GET", "/rules/"+url.PathEscape(id), nil)
}

// RemoveRule switches the rule with that id off.
func (c *Client) RemoveRule(ctx context.Context, id string) error {
	return c.call(ctx, "DELETE", "/rules/"+url.PathEscape(id), nil, nil)
}

// Sessions lists the open sessions, oldest first.
func (c *Client) Sessions(ctx context.Context) ([]reference.Session, error) {
	list, err := ask[admin.SessionList](ctx, c, "GET", "/sessions", nil)
	return list.Sessions, err
}

// EndSession ends the session with that id.
func (c *Client) EndSession(ctx context.Context, id string) error {
	return c.call(ctx, "DELETE", "/sessions/"+url.PathEscape(id), nil, nil)
}

// Ask has the server send a request to the client of a session, and returns what that answers.
func (c *Client) Ask(ctx context.Context, session string, a admin.Ask) (reference.Answer, error) {
	return ask[reference.Answer](ctx, c, "POST", "/sessions/"+url.PathEscape(session)+"/ask", a)
}

// Identities lists the owners of the tokens that the server demands.
func (c *Client) Identities(ctx context.Context) ([]admin.Identity, error) {
	list, err := ask[admin.IdentityList](ctx, c, "GET", "/identities", nil)
	return list.Identities, err
}

// Journal returns entries of the journal; without a limit admin.DefaultLimit at the most.
func (c *Client) Journal(ctx context.Context, q admin.Query) (admin.EntryList, error) {
	q.Limit = max(q.Limit, 0)
	return ask[admin.EntryList](ctx, c, "GET", at("/journal", q), nil)
}

// ClearJournal forgets all entries. Numbers go on.
func (c *Client) ClearJournal(ctx context.Context) error {
	return c.call(ctx, "DELETE", "/journal", nil, nil)
}

// Wait waits until entries are there, or the timeout is over: see Met of the outcome.
func (c *Client) Wait(ctx context.Context, w admin.Wait) (admin.Outcome, error) {
	return ask[admin.Outcome](ctx, c, "POST", "/journal/wait", w)
}

// Assert says whether something holds of the journal: see Met of the outcome.
func (c *Client) Assert(ctx context.Context, a admin.Assertion) (admin.Outcome, error) {
	return ask[admin.Outcome](ctx, c, "POST", "/journal/assert", a)
}

// Namespaces lists the namespaces by name.
func (c *Client) Namespaces(ctx context.Context) ([]reference.Namespace, error) {
	list, err := ask[admin.NamespaceList](ctx, c, "GET", "/namespaces", nil)
	return list.Namespaces, err
}

// AddNamespace makes a namespace, which [Client.In] steers.
func (c *Client) AddNamespace(ctx context.Context, n admin.NewNamespace) (reference.Namespace, error) {
	return ask[reference.Namespace](ctx, c, "POST", "/namespaces", n)
}

// Namespace returns the namespace of that name.
func (c *Client) Namespace(ctx context.Context, name string) (reference.Namespace, error) {
	return ask[reference.Namespace](ctx, c, "GET", "/namespaces/"+url.PathEscape(name), nil)
}

// RemoveNamespace ends the namespace of that name and all its connections.
func (c *Client) RemoveNamespace(ctx context.Context, name string) error {
	return c.call(ctx, "DELETE", "/namespaces/"+url.PathEscape(name), nil, nil)
}

// Grants lists what the authorization server has granted to clients, oldest first.
func (c *Client) Grants(ctx context.Context) ([]oauth.Grant, error) {
	list, err := ask[admin.GrantList](ctx, c, "GET", "/oauth/grants", nil)
	return list.Grants, err
}

// RevokeGrant ends the grant with that id and all its tokens.
func (c *Client) RevokeGrant(ctx context.Context, id string) error {
	return c.call(ctx, "DELETE", "/oauth/grants/"+url.PathEscape(id), nil, nil)
}

// ExpireTokens has tokens expire that the authorization server has issued, and returns how many.
func (c *Client) ExpireTokens(ctx context.Context, e admin.Expire) (int, error) {
	expired, err := ask[admin.Expired](ctx, c, "POST", "/oauth/expire", e)
	return expired.Tokens, err
}

// OAuthClients lists the clients that have registered with the authorization server, oldest first.
func (c *Client) OAuthClients(ctx context.Context) ([]oauth.Client, error) {
	list, err := ask[admin.OAuthClientList](ctx, c, "GET", "/oauth/clients", nil)
	return list.Clients, err
}

// ForgetOAuth forgets all clients, grants and tokens of the authorization server.
func (c *Client) ForgetOAuth(ctx context.Context) error {
	return c.call(ctx, "DELETE", "/oauth", nil, nil)
}

// Verify judges the clients of the server by what its journal has of them.
func (c *Client) Verify(ctx context.Context, v admin.Verify) (*reports.Report, error) {
	var data json.RawMessage
	if err := c.call(ctx, "POST", "/verify", v, &data); err != nil {
		return nil, err
	}
	return reports.ReadJSON(bytes.NewReader(data))
}
