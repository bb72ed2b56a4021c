package session

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/transport"
	"github.com/tidwall/gjson"
)

// reads is a server on stdio that answers the requests which it gets in one read, and notes how
// many messages that were.
func reads(got *[]int) *transport.Pipe {
	return &transport.Pipe{Open: func(context.Context) (io.ReadWriteCloser, error) {
		ours, theirs := net.Pipe()
		go func() {
			defer func() { _ = theirs.Close() }()
			for buffer := make([]byte, 1<<16); ; {
				n, err := theirs.Read(buffer)
				if err != nil {
					return
				}
				lines := strings.Split(strings.TrimSuffix(string(buffer[:n]), "\n"), "\n")
				*got = append(*got, len(lines))
				for _, line := range lines {
					if id := gjson.Get(line, "id"); id.Exists() {
						_, _ = fmt.Fprintf(theirs, `{"jsonrpc":"2.0","id":%s,"result":{}}`+"\n", id.Raw)
					}
				}
			}
		}()
		return ours, nil
	}}
}

// TestStartTogether: messages that are started together reach a server over stdio in one read,
// and are exchanges of their own all the same, as they are over HTTP.
func TestStartTogether(t *testing.T) {
	batch := []Request{
		{Step: "one", Method: "ping"},
		{Step: "cancel", Method: "notifications/cancelled", Notification: true},
		{Step: "two", Method: "ping"},
	}
	judge := func(t *testing.T, s *Session) {
		numbers := map[int]bool{}
		for i, p := range s.StartTogether(t.Context(), batch...) {
			x := p.Wait(t.Context())
			want := recording.Replied
			if batch[i].Notification {
				want = recording.Sent
			}
			if x.Outcome != want || x.Step != batch[i].Step || x.Request == 0 || numbers[x.Request] {
				t.Errorf("%s: %+v", batch[i].Step, x)
			}
			numbers[x.Request] = true
		}
	}
	t.Run("stdio", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			var got []int
			s, err := Open(t.Context(), reads(&got), bare(requirement.R20250618))
			if err != nil {
				t.Fatal(err)
			}
			judge(t, s)
			s.Close(t.Context())
			if len(got) != 1 || got[0] != len(batch) {
				t.Errorf("the server has read %v messages", got)
			}
			for _, p := range s.StartTogether(t.Context(), batch...) {
				if x := p.Wait(t.Context()); x.Outcome != recording.Lost {
					t.Errorf("after the end: %+v", x)
				}
			}
		})
	})
	t.Run("http", func(t *testing.T) {
		judge(t, web(t, requirement.R20250618,
			func(_ int, w http.ResponseWriter, _ *http.Request, m gjson.Result) {
				if m.Get("id").Exists() {
					answer(w, m)
				} else {
					w.WriteHeader(http.StatusAccepted)
				}
			}))
	})
}
