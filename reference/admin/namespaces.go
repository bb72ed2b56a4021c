package admin

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"github.com/mcpcheck/mcpcheck/reference"
	"github.com/mcpcheck/mcpcheck/reference/world"
)

// NewNamespace is a namespace that is to be made.
type NewNamespace struct {
	// Name has 1 to 64 letters of ASCII, digits and ._- in it.
	Name string `json:"name"`
	// World is the name of a ready world, or a world as a file has it; absent means what the
	// server serves.
	World json.RawMessage `json:"world,omitempty"`
	// Revisions are those that are served; empty means those of the server.
	Revisions []string `json:"revisions,omitempty"`
	// PageSize is the number of entries on a page; 0 means that of the world.
	PageSize int `json:"pageSize,omitempty"`
	// Faults and Quirks are names, each with limits behind it if it has any: those with which
	// the namespace begins. Those of the server do not hold in it.
	Faults []string `json:"faults,omitempty"`
	Quirks []string `json:"quirks,omitempty"`
	// Seed feeds the randomness of faults, quirks and delays.
	Seed uint64 `json:"seed,omitempty"`
}

// NamespaceList is all namespaces, by name.
type NamespaceList struct {
	Namespaces []reference.Namespace `json:"namespaces"`
}

// pathNamespaces is above what steers namespaces.
const pathNamespaces = "/namespaces/"

type serverKey struct{}

// within hands what is asked of a namespace, beneath its name, to the same handlers as what is
// asked of the server. It reports whether it has been so.
func (a *API) within(w http.ResponseWriter, r *http.Request) bool {
	rest, ok := strings.CutPrefix(r.URL.Path, pathNamespaces)
	name, rest, deeper := strings.Cut(rest, "/")
	if !ok || !deeper {
		return false
	}
	server, found := a.server.Namespace(name)
	switch {
	case !found:
		fail(w, absent("namespace", "name", name))
	case strings.HasPrefix("/"+rest+"/", pathNamespaces):
		fail(w, problem(CodeNotFound, "", "a namespace has no namespaces of its own"))
	default:
		r = r.WithContext(context.WithValue(r.Context(), serverKey{}, server))
		http.StripPrefix(pathNamespaces+name, a.mux).ServeHTTP(w, r)
	}
	return true
}

// serverOf is the server that a request is about.
func (a *API) serverOf(r *http.Request) *reference.Server {
	if s, ok := r.Context().Value(serverKey{}).(*reference.Server); ok {
		return s
	}
	return a.server
}

func postNamespace(c *call, in NewNamespace) (one reference.Namespace, err error) {
	o := reference.NamespaceOptions{Revisions: in.Revisions, PageSize: in.PageSize, Faults: in.Faults,
		Quirks: in.Quirks, Seed: in.Seed}
	if o.World, err = in.world(); err != nil {
		return one, err
	}
	made, err := c.server.AddNamespace(in.Name, o)
	switch {
	case errors.Is(err, reference.ErrNamespaceTaken), errors.Is(err, reference.ErrNamespacesFull):
		return one, problem(CodeConflict, "name", "%s", err)
	case err != nil:
		return one, problem(CodeInvalid, "", "%s", err)
	}
	return made.Describe(), nil
}

// world is the world that is asked for; nil if none is.
func (n NewNamespace) world() (*reference.World, error) {
	data := bytes.TrimSpace(n.World)
	if len(data) == 0 || string(data) == "null" {
		return nil, nil
	}
	var name string
	if json.Unmarshal(data, &name) == nil {
		w, err := reference.NamedWorld(name)
		if err != nil {
			return nil, problem(CodeInvalid, "world", "%s", err)
		}
		return &w, nil
	}
	if data[0] != '{' {
		return nil, problem(CodeInvalid, "world", "world must be the name of a ready world, or an object")
	}
	w, err := world.Parse("world", data)
	var all world.Problems
	if errors.As(err, &all) && len(all) > 0 {
		path := strings.TrimSuffix("world."+all[0].Path, ".")
		if m := unknownMember.FindStringSubmatch(all[0].Text); m != nil {
			return nil, problem(CodeUnknownField, path+"."+m[1], "%s: %s", path, all[0].Text)
		}
		return nil, problem(CodeInvalid, path, "%s: %s", path, all[0].Text)
	}
	if err != nil {
		return nil, problem(CodeInvalid, "world", "%s", err)
	}
	return &w, nil
}

// namespace describes the namespace of a name.
func namespace(s *reference.Server, name string) (one reference.Namespace, ok bool) {
	if s, ok = s.Namespace(name); ok {
		one = s.Describe()
	}
	return one, ok
}
