package session

import (
	"context"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/transport"
)

// late is a process that takes a while to start.
type late struct {
	io.ReadWriteCloser
	once sync.Once
}

func (l *late) Read(b []byte) (int, error) {
	l.once.Do(func() { time.Sleep(6 * time.Second) })
	return l.ReadWriteCloser.Read(b)
}

// However slowly processes start, and however few may run at once, the newest revision
// of a server of both eras is found.
func TestDetectSlowStart(t *testing.T) {
	for _, instances := range []int{0, 1, 2} {
		synctest.Test(t, func(t *testing.T) {
			var n atomic.Int64
			inner := serving(modern(`["2025-11-25","2026-07-28"]`), "2025-11-25").pipe()
			dialer := &transport.Pipe{Open: func(ctx context.Context) (io.ReadWriteCloser, error) {
				c, err := inner.Open(ctx)
				return &late{ReadWriteCloser: c}, err
			}}
			found, err := Detect(t.Context(), dialer, options(""), requirement.Revisions(), instances, func() string { return fmt.Sprint("s", n.Add(1)) })
			if err != nil || len(found.Served) != 2 {
				t.Errorf("%d instances: %v, %v, %v", instances, found.Served, found.Reasons, err)
			}
			for rev := range found.Open {
				found.shut(rev)
			}
		})
	}
}
