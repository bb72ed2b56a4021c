package verdict

import (
	"net/http"
	"strings"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/wire"
)

// Streamed lists the exchanges that were answered by an event stream.
func Streamed(r *recording.Recording) []*recording.Exchange {
	var all []*recording.Exchange
	for _, x := range r.Exchanges {
		if len(x.ID) > 0 && x.Status == http.StatusOK && MediaType(x.Header) == "text/event-stream" {
			all = append(all, x)
		}
	}
	return all
}

// OnGet reports whether a frame came on a stream that was opened by GET, and not
// to resume another one.
func OnGet(r *recording.Recording, f *wire.Frame) bool {
	if !strings.HasPrefix(f.Channel, "get:") {
		return false
	}
	for i := range r.Frames {
		if o := &r.Frames[i]; o.Dir == wire.Out && o.Session == f.Session && o.Channel == f.Channel && o.HTTP != nil {
			return o.HTTP.Header.Get("Last-Event-ID") == ""
		}
	}
	return true
}
