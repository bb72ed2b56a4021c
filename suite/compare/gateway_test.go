package compare_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/mcpcheck/mcpcheck/internal/embedded"
	"github.com/mcpcheck/mcpcheck/reference"
	"github.com/mcpcheck/mcpcheck/suite/compare"
	"github.com/mcpcheck/mcpcheck/suite/target"
)

// object is a message, or a part of one.
type object = map[string]any

// edit changes a message on its way back, in place; nil drops it. The method is that of
// the request it answers, or its own.
type edit func(method string, m object) object

// gateway is a target that forwards to a server line by line. Everything is written
// anew: members in another order, characters escaped, numbers with a fraction.
func gateway(server *reference.Server, e edit) *target.Target {
	return &target.Target{Endpoints: []target.Endpoint{{Name: "gateway",
		Pipe: func(context.Context) (io.ReadWriteCloser, error) {
			behind, err := server.Pipe(context.Background())
			if err != nil {
				return nil, err
			}
			ours, theirs := net.Pipe()
			w := &forwarding{methods: map[string]string{}, edit: e}
			go w.forward(behind, theirs, w.request)
			go w.forward(theirs, behind, w.back)
			return ours, nil
		}}}}
}

type forwarding struct {
	edit    edit
	mu      sync.Mutex
	methods map[string]string
}

func (w *forwarding) forward(to io.WriteCloser, from io.Reader, change func(object) object) {
	defer to.Close()
	lines := bufio.NewReader(from)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		m := object{}
		d := json.NewDecoder(bytes.NewReader(line))
		d.UseNumber()
		if d.Decode(&m) != nil {
			return
		}
		if m = change(m); m == nil {
			continue
		}
		out, err := json.Marshal(m) // sorts members, escapes <, > and &
		if err != nil {
			return
		}
		if _, err := to.Write(append(out, '\n')); err != nil {
			return
		}
	}
}

// request notes what is asked.
func (w *forwarding) request(m object) object {
	w.mu.Lock()
	defer w.mu.Unlock()
	id, _ := json.Marshal(m["id"])
	w.methods[string(id)], _ = m["method"].(string)
	return m
}

func (w *forwarding) back(m object) object {
	w.mu.Lock()
	id, _ := json.Marshal(m["id"])
	method := w.methods[string(id)]
	w.mu.Unlock()
	if own, ok := m["method"].(string); ok {
		method = own
	}
	if result, ok := m["result"].(object); ok {
		m["result"] = respelled(result)
	}
	if w.edit == nil {
		return m
	}
	return w.edit(method, m)
}

// respelled writes whole numbers in another way that means the same.
func respelled(v any) any {
	switch x := v.(type) {
	case object:
		for name := range x {
			x[name] = respelled(x[name])
		}
	case []any:
		for i := range x {
			x[i] = respelled(x[i])
		}
	case json.Number:
		if _, err := x.Int64(); err == nil {
			return json.Number(x.String() + ".0")
		}
	}
	return v
}

// played compares the reference with itself behind a gateway, in simulated time.
func played(t *testing.T, o reference.Options, e edit,
	change func(*compare.Config, *reference.Server)) *compare.Report {
	t.Helper()
	var r *compare.Report
	synctest.Test(t, func(t *testing.T) {
		direct, server, err := embedded.Target(o)
		if err != nil {
			t.Fatal(err)
		}
		defer server.Close()
		direct.Endpoints = direct.Endpoints[:1]
		cfg := compare.Config{Direct: direct, Through: gateway(server, e)}
		if change != nil {
			change(&cfg, server)
		}
		if r, err = compare.Run(t.Context(), cfg); err != nil {
			t.Fatal(err)
		}
	})
	return r
}
