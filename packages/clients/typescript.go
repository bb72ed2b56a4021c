package main

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

const javascriptHead = `// Written by packages/clients from the description of the interface; do not edit.

/** What the interface refuses: its code, its sentence and, where there is one, the member that is wrong. */
export class AdminError extends Error {
  constructor(status, problem) {
    super(` + "`the admin interface answers ${status} (${problem.code}): ${problem.message}`" + `);
    this.name = "AdminError";
    this.status = status;
    this.code = problem.code;
    this.field = problem.field;
  }
}

/** Steers a mock server by its admin interface. */
export class Admin {
  #token;

  constructor(address, { token } = {}) {
    this.address = address.replace(/\/+$/, "");
    this.#token = token;
  }

  async #call(method, path, query, body) {
    const url = new URL(this.address + path);
    for (const [name, value] of Object.entries(query ?? {}))
      for (const one of [value].flat()) if (one !== undefined) url.searchParams.append(name, String(one));
    const headers = {};
    if (body !== undefined) headers["Content-Type"] = "application/json";
    if (this.#token) headers.Authorization = ` + "`Bearer ${this.#token}`" + `;
    const answer = await fetch(url, { method, headers, body: body === undefined ? undefined : JSON.stringify(body) });
    const text = await answer.text();
    let value;
    try {
      value = text === "" ? undefined : JSON.parse(text);
    } catch {
      // It is no answer of the interface; a refusal says so.
    }
    if (answer.ok) return value;
    throw new AdminError(answer.status, value?.error ?? { code: "internal", message: "an answer that is not of this interface: is the address right?" });
  }
`

const declarationsHead = `// Written by packages/clients from the description of the interface; do not edit.

/** What the interface refuses: its code, its sentence and, where there is one, the member that is wrong. */
export class AdminError extends Error {
  readonly status: number;
  readonly code: string;
  readonly field?: string;
}

/** Steers a mock server by its admin interface. */
export class Admin {
  readonly address: string;

  /** The address is as in http://127.0.0.1:4000. */
  constructor(address: string, options?: { token?: string });
`

// javascript is the client.
func (a api) javascript() []byte {
	var b bytes.Buffer
	b.WriteString(javascriptHead)
	for _, c := range a.calls {
		path, query, in := strconv.Quote(c.path), "undefined", "undefined"
		var arguments []string
		for _, p := range c.inPath {
			path = strings.ReplaceAll(path, "{"+p.Name+"}", "${encodeURIComponent("+p.Name+")}")
			arguments = append(arguments, p.Name)
		}
		if len(c.inPath) > 0 {
			path = "`" + strings.Trim(path, `"`) + "`"
		}
		if len(c.inQuery) > 0 {
			query = "query"
			arguments = append(arguments, query)
		}
		if c.takes != nil {
			in = "body"
			arguments = append(arguments, in)
		}
		called := []string{strconv.Quote(c.method), path, query, in}
		for called[len(called)-1] == "undefined" {
			called = called[:len(called)-1]
		}
		fmt.Fprintf(&b, "\n  /** %s */\n  %s(%s) {\n    return this.#call(%s);\n  }\n", c.summary, c.id, strings.Join(arguments, ", "), strings.Join(called, ", "))
	}
	b.WriteString("}\n")
	return b.Bytes()
}

// declarations is the types of the client.
func (a api) declarations() []byte {
	var b bytes.Buffer
	b.WriteString(declarationsHead)
	for _, c := range a.calls {
		var arguments []string
		for _, p := range c.inPath {
			arguments = append(arguments, p.Name+": string")
		}
		if len(c.inQuery) > 0 {
			var members []string
			for _, p := range c.inQuery {
				members = append(members, p.Name+optional(p.Required)+": "+typescript(p.Schema))
			}
			arguments = append(arguments, "query"+optional(c.needsQuery())+": { "+strings.Join(members, "; ")+" }")
		}
		if c.takes != nil {
			arguments = append(arguments, "body: "+typescript(*c.takes))
		}
		gives := "void"
		if c.gives != nil {
			gives = typescript(*c.gives)
		}
		fmt.Fprintf(&b, "\n  /** %s */\n  %s(%s): Promise<%s>;\n", c.summary, c.id, strings.Join(arguments, ", "), gives)
	}
	b.WriteString("}\n")
	for _, t := range a.types {
		b.WriteByte('\n')
		if t.Description != "" {
			fmt.Fprintf(&b, "/** %s */\n", comment(t.Description))
		}
		fmt.Fprintf(&b, "export interface %s {\n", t.name)
		for _, name := range t.members() {
			m := t.Properties[name]
			if m.Description != "" {
				fmt.Fprintf(&b, "  /** %s */\n", comment(m.Description))
			}
			fmt.Fprintf(&b, "  %s%s: %s;\n", name, optional(slices.Contains(t.Required, name)), typescript(m))
		}
		b.WriteString("}\n")
	}
	return b.Bytes()
}

// comment is a text within a comment, which it does not end.
func comment(text string) string { return strings.ReplaceAll(text, "*/", "*\\/") }

func optional(required bool) string {
	if required {
		return ""
	}
	return "?"
}

// typescript is the type of what a schema describes.
func typescript(s schema) string {
	switch {
	case s.Ref != "":
		return s.reference()
	case len(s.Enum) > 0:
		var quoted []string
		for _, e := range s.Enum {
			quoted = append(quoted, strconv.Quote(e))
		}
		return strings.Join(quoted, " | ")
	}
	switch s.Type {
	case "string", "number", "boolean":
		return s.Type
	case "integer":
		return "number"
	case "array":
		return "Array<" + typescript(*s.Items) + ">"
	case "object":
		if v := s.values(); v != nil {
			return "Record<string, " + typescript(*v) + ">"
		}
		return "Record<string, any>"
	}
	return "any"
}
