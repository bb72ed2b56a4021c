package fault

import (
	"context"
	"encoding/base64"
	"strings"

	"github.com/mcpcheck/mcpcheck/reference/hook"
)

// Faults of what resources/read yields.
func init() {
	Register(
		Fault{
			Name: "read-01-single-object", Requirement: "READ-01",
			Summary: "contents is a single object instead of an array",
			Hooks: hook.EditResult(hook.MethodRead, func(result hook.Object) {
				if items, ok := result["contents"].([]any); ok && len(items) == 1 {
					result["contents"] = items[0]
				}
			}),
		},
		Fault{
			Name: "read-02-null-uri", Requirement: "READ-02",
			Summary: "contents have a null uri",
			Hooks:   hook.EditEachContent(func(_ int, c hook.Object) { c["uri"] = nil }),
		},
		Fault{
			Name: "read-02-no-uri-of-expansions", Requirement: "READ-02",
			Summary: "contents have no uri where a template was expanded",
			Hooks: readsOf(func(uri string) bool { return strings.HasPrefix(uri, "log://app/2") }, func(ctx context.Context, c *hook.Call, next hook.Handler) *hook.Reply {
				r := next(ctx, c)
				if r != nil && r.Error == nil {
					items, _ := r.Result["contents"].([]any)
					for _, i := range items {
						if content, ok := i.(hook.Object); ok {
							delete(content, "uri")
						}
					}
				}
				return r
			}),
		},
		Fault{
			Name: "read-02-capital-uri", Requirement: "READ-02",
			Summary: "the uri of contents is written in capital letters",
			Hooks: hook.EditEachContent(func(_ int, c hook.Object) {
				c["URI"] = c["uri"]
				delete(c, "uri")
			}),
		},
		Fault{
			Name: "read-03-capital-text", Requirement: "READ-03",
			Summary: "the text of contents is called Text",
			Hooks: hook.EditEachContent(func(_ int, c hook.Object) {
				if text, ok := c["text"]; ok {
					c["Text"] = text
					delete(c, "text")
				}
			}),
		},
		Fault{
			Name: "read-02-null-mime-type", Requirement: "READ-02",
			Summary: "contents without a type have a null mimeType",
			Hooks: hook.EditEachContent(func(_ int, c hook.Object) {
				if _, typed := c["mimeType"]; !typed {
					c["mimeType"] = nil
				}
			}),
		},
		Fault{
			Name: "read-03-no-content", Requirement: "READ-03",
			Summary: "binary contents have neither text nor blob",
			Hooks:   hook.EditEachContent(func(_ int, c hook.Object) { delete(c, "blob") }),
		},
		Fault{
			Name: "read-03-embedded-json", Requirement: "READ-03",
			Summary: "a JSON document is embedded as an object",
			Hooks: hook.EditEachContent(func(_ int, c hook.Object) {
				if text, ok := c["text"].(string); ok && c["mimeType"] == "application/json" {
					if document, err := hook.Decode([]byte(text)); err == nil {
						c["text"] = document
					}
				}
			}),
		},
		Fault{
			Name: "read-04-text-and-blob", Requirement: "READ-04",
			Summary: "text comes as a blob as well",
			Hooks: hook.EditEachContent(func(_ int, c hook.Object) {
				if text, ok := c["text"].(string); ok {
					c["blob"] = base64.StdEncoding.EncodeToString([]byte(text))
				}
			}),
		},
		Fault{
			Name: "read-07-no-padding", Requirement: "READ-07",
			Summary: "blobs lack their padding",
			Hooks:   editBlobs(func(blob string) string { return strings.TrimRight(blob, "=") }),
		},
		Fault{
			Name: "read-08-line-breaks", Requirement: "READ-08",
			Summary: "blobs are broken into lines of 76 characters",
			Hooks: editBlobs(func(blob string) string {
				const width = 76
				var lines []string
				for len(blob) > width {
					lines, blob = append(lines, blob[:width]), blob[width:]
				}
				return strings.Join(append(lines, blob), "\r\n")
			}),
		},
		Fault{
			Name: "read-09-pad-bits", Requirement: "READ-09",
			Summary: "the unused bits of a blob's last letter are not zero",
			Hooks: editBlobs(func(blob string) string {
				letters := strings.TrimRight(blob, "=")
				if len(letters) == len(blob) {
					return blob
				}
				const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
				last := len(letters) - 1
				value := strings.IndexByte(alphabet, letters[last])
				return letters[:last] + string(alphabet[value|1]) + blob[last+1:]
			}),
		},
		Fault{
			Name: "read-12-binary-as-text", Requirement: "READ-12",
			Summary: "an image comes as text with replacement characters",
			Hooks: hook.EditEachContent(func(_ int, c hook.Object) {
				blob, _ := c["blob"].(string)
				data, err := base64.StdEncoding.DecodeString(blob)
				if err == nil && c["mimeType"] == "image/png" {
					delete(c, "blob")
					c["text"] = strings.ToValidUTF8(string(data), "\uFFFD")
				}
			}),
		},
		Fault{
			Name: "read-13-mojibake", Requirement: "READ-13",
			Summary: "text is taken for Latin-1 and encoded once more",
			Hooks: hook.EditEachContent(func(_ int, c hook.Object) {
				if text, ok := c["text"].(string); ok {
					c["text"] = doubleEncoded(text)
				}
			}),
		},
		Fault{
			Name: "read-13-line-ends", Requirement: "READ-13",
			Summary: "CR LF in a text becomes LF",
			Hooks: hook.EditEachContent(func(_ int, c hook.Object) {
				if text, ok := c["text"].(string); ok {
					c["text"] = strings.ReplaceAll(text, "\r\n", "\n")
				}
			}),
		},
		Fault{
			Name: "read-14-double-base64", Requirement: "READ-14",
			Summary: "blobs are base64 of base64",
			Hooks:   doubleBase64(),
		},
		Fault{
			Name: "read-15-double-base64", Requirement: "READ-15",
			Summary: "the blob of an image decodes to base64 once more",
			Hooks:   doubleBase64(),
		},
		Fault{
			Name: "read-15-other-type", Requirement: "READ-15",
			Summary: "an image is declared as a JPEG, which it is not",
			Hooks: hook.EditEachContent(func(_ int, c hook.Object) {
				if c["mimeType"] == "image/png" {
					c["mimeType"] = "image/jpeg"
				}
			}),
		},
		Fault{
			Name: "read-17-task", Requirement: "READ-17",
			Summary: "a read with a task parameter makes a task",
			Needs:   Needs{Revisions: []string{hook.R20251125}},
			Hooks: hook.OnMethod(hook.MethodRead, func(ctx context.Context, c *hook.Call, next hook.Handler) *hook.Reply {
				if c.Param("task") == nil {
					return next(ctx, c)
				}
				return &hook.Reply{Result: hook.Object{"task": hook.Object{
					"taskId": "1", "status": "working", "createdAt": "2025-11-25T10:30:00Z", "lastUpdatedAt": "2025-11-25T10:30:00Z", "ttl": hook.Number(60000),
				}}}
			}),
		},
	)
}

// editBlobs changes each blob.
func editBlobs(edit func(blob string) string) hook.Hooks {
	return hook.EditEachContent(func(_ int, c hook.Object) {
		if blob, ok := c["blob"].(string); ok {
			c["blob"] = edit(blob)
		}
	})
}

func doubleBase64() hook.Hooks {
	return editBlobs(func(blob string) string { return base64.StdEncoding.EncodeToString([]byte(blob)) })
}

// doubleEncoded takes the bytes of a text for characters.
func doubleEncoded(text string) string {
	var b strings.Builder
	for _, c := range []byte(text) {
		b.WriteRune(rune(c))
	}
	return b.String()
}
