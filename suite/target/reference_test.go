package target

import (
	"bufio"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"github.com/mcpcheck/mcpcheck/fixtures/targets"
	"github.com/mcpcheck/mcpcheck/internal/yamlfile"
	"github.com/mcpcheck/mcpcheck/reference"
	"github.com/mcpcheck/mcpcheck/suite/judge"
)

// referenceFile is the reference's own target file.
func referenceFile(t *testing.T) *Target {
	t.Helper()
	data, err := targets.Read(targets.Reference)
	if err != nil {
		t.Fatal(err)
	}
	file := &Target{}
	if _, err := yamlfile.Decode(targets.Reference, data, file); err != nil {
		t.Fatal(err)
	}
	return file
}

// talker asks a server one thing at a time over a stream.
type talker struct {
	t    *testing.T
	conn io.ReadWriteCloser
	in   *bufio.Reader
	id   int
}

func talk(t *testing.T) *talker {
	t.Helper()
	server, err := reference.New(reference.DefaultWorld(), reference.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	conn, err := server.Pipe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	k := &talker{t: t, conn: conn, in: bufio.NewReader(conn)}
	k.call("initialize", map[string]any{"protocolVersion": "2025-11-25", "capabilities": map[string]any{},
		"clientInfo": map[string]any{"name": "test", "version": "1"}})
	k.send(map[string]any{"jsonrpc": "2.0", "method": "notifications/initialized"})
	return k
}

func (k *talker) send(message map[string]any) {
	k.t.Helper()
	line, err := json.Marshal(message)
	if err != nil {
		k.t.Fatal(err)
	}
	if _, err := k.conn.Write(append(line, '\n')); err != nil {
		k.t.Fatal(err)
	}
}

func (k *talker) call(method string, params map[string]any) gjson.Result {
	k.t.Helper()
	k.id++
	k.send(map[string]any{"jsonrpc": "2.0", "id": k.id, "method": method, "params": params})
	for {
		line, err := k.in.ReadString('\n')
		if err != nil {
			k.t.Fatal(err)
		}
		if m := gjson.Parse(line); m.Get("id").Int() == int64(k.id) {
			return m
		}
	}
}

func (k *talker) read(uri string) gjson.Result {
	k.t.Helper()
	return k.call("resources/read", map[string]any{"uri": uri})
}

// TestReferenceContents: the reference serves what its target file says.
func TestReferenceContents(t *testing.T) {
	s := referenceFile(t).Subjects
	k := talk(t)
	for _, want := range s.Texts {
		got := k.read(want.URI).Get("result.contents.0")
		if !got.Get("text").Exists() || got.Get("text").Str != *want.Text ||
			got.Get("mimeType").Str != want.MIMEType {
			t.Errorf("%s: got %s", want.URI, got)
		}
	}
	for _, want := range s.Blobs {
		got := k.read(want.URI).Get("result.contents.0")
		data, err := base64.StdEncoding.DecodeString(got.Get("blob").Str)
		sum := sha256.Sum256(data)
		if err != nil || !got.Get("blob").Exists() || want.Base64 != "" &&
			want.Base64 != got.Get("blob").Str ||
			want.SHA256 != "" && want.SHA256 != hex.EncodeToString(sum[:]) || want.Size != nil &&
			*want.Size != int64(len(data)) {
			t.Errorf("%s: got %s", want.URI, got)
		}
	}
	missing := slices.Clone(s.Missing)
	for _, r := range s.Roots {
		missing = append(missing, r.Canary.URI, r.Sibling, r.Symlink)
	}
	for _, uri := range missing {
		if got := k.read(uri); !got.Get("error").Exists() {
			t.Errorf("%s: got %s", uri, got)
		}
	}
}

func TestReferenceLists(t *testing.T) {
	s := referenceFile(t).Subjects
	k := talk(t)
	for _, list := range []struct {
		method, member string
		want           []string
	}{{"resources/list", "resources.#.uri", s.Complete},
		{"resources/templates/list", "resourceTemplates.#.uriTemplate", s.CompleteTemplates}} {
		var got []string
		for _, uri := range k.call(list.method, map[string]any{}).Get("result." + list.member).Array() {
			got = append(got, uri.Str)
		}
		if !slices.Equal(got, list.want) {
			t.Errorf("%s:\n got %q\nwant %q", list.method, got, list.want)
		}
	}
}

func TestReferenceTemplates(t *testing.T) {
	s := referenceFile(t).Subjects
	k := talk(t)
	for _, tmpl := range s.Templates {
		for _, a := range tmpl.Arguments {
			uri, err := judge.Expand(tmpl.Template, a.Vars)
			if err != nil {
				t.Fatal(err)
			}
			got := k.read(uri)
			if a.Missing != got.Get("error").Exists() || !a.Missing &&
				got.Get("result.contents.0.text").Str != *a.Text {
				t.Errorf("%s: got %s", uri, got)
			}
		}
	}
	for _, c := range s.Completions {
		got := k.call("completion/complete", map[string]any{
			"ref":      map[string]any{"type": "ref/resource", "uri": c.Template},
			"argument": map[string]any{"name": c.Argument, "value": c.Prefix},
		}).Get("result.completion.values")
		var values []string
		for _, v := range got.Array() {
			values = append(values, v.Str)
		}
		for _, v := range c.Values {
			if !slices.Contains(values, v) {
				t.Errorf("%s: %q is not suggested: %q", c.Template, v, values)
			}
		}
		for _, v := range c.Never {
			if slices.Contains(values, v) {
				t.Errorf("%s: %q is suggested", c.Template, v)
			}
		}
	}
}

func TestReferenceInput(t *testing.T) {
	s := referenceFile(t).Subjects
	world := reference.DefaultWorld()
	for _, r := range world.Resources {
		if r.URI == s.Slow.URI && (r.Delay != s.Slow.AtLeast || r.Steps == 0) {
			t.Errorf("%s takes %s in %d steps", r.URI, r.Delay, r.Steps)
		}
		if r.URI != s.Input.URI {
			continue
		}
		answer, ok := s.Input.Answers[r.Input.Key]
		if !ok {
			t.Fatalf("no answer to %s", r.Input.Key)
		}
		content, _ := answer["content"].(map[string]any)
		want := *r.Text
		for _, f := range r.Input.Fields {
			want = strings.ReplaceAll(want, "{"+f.Name+"}", fmt.Sprint(content[f.Name]))
		}
		if want != *s.Input.Text {
			t.Errorf("the text is %q", want)
		}
	}
}
