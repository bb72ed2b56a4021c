package target

// preamble opens every target file that is written.
const preamble = `
# A target file of mcpcheck: the server under test, and what a run may rely on.
# Run it with: mcpcheck run --config FILE
#
# Only endpoints is needed. Everything else lets further requirements be judged;
# a report says for each one that was not judged what to add here.
# To use a suggestion, remove the # at the beginning of its lines. Those under
# "found" were seen on the server; those under "example" are made up. What is marked
# "not tried" is a guess: a tool is never called to find out what it does.
#
# Values of headers and environment variables are masked in reports. They may be
# written as NAME: value, where ${VARIABLE} stands for a variable of the
# environment, as NAME: {env: VARIABLE}, or as NAME: {value: v, public: true} if
# they are no secret. Durations are written as 500ms, 10s, 1m30s.
`

// docs explains the fields in the files that are written.
var docs = map[string]string{
	"name": "What reports call the server; if left out, its address.",
	"endpoints": `The ways to reach the server. Each has either a command (with env and dir) or a
url (with headers, ca-file and transport), and may have a name, revisions of its
own, and instances: how many copies of the program may run at once, or sessions
at the url be open at once.`,
	"revisions": "Revisions to try; if left out, all that the server speaks.",
	"subjects":  "Resources, templates and completions whose behaviour is known.",
	"subjects.texts": `Text resources that do not change. The text must agree character for character;
with contains: true it is a part. mime-type is optional.`,
	"subjects.blobs":              "Binary resources that do not change: base64, or sha256 with or without size.",
	"subjects.missing":            "URIs that certainly lead to nothing.",
	"subjects.complete":           "Every URI that resources/list delivers, over all pages.",
	"subjects.complete-templates": "Every URI template that resources/templates/list delivers.",
	"subjects.templates": `Arguments for templates: values before percent-encoding, and the text that a read
yields (text, or a part of it with contains: true), or missing: true.`,
	"subjects.completions": `Arguments of templates with values that completion must suggest, and values that
it must never suggest. prefix is what was typed, context the other arguments.`,
	"subjects.broken": "A resource whose backend fails on every read, or after triggers.break.",
	"subjects.slow":   "A resource that takes a while to read; progress: true if it reports progress.",
	"subjects.input": `A resource whose read asks for input first (2026-07-28): the answers by the key of
the request ("*" for any other), the client capabilities it requires, whether a
changed requestState must be refused, and the text in the end.`,
	"subjects.protected": "Resources that one of the identities must not see.",
	"subjects.roots": `Directories served under file: URIs, with a file outside (canary: by uri or path,
and a marker of at least 8 bytes that it contains). sibling is a file with the
marker in a directory beside the root whose name begins like it, symlink a link
to the canary inside the root, which counts only with forbid-links: true, and
template a URI template that takes a path below the root.`,
	"triggers": `How to make the server change: exec (a command that exits with 0), http (a request
answered by 2xx), tool (a tool of the server itself), or wait (it changes by
itself within a time).`,
	"triggers.update":       "Changes the contents of the resource.",
	"triggers.update-other": "Changes another resource that has nothing to do with the first.",
	"triggers.add":          "Makes a resource appear in the list; uri if it is known before.",
	"triggers.remove":       "Makes a resource disappear from the list.",
	"triggers.break":        "Makes reads of the resource fail on the server's side.",
	"triggers.shutdown":     "Makes the server end its subscriptions, or itself, in order.",
	"identities": `Other callers: headers or env that replace those of the endpoints, and their
rights: equal, weaker (sees less), foreign (a credential for another server) or
none (no valid credential).`,
	"authorization": `How the server finds out who calls over HTTP: protocol (as the specification's
authorization page has it), own (a scheme of its own) or none.`,
	"origins": "Origins of web pages that the server accepts.",
	"allow": `What is intended: any-origin (requests from any web page), public-bind (reached
from other machines), fetch-https (the run may fetch listed https URIs).`,
	"opt-out":                 "Requirements that are not to be judged, each with a reason.",
	"secrets":                 "Further values to be masked in reports.",
	"limits":                  "Bounds of a run; flags of the command line stand above them.",
	"limits.timeout":          "One request.",
	"limits.start-timeout":    "From the start of the server to its first answer.",
	"limits.budget":           "The whole run.",
	"limits.quiet-window":     "How long silence is watched.",
	"limits.jobs":             "Scenarios at once.",
	"limits.rate":             "Requests per second.",
	"limits.message-bytes":    "Size of one incoming message.",
	"limits.connection-bytes": "Size of everything that comes in over one connection.",
}

