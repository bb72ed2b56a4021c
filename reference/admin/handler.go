package admin

import (
	"net/http"

	"github.com/mcpcheck/mcpcheck/reference"
)

// handler answers the requests of a route.
type handler struct {
	// request and response are values of the types of the bodies; nil if there is none.
	request, response any
	// status is that of a success.
	status int
	handle func(c *call) (any, error)
}

// giving answers with what a function returns.
func giving[R any](handle func(c *call) (R, error)) handler {
	return handler{nil, *new(R), http.StatusOK, func(c *call) (any, error) { return handle(c) }}
}

// told answers with what there is to say of the server.
func told[R any](say func(s *reference.Server) R) handler {
	return giving(func(c *call) (R, error) { return say(c.server), nil })
}

// taking reads the body of a request, which is of some type.
func taking[T, R any](handle func(c *call, in T) (R, error)) handler {
	return accepting(*new(T), giving(func(c *call) (out R, err error) {
		var in T
		if err := decode(c.body, &in); err != nil {
			return out, err
		}
		return handle(c, in)
	}))
}

// accepting is a handler that reads a body, which is like request.
func accepting(request any, h handler) handler {
	h.request = request
	return h
}

// created is a handler whose success is something new.
func created(h handler) handler {
	h.status = http.StatusCreated
	return h
}

// quiet is a handler whose success is all that there is to say.
func quiet(h handler) handler {
	h.response, h.status = nil, http.StatusNoContent
	return h
}

// found answers with what a parameter names.
func found[R any](what, param string, find func(s *reference.Server, name string) (R, bool)) handler {
	return giving(func(c *call) (R, error) {
		v, ok := find(c.server, c.named(param))
		if !ok {
			return v, absent(what, param, c.named(param))
		}
		return v, nil
	})
}

// doing does something that has no answer.
func doing(do func(c *call) error) handler {
	return quiet(giving(func(c *call) (any, error) { return nil, do(c) }))
}

// done does something that cannot fail.
func done(do func(s *reference.Server)) handler {
	return doing(func(c *call) error {
		do(c.server)
		return nil
	})
}

// removal takes away what a parameter names.
func removal(what, param string, remove func(s *reference.Server, name string) bool) handler {
	return doing(func(c *call) error {
		if name := c.named(param); !remove(c.server, name) {
			return absent(what, param, name)
		}
		return nil
	})
}
