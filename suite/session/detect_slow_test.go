package session

import (
	"context"
	"io"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/transport"
	"github.com/tidwall/gjson"
)

// late is a process that takes a while to start.
type late struct {
	io.ReadWriteCloser
	once sync.Once
	by   time.Duration
}

func (l *late) Read(b []byte) (int, error) {
	l.once.Do(func() { time.Sleep(l.by) })
	return l.ReadWriteCloser.Read(b)
}

// However slowly processes start, and however few may run at once, the newest revision
// of a server of both eras is found.
func TestDetectSlowStart(t *testing.T) {
	for _, instances := range []int{0, 1, 2} {
		synctest.Test(t, func(t *testing.T) {
			inner := serving(modern(`["2025-11-25","2026-07-28"]`), "2025-11-25").pipe()
			dialer := &transport.Pipe{Open: func(ctx context.Context) (io.ReadWriteCloser, error) {
				c, err := inner.Open(ctx)
				return &late{ReadWriteCloser: c, by: 6 * time.Second}, err
			}}
			found, err := Detect(t.Context(), dialer, options(""), requirement.Revisions(), instances)
			if err != nil || len(found.Served) != 2 {
				t.Errorf("%d instances: %v, %v, %v", instances, found.Served, found.Reasons, err)
			}
			for rev := range found.Open {
				found.shut(rev)
			}
		})
	}
}

// A revision whose handshake comes too late beside the others is asked for once more; one that is never
// answered is not served, and is asked for twice.
func TestDetectTooSlowStart(t *testing.T) {
	for name, c := range map[string]struct {
		deaf   bool // to the newest revision
		served int
		asked  int64
	}{
		"slow": {false, 3, 5},
		"deaf": {true, 2, 4},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var n atomic.Int64
				inner := server(func(m gjson.Result, say teller) bool {
					if v := m.Get("params.protocolVersion"); m.Get("method").Str == "initialize" &&
						!(c.deaf && v.Str == "2025-11-25") {
						say(`{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":%s,"capabilities":{},`+
							`"serverInfo":{"name":"x","version":"1"}}}`, m.Get("id").Raw, v.Raw)
					}
					return true
				}).pipe()
				dialer := &transport.Pipe{Open: func(ctx context.Context) (io.ReadWriteCloser, error) {
					conn, err := inner.Open(ctx)
					if k := n.Add(1); !c.deaf && (k == 2 || k == 3) {
						conn = &late{ReadWriteCloser: conn, by: time.Minute}
					}
					return conn, err
				}}
				ask := []requirement.Revision{requirement.R20250326, requirement.R20250618,
					requirement.R20251125}
				o := options("")
				o.Start = 30 * time.Second
				found, err := Detect(t.Context(), dialer, o, ask, 0)
				if err != nil || len(found.Served) != c.served || len(found.Reasons) != len(ask)-c.served ||
					n.Load() != c.asked {
					t.Errorf("%v served, %d asked, %v, %v", found.Served, n.Load(), found.Reasons, err)
				}
				for rev := range found.Open {
					found.shut(rev)
				}
				time.Sleep(time.Hour) // what is under way ends
			})
		})
	}
}