// suggestions stand in for fields that are not set, where nothing better was
// found.
var suggestions = map[string]string{
	"endpoint with a url": `- url: https://example.com/mcp
  transport: auto # or http, sse
  headers:
    Authorization: "Bearer ${MY_SERVER_TOKEN}"
  ca-file: ca.pem`,
	"endpoint with a command": `- command: [my-server, --stdio]
  env: {LOG_LEVEL: {value: debug, public: true}}
  dir: .
  instances: 1 # copies at once; 0 is no limit`,
	"subjects.texts":              "texts:\n  - uri: file:///notes.txt\n    text: \"hello\\n\"\n    mime-type: text/plain",
	"subjects.blobs":              "blobs:\n  - uri: file:///logo.png\n    base64: iVBORw0KGgo=\n    mime-type: image/png",
	"subjects.missing":            "missing:\n  - file:///does-not-exist",
	"subjects.complete":           "complete:\n  - file:///notes.txt\n  - file:///logo.png",
	"subjects.complete-templates": "complete-templates:\n  - \"notes://{id}\"",
	"subjects.templates":          "templates:\n  - template: \"notes://{id}\"\n    arguments:\n      - vars: {id: \"1\"}\n        text: first note\n      - vars: {id: \"999\"}\n        missing: true",
	"subjects.completions":        "completions:\n  - template: \"notes://{id}\"\n    argument: id\n    prefix: \"1\"\n    values: [\"1\", \"10\"]",
	"subjects.broken":             "broken: db:///unreachable",
	"subjects.slow":               "slow:\n  uri: report://yearly\n  at-least: 2s\n  progress: true",
	"subjects.input":              "input:\n  uri: vault://secret\n  answers:\n    \"*\": {action: accept, content: {pin: \"1234\"}}\n  requires: [elicitation]\n  state-matters: true",
	"subjects.protected":          "protected:\n  - uri: file:///admin.txt\n    identity: guest",
	"subjects.roots":              "roots:\n  - root: file:///srv/data\n    canary: {path: /srv/canary.txt, content: canary-5f0c9d2e}\n    sibling: file:///srv/data-old/canary.txt\n    symlink: file:///srv/data/link.txt\n    forbid-links: true",
	"triggers.update":             "update:\n  uri: file:///notes.txt\n  exec:\n    command: [sh, -c, \"date >> /srv/data/notes.txt\"]\n    timeout: 5s",
	"triggers.update-other":       "update-other:\n  uri: file:///logo.png\n  http:\n    method: POST\n    url: http://127.0.0.1:9000/touch/logo",
	"triggers.add":                "add:\n  tool:\n    name: create_note\n    arguments: {title: new}",
	"triggers.remove":             "remove:\n  exec: {command: [rm, -f, /srv/data/new.txt]}",
	"triggers.break":              "break:\n  uri: db:///table\n  http: {url: \"http://127.0.0.1:9000/break\"}",
	"triggers.shutdown":           "shutdown:\n  wait: {for: 30s}",
	"identities":                  "identities:\n  - name: guest\n    rights: weaker\n    headers:\n      Authorization: \"Bearer ${GUEST_TOKEN}\"",
	"opt-out":                     "opt-out:\n  - id: SEC-06\n    reason: runs in a container",
	"limits.timeout":              "timeout: 10s",
	"limits.start-timeout":        "start-timeout: 30s",
	"limits.budget":               "budget: 5m",
	"limits.quiet-window":         "quiet-window: 300ms",
	"limits.jobs":                 "jobs: 8",
	"limits.rate":                 "rate: 20",
	"limits.message-bytes":        "message-bytes: 16777216",
	"limits.connection-bytes":     "connection-bytes: 67108864",
}
