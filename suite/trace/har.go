package trace

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/wire"
)

// archive is a HAR file, as far as it is needed here.
type archive struct {
	Log struct {
		Entries []struct {
			StartedDateTime   time.Time
			Time              float64 // milliseconds
			Request, Response struct {
				Method, URL string
				Status      int
				Headers     []struct{ Name, Value string }
				PostData    struct{ Text string }
				Content     struct{ Text, Encoding string }
			}
		}
	}
}

// entries are the calls of servers of the protocol. What else was loaded is left out.
func (h *archive) entries() (all []*Entry, err error) {
	streams := map[string]bool{} // the addresses for messages that streams of HTTP+SSE have named
	for i, c := range h.Log.Entries {
		at, _, _ := strings.Cut(c.Request.URL, "?")
		asked := &Entry{Seq: len(all) + 1, Time: c.StartedDateTime, Direction: FromClient, Connection: at,
			Endpoint: at, Transport: requirement.HTTP, Data: []byte(c.Request.PostData.Text),
			HTTP: &Head{Method: c.Request.Method, Path: c.Request.URL, Header: http.Header{}}}
		said := &Entry{Time: c.StartedDateTime.Add(seconds(c.Time / 1000)), Direction: FromServer,
			RequestSeq: asked.Seq, Transport: requirement.HTTP, Data: []byte(c.Response.Content.Text),
			HTTP: &Head{Status: c.Response.Status, Header: http.Header{}}}
		for _, h := range c.Request.Headers {
			asked.HTTP.Header.Add(h.Name, h.Value)
		}
		for _, h := range c.Response.Headers {
			said.HTTP.Header.Add(h.Name, h.Value)
		}
		said.HTTP.Header.Del("Content-Encoding") // what is in a capture is decoded
		if c.Response.Content.Encoding == "base64" {
			if said.Data, err = base64.StdEncoding.DecodeString(c.Response.Content.Text); err != nil {
				return nil, fmt.Errorf("log.entries[%d].response.content.text: %w", i, err)
			}
		}
		events, named := said.events(c.Request.URL)
		streams[named] = named != ""
		switch {
		case named != "":
			all = append(all, events...)
			continue
		case streams[c.Request.URL]:
			asked.Transport, asked.Session, said.Transport = requirement.SSE, c.Request.URL, requirement.SSE
		case !bytes.Contains(asked.Data, []byte(`"jsonrpc"`)) && len(events) == 0:
			continue
		}
		all = append(all, asked)
		if c.Response.Status > 0 {
			all = append(append(all, said), events...)
		}
	}
	return inOrder(all), nil
}

// events takes the events out of an answer that is a stream, and the address for messages which it names on
// HTTP+SSE. The last event is left out if the capture ended in it.
func (e *Entry) events(of string) (all []*Entry, named string) {
	if !strings.HasPrefix(strings.ToLower(e.HTTP.Header.Get("Content-Type")), "text/event-stream") {
		return nil, ""
	}
	r := wire.NewEventReader(bytes.NewReader(e.Data), MaxSize)
	e.Data = nil
	for x, err := r.Next(); err == nil; x, err = r.Next() {
		base, err := url.Parse(of)
		if x.Event.Type == "endpoint" && err == nil {
			if at, err := base.Parse(string(x.Raw)); err == nil {
				named = at.String()
			}
			continue
		}
		one := &Entry{Time: e.Time, Direction: FromServer, RequestSeq: e.RequestSeq, Transport: e.Transport,
			Data: x.Raw, EventID: x.Event.ID, Event: x.Event, Flaws: x.Flaws}
		if named != "" {
			one.Transport, one.Session, one.RequestSeq = requirement.SSE, named, 0
		}
		if !x.HasFlaw(wire.FlawUnterminated) {
			all = append(all, one)
		}
	}
	return all, named
}

// seconds is a time that is no more than some days, whatever is said.
func seconds(n float64) time.Duration {
	return time.Duration(min(max(n, 0), 1e6) * float64(time.Second))
}
