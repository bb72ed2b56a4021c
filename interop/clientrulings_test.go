package interop

import "github.com/mcpcheck/mcpcheck/reports"

// clientRulings are all red verdicts against the clients of this package.
var clientRulings = []clientRuling{
	{
		client: "mcpgo", id: "CL-05", revisions: []string{"2025-06-18", "2025-11-25"},
		transports: []string{"http"},
		verdict:    reports.Fail, section: "basic/transports#protocol-version-header", sometimes: true,
		ruling: "Every HTTP request after the handshake has to name the version, and a GET is one.",
		seen: "The GET of the continuous listening goes out as soon as there is a session id, sometimes " +
			"before the version is kept.",
	},
	{
		client: "mcpgo", id: "CL-20", revisions: streamable, transports: []string{"http"},
		verdict: reports.Fail, section: "basic/utilities/ping#behavior-requirements", sometimes: true,
		ruling: "A ping has to be answered, on whatever stream it comes; that the stream has ended " +
			"meanwhile is no reason not to.",
		seen: "The response to a ping is sent with the context of the POST on whose stream it came," +
			" which ends with the response to that POST.",
	},
	{
		client: "mcpgo", id: "CL-20", revisions: []string{"2024-11-05"}, transports: []string{"sse"},
		verdict: reports.Fail, section: "basic/utilities/ping#behavior-requirements",
		ruling: "A ping has to be answered in every transport.",
		seen:   "Over HTTP+SSE requests of the server are dropped.",
	},
	{
		client: "mcpgo", id: "CL-30", revisions: []string{"2025-11-25"}, transports: []string{"http"},
		verdict: reports.Warn, flags: "--provoke-stream",
		section: "basic/transports#resumability-and-redelivery", sometimes: true,
		ruling: "A stream whose events had ids is resumed by naming the last one; what came meanwhile is " +
			"lost to who opens another.",
		seen: "The GET of the continuous listening is sent anew without Last-Event-ID when its stream " +
			"has ended.",
	},
	{
		client: "mcpgo", id: "CL-42", revisions: []string{modern}, transports: []string{"http"},
		verdict: reports.Fail, flags: "--quirk=empty-cursor --page-size=3",
		section: "server/utilities/pagination#implementation-guidelines",
		ruling:  "The text names the empty string as a cursor that must not be treated as the end of a list.",
		seen: "A nextCursor is a string that is empty where there is none, so that an empty one ends " +
			"the list.",
	},
	{
		client: "gosdk", id: "CL-42", revisions: []string{modern}, transports: []string{"http"},
		verdict: reports.Fail, flags: "--quirk=empty-cursor --page-size=3",
		section: "server/utilities/pagination#implementation-guidelines",
		ruling:  "The text names the empty string as a cursor that must not be treated as the end of a list.",
		seen:    "The iterators end where NextCursor is empty, which is how a missing one is read as well.",
	},
	{
		client: "inspector", id: "CL-29", revisions: streamable, transports: []string{"http"},
		verdict: reports.Warn, section: "basic/transports#session-management",
		ruling: "A session that is no longer needed should be ended by a DELETE.",
		seen:   "Each call makes a session and leaves it to the server.",
	},
}
