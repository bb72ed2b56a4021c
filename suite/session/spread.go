package session

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/wire"
	"github.com/tidwall/gjson"
)

// spread is the first message that the target sent on stdio over several lines, as it does if it
// writes with indentation; nil if there is none.
func (s *Session) spread() json.RawMessage {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.joined()
}

// joined is spread, under the lock.
func (s *Session) joined() json.RawMessage {
	if s.over != requirement.Stdio {
		return nil
	}
	const (
		most    = 20_000   // lines
		longest = 64 << 10 // bytes
		trials  = 1000     // lines that may be the end
	)
	var joined []byte
	tried := 0
	for i := range s.incoming[:min(len(s.incoming), most)] {
		f := &s.incoming[i]
		line := bytes.TrimSpace(f.Raw)
		if len(joined) == 0 && (!f.HasFlaw(wire.FlawNotJSON) || len(line) == 0 || line[0] != '{' &&
			line[0] != '[') {
			continue
		}
		if len(joined)+len(f.Raw) > longest || tried == trials {
			return nil
		}
		first := len(joined) == 0
		joined = append(append(joined, f.Raw...), '\n')
		// The end is a line that closes what the first one has opened.
		if !first && closes(line) {
			if tried++; wire.Valid(joined) {
				return joined
			}
		}
	}
	return nil
}

func closes(line []byte) bool { return len(line) > 0 && (line[0] == '}' || line[0] == ']') }

// spreadError is why a session could not be opened whose first request was answered over several
// lines.
func (s *Session) spreadError(method string) *OpenError {
	return unopened(recording.CodeUnreadable,
		method+" was answered with JSON over several lines: a message must not contain newlines "+
			"on stdio (basic/transports#stdio); write it without indentation, on one line: "+
			wire.Excerpt(bytes.Join(bytes.Fields(s.spread()), []byte(" ")), 80))
}

// endSpread ends the wait for the answer to a first request when it has come over several lines,
// the last of which is given; the lock is held. Later answers are not looked for: no more is sent
// to a target that begins like this.
func (s *Session) endSpread(line []byte) {
	const most = 10 // lines that may be the end: more are not worth the time
	end := string(bytes.TrimRight(line, " \t\r"))
	if s.over != requirement.Stdio || end != "}" && end != "]" || s.lastLines >= most {
		return
	}
	s.lastLines++
	for _, p := range s.pending {
		if (p.x.Method == "initialize" || p.x.Method == "server/discover") && !p.completed &&
			s.joined() != nil {
			p.cut = "the answer came over several lines"
			p.once.Do(func() { close(p.done) })
		}
	}
}

// settles reports whether a message, as the answer to the first request of a session, settles on a
// revision.
func settles(message json.RawMessage, rev requirement.Revision) bool {
	result := gjson.GetBytes(message, "result")
	if !rev.Modern() {
		return result.Get("protocolVersion").Str == string(rev)
	}
	return slices.ContainsFunc(result.Get("supportedVersions").Array(), func(v gjson.Result) bool {
		return v.Str == string(rev)
	})
}
