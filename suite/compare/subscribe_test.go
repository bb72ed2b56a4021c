package compare_test

import (
	"bytes"
	"context"
	"io"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/mcpcheck/mcpcheck/reference"
	"github.com/mcpcheck/mcpcheck/suite/compare"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
)

// refused answers subscriptions with the codes, one after the other; 0 leaves the answer
// as it is, and the last code stays.
func refused(data string, codes ...int) edit {
	var n atomic.Int64
	return only("resources/subscribe", func(m object) {
		code := codes[min(int(n.Add(1)), len(codes))-1]
		if code == 0 {
			return
		}
		delete(m, "result")
		m["error"] = object{"code": code, "message": "no", "data": object{"uri": data}}
	})
}

// subscribed compares subscriptions in one revision.
func subscribed(t *testing.T, direct, through edit, change func(*compare.Config)) *compare.Report {
	t.Helper()
	return played(t, reference.Options{}, through, func(cfg *compare.Config, server *reference.Server) {
		cfg.Revisions = []requirement.Revision{requirement.R20250618}
		if direct != nil {
			cfg.Direct.Endpoints = gateway(server, direct).Endpoints
		}
		if change != nil {
			change(cfg)
		}
	})
}

// TestRefusedSubscriptions: where neither side accepts one, what the server itself says
// otherwise each time is not the gateway's doing, and names are mapped.
func TestRefusedSubscriptions(t *testing.T) {
	for _, x := range []struct {
		name            string
		direct, through edit
		want            compare.Outcome
		unsteady        int
	}{
		{"the same", refused("u", -1), refused("u", -1), compare.Same, 0},
		{"another code", refused("u", -1), refused("u", -2), compare.Different, 0},
		{"the code changes", refused("u", -1, -2, -3), refused("u", -4), compare.Same, 1},
		{"a mapped URI", refused("u", -1), refused("gw+u", -1), compare.Same, 0},
		{"the gateway refuses once", nil, refused("u", -1, 0), compare.NotEstablished, 0},
		{"the server refuses once", refused("u", 0, -1, 0), refused("u", -1), compare.Same, 1},
	} {
		t.Run(x.name, func(t *testing.T) {
			r := subscribed(t, x.direct, x.through, func(cfg *compare.Config) {
				cfg.MapURI = []compare.Rename{{From: "u", To: "gw+u"}}
			})
			if r.Summary.Outcome != x.want || r.Summary.Unsteady != x.unsteady {
				t.Errorf("%s\n%s", r.Headline(), text(t, r))
			}
		})
	}
}

// once answers subscriptions as the edit has it, once, and then a number of times not at
// all.
func once(e edit, silent int64) edit {
	var n atomic.Int64
	return func(method string, m object) object {
		switch {
		case method != "resources/subscribe":
			return m
		case n.Add(1) == 1:
			return e(method, m)
		case n.Load() <= 1+silent:
			return nil
		}
		return m
	}
}

// TestSubscriptionUnanswered: where a side did not answer when it was asked again, what
// it said before is shown neither to be its way nor not to be.
func TestSubscriptionUnanswered(t *testing.T) {
	plain := func(_ string, m object) object { return m }
	for _, x := range []struct{ direct, through edit }{
		{nil, once(refused("u", -1), 9)},
		{once(plain, 1), refused("u", -1)},
	} {
		r := subscribed(t, x.direct, x.through, nil)
		if r.Summary.Outcome != compare.NotEstablished || !strings.Contains(r.Gaps[0].Reason,
			"could not be asked again") {
			t.Errorf("%s\n%s", r.Headline(), text(t, r))
		}
	}
}

// TestUpdateLost: a session that ends is no update that was dropped.
func TestUpdateLost(t *testing.T) {
	r := subscribed(t, nil, nil, func(cfg *compare.Config) {
		inner := cfg.Through.Endpoints[0].Pipe
		cfg.Through.Endpoints[0].Pipe = func(ctx context.Context) (io.ReadWriteCloser, error) {
			c, err := inner(ctx)
			return cutting{c}, err
		}
	})
	if r.Summary.Outcome != compare.NotEstablished || len(r.Gaps) != 1 || !strings.Contains(r.Gaps[0].Reason,
		"a session was lost") {
		t.Errorf("%s\n%s", r.Headline(), text(t, r))
	}
}

// cutting is a connection that ends where an update would come.
type cutting struct{ io.ReadWriteCloser }

func (c cutting) Read(p []byte) (int, error) {
	n, err := c.ReadWriteCloser.Read(p)
	if bytes.Contains(p[:n], []byte("notifications/resources/updated")) {
		c.Close()
		return 0, io.EOF
	}
	return n, err
}

// TestNoUpdate: a trigger that nobody hears of leaves open whether updates arrive.
func TestNoUpdate(t *testing.T) {
	mute := func(method string, m object) object {
		if method == "notifications/resources/updated" {
			return nil
		}
		return m
	}
	r := subscribed(t, mute, mute, nil)
	if r.Summary.Outcome != compare.NotEstablished || len(r.Gaps) != 1 || !strings.Contains(r.Gaps[0].Reason,
		"neither side") {
		t.Errorf("%s\n%s", r.Headline(), text(t, r))
	}
}

// TestNothingToSubscribe: an entry without a URI is not subscribed.
func TestNothingToSubscribe(t *testing.T) {
	bare := only("resources/list",
		func(m object) { in(m)["resources"] = []any{object{"name": "x"}}; delete(in(m), "nextCursor") })
	r := subscribed(t, bare, bare, func(cfg *compare.Config) { cfg.Direct.Triggers.Update = nil })
	if !strings.Contains(strings.Join(r.Notes, "\n"), "nothing is listed that could be subscribed") {
		t.Errorf("%s\n%s", r.Headline(), text(t, r))
	}
}
