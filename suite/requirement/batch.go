package requirement

// batchRows is the area BATCH: JSON-RPC batches, which came with 2025-03-26 and
// went with 2025-06-18.
var batchRows = []Requirement{
	{
		ID: "BATCH-01", Title: "A batch of requests is processed",
		Text:  "After the handshake the server takes an array of requests and answers every one of them.",
		Level: Must, Grade: Fail, Basis: Normative,
		Revisions: only(R20250326), Transports: stdioHTTP(),
		Sections: []Section{
			secIn(R20250326, "basic/index", "batching"),
			secIn(R20250326, "basic/transports", "sending-messages-to-the-server"),
			secIn(R20250326, "basic/transports", "stdio"),
		},
		Tolerated: "Responses in any order and any form: one array, single objects, several lines or events.",
		Since:     "0.1",
	},
	{
		ID: "BATCH-02", Title: "A batch of notifications draws no response",
		Text:  "An array that holds nothing but notifications leads to no JSON-RPC output, not even to an empty array.",
		Level: Must, Grade: Fail, Basis: Normative,
		Revisions: only(R20250326), Transports: stdioHTTP(),
		Sections: []Section{
			secIn(R20250326, "basic/index", "notifications"),
			secIn(R20250326, "basic/transports", "sending-messages-to-the-server"),
			doc("JSON-RPC 2.0", "batch"),
		},
		Tolerated: "An HTTP error status, by which a server refuses the input.",
		Since:     "0.1",
	},
	{
		ID: "BATCH-03", Title: "Notifications in a mixed batch stay unanswered",
		Text:  "An array of requests and notifications yields as many responses as it has requests.",
		Level: Must, Grade: Fail, Basis: Normative,
		Revisions: only(R20250326), Transports: stdioHTTP(),
		Sections: []Section{
			secIn(R20250326, "basic/index", "notifications"),
			secIn(R20250326, "basic/index", "batching"),
			doc("JSON-RPC 2.0", "batch"),
		},
		Tolerated: "Responses in any order and any form.",
		Since:     "0.1",
	},
	{
		ID: "BATCH-04", Title: "A faulty batch spoils only its faulty members",
		Text:  "An empty array is answered with one error object, and an invalid member does not keep the valid ones from being answered.",
		Level: Must, Grade: Warn, Basis: External,
		Revisions: only(R20250326), Transports: stdioHTTP(),
		Sections: []Section{
			secIn(R20250326, "basic/index", "batching"),
			doc("JSON-RPC 2.0", "batch"),
		},
		Tolerated: "For the empty array, any 4xx status.",
		Since:     "0.1",
	},
	{
		ID: "BATCH-07", Title: "The server sends no arrays",
		Text:  "No line, body or event of the server is a JSON array, since batches are no longer part of the protocol.",
		Level: Must, Grade: Fail, Basis: Schema,
		Revisions: since(R20250618), Transports: stdioHTTP(),
		Sections: []Section{
			schema(R20250618, R20260728, "JSONRPCMessage"),
			sec(R20250618, R20251125, "basic/transports", "stdio"),
		},
		Tolerated: "Every reaction to an array from the client, so long as the server lives: none is laid down.",
		Since:     "0.1",
	},
}
