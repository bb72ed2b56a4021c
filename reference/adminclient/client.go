// Package adminclient steers a mock server from Go by its admin interface (package admin),
// with a method for each of its routes.
//
//	c, err := adminclient.New("http://127.0.0.1:4000", adminclient.Options{})
//	err = c.PutResource(ctx, world.Resource{URI: "note:new", Name: "new", Text: &text})
//	outcome, err := c.Wait(ctx, admin.Wait{Query: admin.Query{Method: "resources/read"}})
//
// What the server refuses is an [*Error]. A method that finds nothing to act on returns one
// whose code is admin.CodeNotFound.
package adminclient

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/mcpcheck/mcpcheck/reference/admin"
	"github.com/mcpcheck/mcpcheck/reference/world"
	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/tidwall/gjson"
)

// Options are the choices of a client.
type Options struct {
	// Token is that of the interface; empty if it demands none.
	Token string
	// HTTP makes the requests; nil means a client of our own.
	HTTP *http.Client
}

// Client calls the interface of one server. Its methods may be used from several
// goroutines. All of them end with their context.
type Client struct {
	base  string
	token string
	http  *http.Client
}

// maxAnswer bounds what is read of an answer, in bytes.
const maxAnswer = 256 << 20

// Error is the refusal of a request.
type Error struct {
	// Status is that of HTTP.
	Status int
	admin.Problem
}

// Error is the problem in one sentence.
func (e *Error) Error() string {
	return fmt.Sprintf("the admin interface answers %d (%s): %s", e.Status, e.Code, e.Problem.Error())
}

// NotFound reports whether an error says that there was nothing to act on.
func NotFound(err error) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && e.Code == admin.CodeNotFound
}

// New makes a client of the interface at an address, "http://127.0.0.1:4000" say.
func New(address string, o Options) (*Client, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" || u.Host == "" || strings.Trim(u.Path, "/") != "" {
		return nil, fmt.Errorf("%q is no address of an admin interface, as http://127.0.0.1:4000 is", address)
	}
	c := &Client{base: "http://" + u.Host, token: o.Token, http: o.HTTP}
	if c.http == nil {
		c.http = &http.Client{Transport: http.DefaultTransport.(*http.Transport).Clone()}
	}
	return c, nil
}

// Close lets go of idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// In is a client of a namespace of the server: all its methods are about that. It shares the connections of
// this one.
func (c *Client) In(namespace string) *Client {
	inner := *c
	inner.base += "/namespaces/" + url.PathEscape(namespace)
	return &inner
}

// call makes a request. In is the body, nil for none; out takes the answer, nil if there is none.
func (c *Client) call(ctx context.Context, method, path string, in, out any) error {
	body, err := encode(in)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, method, c.base+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	if method != http.MethodGet { // a body or not
		req.Header.Set("Content-Type", "application/json")
	}
	if c.token != "" {
		req.Header.Set("Authorization", "Bearer "+c.token)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return err
	}
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	if err := errors.Join(err, resp.Body.Close()); err != nil {
		return fmt.Errorf("%s %s: the answer could not be read: %w", method, path, err)
	}
	if len(data) > maxAnswer {
		return fmt.Errorf("%s %s: the answer is longer than %d bytes", method, path, maxAnswer)
	}
	if resp.StatusCode >= http.StatusMultipleChoices {
		return refusal(resp.StatusCode, data)
	}
	if out == nil {
		return nil
	}
	if err := decode(data, out); err != nil {
		return fmt.Errorf("%s %s: the answer cannot be read: %w", method, path, err)
	}
	return nil
}

// ask is call for an answer of a type.
func ask[T any](ctx context.Context, c *Client, method, path string, in any) (out T, err error) {
	err = c.call(ctx, method, path, in, &out)
	return out, err
}

func refusal(status int, data []byte) error {
	var body admin.Refusal
	if json.Unmarshal(data, &body) != nil || body.Error.Code == "" {
		return &Error{Status: status, Problem: admin.Problem{Code: admin.CodeInternal, Message: "an answer that is not of this interface: is the address right?"}}
	}
	return &Error{Status: status, Problem: body.Error}
}

// encode is a body, empty for nil; parts of a world are written as its files have them.
func encode(in any) ([]byte, error) {
	switch in := in.(type) {
	case nil:
		return nil, nil
	case world.Resource:
		return world.EncodeResource(in)
	case world.Template:
		return world.EncodeTemplate(in)
	}
	return json.Marshal(in)
}

// decode reads an answer; parts of a world and reports are read as those packages do.
func decode(data []byte, out any) (err error) {
	switch out := out.(type) {
	case *json.RawMessage:
		*out = data
	case *world.Resource:
		*out, err = world.DecodeResource(withoutWarnings(data))
	case *world.Template:
		*out, err = world.DecodeTemplate(withoutWarnings(data))
	case **reports.Report:
		*out, err = reports.ReadJSON(bytes.NewReader(data))
	default:
		err = json.Unmarshal(data, out)
	}
	return err
}

// withoutWarnings is a part of a world without what the interface says about it.
func withoutWarnings(data []byte) []byte {
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
