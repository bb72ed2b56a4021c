package session

import (
	"strconv"
	"strings"

	"github.com/mcpcheck/mcpcheck/suite/requirement"
)

// The ids of requests.
const (
	firstOfSession = 1000
	idsOfSession   = 100_000 // more than any session gives
)

// firstID is where the ids of a session begin. Streams of HTTP+SSE each have ids of
// their own: there are gateways that send every response to all that are open,
// and what is ours can be told from what is not only if no two ids are the same.
func firstID(over requirement.Transport, session string) int {
	n, err := strconv.Atoi(strings.TrimLeft(session, "s"))
	if over != requirement.SSE || err != nil {
		return firstOfSession
	}
	return firstOfSession + n*idsOfSession
}
