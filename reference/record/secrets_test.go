package record

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/mcpcheck/mcpcheck/reference/journal"
)

// spellings are the forms in which a server may give a secret back.
func spellings(secret string) map[string]string {
	escaped := ""
	for _, c := range secret {
		escaped += fmt.Sprintf(`\u%04x`, c)
	}
	b := []byte(secret)
	return map[string]string{
		"as it is": secret, "escaped": escaped, "capitals": strings.ToUpper(secret),
		"percent":       url.QueryEscape(secret) + " " + fmt.Sprintf("%%%x", secret[:1]) + secret[1:],
		"base64":        base64.StdEncoding.EncodeToString(b),
		"inside base64": base64.RawURLEncoding.EncodeToString([]byte("x=" + secret + "&y")),
		"hex":           hex.EncodeToString(b), "hex, apart": fmt.Sprintf("% X", b),
		"in JSON in JSON": strings.ReplaceAll(escaped, `\`, `\\`),
	}
}

// TestEchoes: what a client sends as a secret is nowhere in a recording, whatever the server makes of it.
func TestEchoes(t *testing.T) {
	const token = "s3cr3t-of-the-client"
	basic := base64.StdEncoding.EncodeToString([]byte("alice:" + token))
	for name, test := range map[string]struct {
		path, body string
		header     http.Header
		secrets    []string
	}{
		"bearer":       {"", "", http.Header{"Authorization": {"Bearer " + token}}, nil},
		"other scheme": {"", "", http.Header{"Authorization": {"DPoP " + token}}, nil},
		"no scheme":    {"", "", http.Header{"Authorization": {token}}, nil},
		"basic": {"", "", http.Header{"Authorization": {"Basic " + basic}},
			[]string{"alice:" + token, basic}},
		"twice": {"", "", http.Header{"Authorization": {"Bearer other-token", "Bearer " + token}},
			nil},
		"proxy": {"", "", http.Header{"Proxy-Authorization": {"Bearer " + token}}, nil},
		"signed": {"", "",
			http.Header{"Authorization": {"AWS4-HMAC-SHA256 Credential=AKIA, SignedHeaders=host, Signature=" +
				token}}, nil},
		"cookie":         {"", "", http.Header{"Cookie": {"theme=dark; sid=" + token + "; x=y"}}, nil},
		"quoted cookie":  {"", "", http.Header{"Cookie": {`sid="` + token + `"`}}, nil},
		"header":         {"", "", http.Header{"X-Auth-Token": {token}}, nil},
		"API key":        {"", "", http.Header{"Ocp-Apim-Subscription-Key": {token}}, nil},
		"query":          {"?a=b&access_token=" + token, "", nil, nil},
		"query, encoded": {"?access%5Ftoken=" + url.QueryEscape(token), "", nil, nil},
		"query, deep":    {"?to=" + url.QueryEscape("http://x.example/?api_key="+token), "", nil, nil},
		"referer":        {"", "", http.Header{"Referer": {"http://x.example/#code=" + token}}, nil},
		"user":           {"", "", http.Header{"Referer": {"http://bob:" + token + "@x.example/"}}, nil},
		"member": {"", `{"jsonrpc":"2.0","id":1,"method":"x","params":{"arguments":{"apiKey":"` +
			token + `"}}}`, nil, nil},
		"members": {"", `{"jsonrpc":"2.0","id":1,"method":"x","params":{"tokens":["a","` + token +
			`"]}}`, nil, nil},
		"deep member": {"", `{"jsonrpc":"2.0","id":1,"method":"x","params":{"text":"{\"password\":\"` +
			token + `\"}"}}`, nil, nil},
		"grant":         {"", "grant_type=authorization_code&code=" + token, nil, nil},
		"grant in JSON": {"", `{"grant_type":"refresh_token","refresh_token":"` + token + `"}`, nil, nil},
		"code in JSON":  {"", `{"grant_type":"authorization_code","code":"` + token + `"}`, nil, nil},
	} {
		for form, said := range spellings(token) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodGet {
					w.Header().Set("Content-Type", "text/event-stream")
					_, _ = io.WriteString(w,
						`id: `+said+"\n"+
							`data: {"jsonrpc":"2.0","method":"notifications/message","params":{"data":["`+
							said+`"]}}`+"\n\n")
					return
				}
				w.Header().Set("X-Debug", said)
				w.Header().Set("Location", "/?x="+said)
				w.Header().Set("Trailer", "X-Token")
				_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"who is `+said+
					`?"}}`)
				w.Header().Set("X-Token", said)
			}))
			base, f := proxied(t, server.URL)
			do := func(method, path, body string, header http.Header) {
				r, err := http.NewRequestWithContext(t.Context(), method, base+path, strings.NewReader(body))
				if err != nil {
					t.Fatal(err)
				}
				r.Header = header.Clone()
				resp, err := http.DefaultClient.Do(r)
				if err != nil {
					t.Fatal(err)
				}
				got, _ := io.ReadAll(resp.Body)
				_ = resp.Body.Close()
				if !strings.Contains(string(got), said) {
					t.Errorf("the client got %s", got)
				}
			}
			do(http.MethodPost, test.path, test.body, test.header)
			do(http.MethodPost, "", list, http.Header{headerSession: {"another"}})
			do(http.MethodGet, "", "", nil)
			server.Close()
			written := f.String()
			for _, secret := range append(test.secrets, token, said) {
				if strings.Contains(strings.ToLower(written), strings.ToLower(secret)) {
					t.Errorf("%s, %s: %s is in\n%s", name, form, secret, written)
					break
				}
			}
			for _, line := range []string{"who is ", "notifications/message", `"method":"resources/list"`,
				`"session":"another"`} {
				if !strings.Contains(written, line) {
					t.Errorf("%s, %s: no %s in\n%s", name, form, line, written)
				}
			}
		}
	}
}

// TestOurSecrets: what goes along with requests is hidden in whatever form the server gives it back, and a
// recording in which something was hidden can be replayed.
func TestOurSecrets(t *testing.T) {
	for form, said := range spellings("s3cr3t-of-ours") {
		var f file
		rec, err := NewRecorder(&f, Header{}, nil, "s3cr3t-of-ours")
		if err != nil {
			t.Fatal(err)
		}
		answer := `{"jsonrpc":"2.0","id":2,"result":{"text":"who is ` + said + `?"}}`
		for _, e := range []*journal.Entry{{Direction: journal.In}, {Direction: journal.Out}} {
			e.Session, e.Transport, e.Revision = "s", "stdio", "2025-11-25"
			raw := `{"jsonrpc":"2.0","id":2,"method":"x","params":{"token":"t","a":"b"}}`
			if e.Direction == journal.Out {
				raw = answer
			}
			rec.note(e, []byte(raw))
		}
		if written := f.String(); strings.Contains(strings.ToLower(written), strings.ToLower(said)) {
			t.Errorf("%s: %s", form, written)
		}
		replayed, err := Read("talk", strings.NewReader(f.String()))
		if err != nil {
			t.Fatal(err)
		}
		x := replayed.exchanges()
		if n, _ := replayed.Masked(); n != 1 || !x[0].masked.MatchString(`{"a":"b","token":"another"}`) ||
			!strings.Contains(string(x[0].answer), "who is ") {
			t.Errorf("%s: %d %s", form, n, x[0].answer)
		}
	}
}
