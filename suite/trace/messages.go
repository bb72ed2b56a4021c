package trace

import (
	"bytes"
	_ "embed" // Schema
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/requirement"
)

// Schema is the JSON Schema of a line of messages.
//
//go:embed mcpcheck.trace-1.schema.json
var Schema []byte

// line is a line of messages, see [Schema].
type line struct {
	Dir, Raw, Session string
	Time              any
	Message           json.RawMessage
	Base64            []byte
	Transport         requirement.Transport
	Status            int
	Headers           map[string]string
}

// speaker is the direction of an entry by the words of the formats.
var speaker = map[string]string{"out": FromClient, "client": FromClient, "in": FromServer,
	"server": FromServer}

func (l *line) entry() (e *Entry, err error) {
	e = &Entry{Direction: speaker[l.Dir], Transport: l.Transport, Session: l.Session,
		HTTP: &Head{Method: "POST", Path: "/mcp", Status: l.Status, Header: http.Header{}},
		Data: slices.Concat(l.Message, []byte(l.Raw), l.Base64)}
	switch {
	case e.Direction == "":
		return nil, fmt.Errorf(`"dir" is %q, and not "out" (to the server) or "in" (from it)`, l.Dir)
	case len(e.Data) == 0:
		return nil, errors.New(`none of "message", "raw" and "base64" is there`)
	case l.Transport != "" && !slices.Contains(requirement.Transports(), l.Transport):
		return nil, fmt.Errorf(`"transport" is %q, and not "stdio", "http" or "sse"`, l.Transport)
	}
	for name, value := range l.Headers {
		e.HTTP.Header.Add(name, value)
	}
	switch at := l.Time.(type) {
	case float64:
		e.Time = time.Unix(0, 0).Add(seconds(at))
	case string:
		if e.Time, err = time.Parse(time.RFC3339, at); err != nil {
			return nil, fmt.Errorf(`"time": %w`, err)
		}
	}
	return e, nil
}

// protocol is a protocol log of the MCP Inspector. The response to a request stands with it.
type protocol []struct {
	Timestamp         time.Time
	Duration          float64 // milliseconds
	Origin            string
	Message, Response json.RawMessage
}

func (p protocol) entries() (all []*Entry) {
	for _, x := range p {
		all = append(all, &Entry{Time: x.Timestamp, Direction: speaker[x.Origin], Data: x.Message})
		if x.Response != nil {
			all = append(all, &Entry{Time: x.Timestamp.Add(seconds(x.Duration / 1000)), Data: x.Response,
				Direction: map[string]string{"client": FromServer, "server": FromClient}[x.Origin]})
		}
	}
	return all
}

// logged is a line of the log of a program that hosts servers: when, of which server, who spoke, what.
var logged = regexp.MustCompile(`(?m)^(\S+) (?:\[(?:info|debug)\] )?(?:\[([^\]]*)\] )?.*?` +
	`Message from (client|server): (.*)$`)

// hostLog reads the messages of such a log. Of one that the program has cut it is only known who spoke.
func hostLog(data []byte) (all []*Entry) {
	for _, m := range logged.FindAllSubmatch(data, -1) {
		e := &Entry{Session: string(m[2]), Direction: speaker[string(m[3])]}
		e.Time, _ = time.Parse(time.RFC3339, string(m[1]))
		e.Truncated = json.NewDecoder(bytes.NewReader(m[4])).Decode((*json.RawMessage)(&e.Data)) != nil
		all = append(all, e)
	}
	return all
}
