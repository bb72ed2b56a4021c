package engine

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/wire"
)

// TestHung: a server hangs if nothing comes from it any more while several requests are waited for in full.
func TestHung(t *testing.T) {
	sent := func(at time.Duration) wire.Frame {
		return wire.Frame{Session: "s", Channel: at.String(), Dir: wire.Out, At: at,
			HTTP: &wire.HTTP{Method: "POST"}}
	}
	said := wire.Frame{Session: "s", Channel: "post:1", Dir: wire.In, At: 2 * time.Second,
		HTTP: &wire.HTTP{Status: 200}}
	heard := said
	heard.At = 250 * time.Second
	asked := []wire.Frame{sent(time.Second), said, sent(3 * time.Second), sent(13 * time.Second),
		sent(23 * time.Second)}
	for name, c := range map[string]struct {
		frames []wire.Frame
		closed time.Duration
		took   time.Duration
		hangs  bool
	}{
		"hangs": {asked, time.Second, 300 * time.Second, true}, "not for long": {asked, 0, 24 * time.Second,
			false},
		"few requests":           {asked[:4], 0, 300 * time.Second, false},
		"one is answered":        {append(slices.Clone(asked), heard), 0, 300 * time.Second, false},
		"connections are closed": {asked, 13 * time.Second, 300 * time.Second, false},
	} {
		if got := hung(c.frames, c.closed, c.took, 10*time.Second); (got != "") != c.hangs || c.hangs &&
			!strings.HasPrefix(got, "nothing came from the server in the last 298 s, in which 3 requests") {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// TestSerial: a server handles one request at a time if those beside an open stream are answered behind its
// end, all of them.
func TestSerial(t *testing.T) {
	request := func(channel string, sent, answered, ended float64) []wire.Frame {
		at := func(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
		frames := []wire.Frame{{Session: "s", Channel: channel, Dir: wire.Out, At: at(sent),
			HTTP: &wire.HTTP{Method: "POST"}}}
		if answered > 0 {
			frames = append(frames, wire.Frame{Session: "s", Channel: channel, Dir: wire.In, At: at(answered),
				HTTP: &wire.HTTP{Status: 200}},
				wire.Frame{Session: "s", Channel: channel, Dir: wire.Note, At: at(ended)})
		}
		return frames
	}
	stream, quick := request("post:1", 1, 1.1, 11), request("post:0", 0, 0.1, 0.1)
	for name, c := range map[string]struct {
		others [][]wire.Frame
		want   string
	}{
		"all wait": {[][]wire.Frame{request("post:2", 2, 11.1, 11.1),
			request("post:3", 3, 11.2, 11.2), request("post:4", 4, 11.3, 11.3), request("post:5", 4, 0, 0)},
			"give it more workers"},
		"one is served": {[][]wire.Frame{request("post:2", 2, 2.1, 2.1),
			request("post:3", 3, 11.2, 11.2), request("post:4", 4, 0, 0), request("post:5", 4, 11.3, 11.3)},
			""},
		"they never are": {[][]wire.Frame{request("post:2", 2, 0, 0), request("post:3", 3, 0, 0),
			request("post:4", 4, 0, 0), request("post:5", 12, 12.1, 12.1)}, ""},
		"few are sent": {[][]wire.Frame{request("post:2", 2, 11.1, 11.1)}, ""},
		"they come at the end": {[][]wire.Frame{request("post:2", 10.9, 11.1, 11.1),
			request("post:3", 10.9, 11.2, 11.2), request("post:4", 10.9, 11.3, 11.3)}, ""},
		"nothing is sent besides": {nil, ""},
		"all always take as long": {[][]wire.Frame{request("post:2", 2, 12, 12), request("post:3", 3, 13, 13),
			request("post:4", 4, 14, 14)}, ""},
	} {
		frames := append([]wire.Frame{}, stream...)
		if name != "all always take as long" {
			frames = append(quick, frames...)
		}
		for _, o := range c.others {
			frames = append(frames, o...)
		}
		if got := serial(frames); (got == "") != (c.want == "") ||
			!strings.HasSuffix(strings.ReplaceAll(got, ", if it can have them", ""), c.want) {
			t.Errorf("%s: %q", name, got)
		}
	}
}
