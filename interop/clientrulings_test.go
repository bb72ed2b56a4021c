package interop

import "github.com/mcpcheck/mcpcheck/reports"

// clientRulings are all red verdicts against the clients of this package.
var clientRulings = []clientRuling{
	{
		client: "mcpgo", id: "CL-05", revisions: []string{"2025-06-18", "2025-11-25"}, transports: []string{"http"},
		verdict: reports.Fail, section: "basic/transports#protocol-version-header", sometimes: true,
		ruling: "Every HTTP request after the handshake has to name the version, and a GET is one.",
		seen:   "The GET of the continuous listening goes out as soon as there is a session id, sometimes before the version is kept.",
	},
	{
		client: "mcpgo", id: "CL-20", revisions: streamable, transports: []string{"http"},
		verdict: reports.Fail, section: "basic/utilities/ping#behavior-requirements", sometimes: true,
		ruling: "A ping has to be answered, on whatever stream it comes; that the stream has ended meanwhile is no reason not to.",
		seen:   "The response to a ping is sent with the context of the POST on whose stream it came, which ends with the response to that POST.",
	},
	{
		client: "mcpgo", id: "CL-20", revisions: []string{"2024-11-05"}, transports: []string{"sse"},
		verdict: reports.Fail, section: "basic/utilities/ping#behavior-requirements",
		ruling: "A ping has to be answered in every transport.",
		seen:   "Over HTTP+SSE requests of the server are dropped.",
	},
	{
		client: "inspector", id: "CL-29", revisions: streamable, transports: []string{"http"},
		verdict: reports.Warn, section: "basic/transports#session-management",
		ruling: "A session that is no longer needed should be ended by a DELETE.",
		seen:   "Each call makes a session and leaves it to the server.",
	},
}
