package engine

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/mcpcheck/mcpcheck/internal/mask"
	"github.com/mcpcheck/mcpcheck/suite/judge"
	"github.com/mcpcheck/mcpcheck/suite/wire"
	"github.com/tidwall/gjson"
)

// No part of a secret survives in what leaked, wherever it is cut and however it came.
func TestNoHalfOfASecretLeaks(t *testing.T) {
	const secret = "sk-live-7f3a9c01d2e4b6"
	m := mask.NewMasker([]string{secret})
	for before := range 16 {
		content := strings.Repeat("#", before) + secret + "\nand what else is in the file\n"
		for name, raw := range map[string]string{
			"text": `{"result":{"contents":[{"text":"` + strings.ReplaceAll(content, "\n", `\n`) + `"}]}}`,
			"blob": `{"result":{"contents":[{"blob":"` + base64.StdEncoding.EncodeToString([]byte(content)) +
				`"}]}}`,
		} {
			f := wire.Frame{Number: 7, Dir: wire.In, Raw: []byte(raw)}
			l := leaks{7: judge.LeakCut{Contents: true}}
			got := string(maskFrame(l.without(f, m), m).Raw)
			if data, err := base64.StdEncoding.DecodeString(gjson.Get(got,
				"result.contents.0."+name).Str); err == nil {
				got += string(data)
			}
			if strings.Contains(got, secret[:4]) || !strings.Contains(got, "bytes cut]") {
				t.Errorf("%s, %d bytes before the secret: %s", name, before, got)
			}
		}
	}
}
