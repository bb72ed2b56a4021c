package requirement

// annRows are the requirements on annotations on resources and templates.
var annRows = []Requirement{
	{
		ID:    "ANN-01",
		Title: "Annotations have the right types",
		Text:  "On resources and templates, annotations is an object, audience an array, priority a number and, from 2025-06-18 on, lastModified a string.",
		Level: Must, Grade: Fail, Basis: Schema,
		Revisions: all(), Transports: everywhere(),
		Sections: []Section{
			schema(R20250326, R20260728, "Annotations"),
			schema(R20241105, R20241105, "Annotated"),
			schema(R20241105, R20260728, "Resource"),
			schema(R20241105, R20260728, "ResourceTemplate"),
		},
		Tolerated: "Unknown members are legal.",
		Since:     "0.1",
	},
	{
		ID:    "ANN-03",
		Title: "Audience entries are user or assistant",
		Text:  "Each entry of annotations.audience is \"user\" or \"assistant\".",
		Level: Must, Grade: Fail, Basis: Schema,
		Revisions: all(), Transports: everywhere(),
		Sections: []Section{
			schema(R20241105, R20260728, "Role"),
			sec(R20250618, R20260728, "server/resources", "annotations"),
		},
		Tolerated: "An entry may occur twice.",
		Since:     "0.1",
	},
	{
		ID:    "ANN-05",
		Title: "Priority lies between 0 and 1",
		Text:  "annotations.priority is at least 0 and at most 1.",
		Level: Must, Grade: Fail, Basis: Schema,
		Revisions: all(), Transports: everywhere(),
		Sections: []Section{
			schema(R20250326, R20260728, "Annotations"),
			sec(R20250618, R20260728, "server/resources", "annotations"),
			schema(R20241105, R20241105, "Annotated"),
		},
		Tolerated: "Both ends are included.",
		Since:     "0.1",
	},
	{
		ID:    "ANN-07",
		Title: "The last modification is an ISO 8601 time",
		Text:  "annotations.lastModified is a date and time in the form of ISO 8601.",
		Level: Should, Grade: Warn, Basis: SchemaDoc,
		Revisions: since(R20250618), Transports: stdioHTTP(),
		Sections: []Section{
			schema(R20250618, R20260728, "Annotations"),
			sec(R20250618, R20260728, "server/resources", "annotations"),
		},
		Tolerated: "Basic and extended forms, plain dates, fractions and a missing offset are ISO 8601 as well.",
		Since:     "0.1",
	},
}
