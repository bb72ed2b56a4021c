package requirement

// iconRows are the requirements on icons of resources, templates and the server.
var iconRows = []Requirement{
	{
		ID:    "ICON-01",
		Title: "Icons have the right shape",
		Text:  "icons is an array of objects, each with a string src and optionally a string mimeType, an array of strings sizes and a theme of light or dark.",
		Level: Must, Grade: Fail, Basis: Schema,
		Revisions: since(R20251125), Transports: stdioHTTP(),
		Sections: []Section{
			schema(R20251125, R20260728, "Icon"),
			schema(R20251125, R20260728, "Icons"),
			sec(R20251125, R20260728, "basic/index", "icons"),
			schema(R20251125, R20260728, "Implementation"),
			schema(R20251125, R20260728, "ResourceTemplate"),
		},
		Tolerated: "Carriers are resources, templates and the server's own description. Earlier revisions know no icons and let any member pass.",
		Since:     "0.1",
	},
	{
		ID:    "ICON-03",
		Title: "An icon's src is an absolute URI",
		Text:  "The src of an icon is a URI with a scheme, by the grammar of RFC 3986.",
		Level: Must, Grade: Fail, Basis: Schema,
		Revisions: since(R20251125), Transports: stdioHTTP(),
		Sections:  []Section{schema(R20251125, R20260728, "Icon")},
		Tolerated: "A data URI may be of any length.",
		Since:     "0.1",
	},
	{
		ID:    "ICON-04",
		Title: "Icons use http, https or data",
		Text:  "The src of an icon has the scheme http, https or data.",
		Level: Should, Grade: Warn, Basis: SchemaDoc,
		Revisions: since(R20251125), Transports: stdioHTTP(),
		Sections: []Section{
			sec(R20251125, R20260728, "basic/index", "icons"),
			schema(R20251125, R20260728, "Icon"),
		},
		Tolerated: "Plain http is in the list, although clients are advised to want https. No keyword binds the server, so this only warns.",
		Since:     "0.1",
	},
	{
		ID:    "ICON-05",
		Title: "Data icons are Base64-encoded images",
		Text:  "An icon given as a data URI has an image type and Base64 data that can be decoded.",
		Level: Should, Grade: Warn, Basis: SchemaDoc,
		Revisions: since(R20251125), Transports: stdioHTTP(),
		Sections: []Section{
			sec(R20251125, R20260728, "basic/index", "icons"),
			schema(R20251125, R20260728, "Icon"),
		},
		Tolerated: "No keyword binds the server, so percent-encoded SVG and the like only warn.",
		Since:     "0.1",
	},
	{
		ID:    "ICON-08",
		Title: "Icon sizes are WxH or any",
		Text:  "Each entry of an icon's sizes is a width and height such as 48x48, or \"any\".",
		Level: Should, Grade: Warn, Basis: SchemaDoc,
		Revisions: since(R20251125), Transports: stdioHTTP(),
		Sections: []Section{
			schema(R20251125, R20260728, "Icon"),
			sec(R20251125, R20260728, "basic/index", "icons"),
		},
		Tolerated: "The wording is lower-case, so other forms only warn.",
		Since:     "0.1",
	},
}
