package main

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

const pythonHead = `# Written by packages/clients from the description of the interface; do not edit.
"""The client of the admin interface of a mock server."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, TypedDict
from urllib.error import HTTPError
from urllib.parse import quote, urlencode
from urllib.request import ProxyHandler, Request, build_opener

if TYPE_CHECKING:
    from typing import Literal

    from typing_extensions import Required


class AdminError(Exception):
    """What the interface refuses: its code, its sentence and, where there is one, the member that is wrong."""

    def __init__(self, status: int, problem: dict[str, Any]) -> None:
        super().__init__(f"the admin interface answers {status} ({problem['code']}): {problem['message']}")
        self.status = status
        self.code: str = problem["code"]
        self.field: str | None = problem.get("field")


class Admin:
    """Steers a mock server by its admin interface, at an address such as http://127.0.0.1:4000."""

    def __init__(self, address: str, *, token: str | None = None) -> None:
        self.address = address.rstrip("/")
        self._headers = {"Authorization": f"Bearer {token}"} if token else {}
        self._opener = build_opener(ProxyHandler({}))

    def _call(self, method: str, path: str, query: dict[str, Any] | None = None, body: Any = None) -> Any:
        given = {name: value for name, value in (query or {}).items() if value is not None}
        for name, value in given.items():
            if isinstance(value, bool):
                given[name] = str(value).lower()
        if given:
            path += "?" + urlencode(given, doseq=True)
        request = Request(self.address + path, method=method, headers=self._headers)
        if body is not None:
            request.data = json.dumps(body).encode()
            request.add_header("Content-Type", "application/json")
        try:
            with self._opener.open(request) as answer:
                text = answer.read()
        except HTTPError as refused:
            with refused:
                text = refused.read()
            try:
                problem = json.loads(text)["error"]
            except (ValueError, KeyError, TypeError):
                problem = {"code": "internal", "message": "an answer that is not of this interface: is the address right?"}
            raise AdminError(refused.code, problem) from None
        return json.loads(text) if text else None
`

// python is the client with its types.
func (a api) python() []byte {
	var b bytes.Buffer
	b.WriteString(pythonHead)
	for _, c := range a.calls {
		path := strconv.Quote(c.path)
		arguments, called := []string{"self"}, ""
		for _, p := range c.inPath {
			path = strings.ReplaceAll(path, "{"+p.Name+"}", "{quote("+snake(p.Name)+", safe='')}")
			arguments = append(arguments, snake(p.Name)+": str")
		}
		if len(c.inPath) > 0 {
			path = "f" + path
		}
		if c.takes != nil {
			arguments = append(arguments, "body: "+python(*c.takes))
			called = ", body=body"
		}
		if len(c.inQuery) > 0 {
			arguments = append(arguments, "*")
			var given []string
			for _, p := range c.inQuery {
				of, none := python(p.Schema), ""
				if !p.Required {
					none = " | None = None"
				}
				arguments = append(arguments, snake(p.Name)+": "+of+none)
				given = append(given, strconv.Quote(p.Name)+": "+snake(p.Name))
			}
			called = ", {" + strings.Join(given, ", ") + "}" + called
		}
		gives, give := "None", ""
		if c.gives != nil {
			gives, give = python(*c.gives), "return "
		}
		fmt.Fprintf(&b, "\n    def %s(%s) -> %s:\n        %q\n        %sself._call(%q, %s%s)\n", snake(c.id), strings.Join(arguments, ", "), gives, c.summary, give, c.method, path, called)
	}
	b.WriteString("\n\n# Functions make the types, since some members have the names of keywords.\n")
	for _, t := range a.types {
		b.WriteByte('\n')
		if t.Description != "" {
			b.WriteString(wrap(t.Description, "#", 120))
		}
		fmt.Fprintf(&b, "%s = TypedDict(\n    %q,\n    {\n", t.name, t.name)
		for _, name := range t.members() {
			m := t.Properties[name]
			if m.Description != "" {
				b.WriteString(wrap(m.Description, "        #", 120))
			}
			of := python(m)
			if slices.Contains(t.Required, name) {
				of = "Required[" + of + "]"
			}
			fmt.Fprintf(&b, "        %q: %q,\n", name, of)
		}
		b.WriteString("    },\n    total=False,\n)\n")
	}
	return b.Bytes()
}

var capital = regexp.MustCompile("[A-Z]")

// snake is a name as Python writes it.
func snake(name string) string {
	return capital.ReplaceAllStringFunc(name, func(c string) string { return "_" + strings.ToLower(c) })
}

// python is the type of what a schema describes.
func python(s schema) string {
	switch {
	case s.Ref != "":
		return s.reference()
	case len(s.Enum) > 0:
		return "Literal['" + strings.Join(s.Enum, "', '") + "']"
	}
	switch s.Type {
	case "string":
		return "str"
	case "number":
		return "float"
	case "boolean":
		return "bool"
	case "integer":
		return "int"
	case "array":
		return "list[" + python(*s.Items) + "]"
	case "object":
		if v := s.values(); v != nil {
			return "dict[str, " + python(*v) + "]"
		}
		return "dict[str, Any]"
	}
	return "Any"
}
