package fault

import (
	"net/url"
	"strings"

	"github.com/mcpcheck/mcpcheck/reference/hook"
)

func readCode() code {
	return code{
		"tmpl-12-delivered-encoded": hook.EditEachContent(func(_ int, c hook.Object) {
			uri, _ := c["uri"].(string)
			text, ok := c["text"].(string)
			_, query, found := strings.Cut(uri, "?")
			if !ok || !found || !strings.HasPrefix(uri, "search://") {
				return
			}
			for pair := range strings.SplitSeq(query, "&") {
				name, value, _ := strings.Cut(pair, "=")
				if plain, err := url.PathUnescape(value); err == nil {
					text = strings.Replace(text, name+"="+plain, name+"="+value, 1)
				}
			}
			c["text"] = text
		}),
		"read-09-pad-bits": hook.EditEachContent(func(_ int, c hook.Object) {
			blob, _ := c["blob"].(string)
			letters := strings.TrimRight(blob, "=")
			if len(letters) == len(blob) {
				return
			}
			const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
			last := len(letters) - 1
			value := strings.IndexByte(alphabet, letters[last])
			c["blob"] = letters[:last] + string(alphabet[value|1]) + blob[last+1:]
		}),
		"read-13-mojibake": hook.EditEachContent(func(_ int, c hook.Object) {
			if text, ok := c["text"].(string); ok {
				c["text"] = doubleEncoded(text)
			}
		}),
	}
}

// doubleEncoded takes the bytes of a text for characters.
func doubleEncoded(text string) string {
	var b strings.Builder
	for _, c := range []byte(text) {
		b.WriteRune(rune(c))
	}
	return b.String()
}
