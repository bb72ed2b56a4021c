package requirement

// progRows are the requirements on progress notifications.
var progRows = []Requirement{
	{
		ID:    "PROG-01",
		Title: "Progress refers to an active request",
		Text:  "A progress notification carries a token that an open request supplied.",
		Level: Must, Grade: Fail, Basis: Normative,
		Revisions: all(), Transports: everywhere(),
		Sections: []Section{
			secIn(R20260728, "basic/patterns/progress", "behavior-requirements"),
			sec(R20241105, R20251125, "basic/utilities/progress", "behavior-requirements"),
		},
		Tolerated: "A server may send none.",
		Since:     "0.1",
	},
	{
		ID:    "PROG-02",
		Title: "Progress returns the token unchanged",
		Text:  "A progress notification repeats the token in value and type; progress and total are numbers and message a string.",
		Level: Must, Grade: Fail, Basis: Schema,
		Revisions: all(), Transports: everywhere(),
		Sections: []Section{
			schema(R20241105, R20250618, "ProgressNotification"),
			schema(R20251125, R20260728, "ProgressNotificationParams"),
		},
		Since: "0.1",
	},
	{
		ID:    "PROG-03",
		Title: "Progress increases",
		Text:  "The progress value of one token grows from notification to notification.",
		Level: Must, Grade: Fail, Basis: Normative,
		Revisions: all(), Transports: everywhere(),
		Sections: []Section{
			secIn(R20260728, "basic/patterns/progress", "progress-flow"),
			sec(R20241105, R20251125, "basic/utilities/progress", "progress-flow"),
		},
		Tolerated: "The total may be missing, and values may be fractional.",
		Since:     "0.1",
	},
	{
		ID:    "PROG-04",
		Title: "Progress stops with the response",
		Text:  "No progress notification for a request follows its response.",
		Level: Must, Grade: Fail, Basis: Normative,
		Revisions: all(), Transports: everywhere(),
		Sections: []Section{
			secIn(R20260728, "basic/patterns/progress", "implementation-notes"),
			sec(R20241105, R20251125, "basic/utilities/progress", "implementation-notes"),
		},
		Tolerated: "Over HTTP, streams of one session may overtake one another by a moment.",
		Since:     "0.1",
	},
	{
		ID:    "PROG-06",
		Title: "A progress token obliges to nothing",
		Text:  "A request with a string or integer progress token is served like one without; the server need not report progress.",
		Level: May, Grade: Control, Basis: Normative,
		Revisions: all(), Transports: everywhere(),
		Sections: []Section{
			secIn(R20260728, "basic/patterns/progress", "behavior-requirements"),
			sec(R20241105, R20251125, "basic/utilities/progress", "behavior-requirements"),
		},
		Tolerated: "The absence of progress is never held against a server.",
		Since:     "0.1",
	},
}
