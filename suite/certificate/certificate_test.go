package certificate

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpcheck/mcpcheck/reference"
	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/mcpcheck/mcpcheck/suite"
	"github.com/mcpcheck/mcpcheck/suite/target"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

var (
	tool = reports.Tool{Name: "mcpcheck", Version: "v1.2.3", Catalogue: "2026.11", Commit: "abc"}
	// judged is when runs begin in simulated time.
	judged = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
	key    = ed25519.NewKeyFromSeed(bytes.Repeat([]byte{7}, ed25519.SeedSize))
	eve    = ed25519.NewKeyFromSeed(bytes.Repeat([]byte{8}, ed25519.SeedSize))
)

var recordings sync.Map // by what is opted out: runs that many tests look at

// certified is a certificate of a run on a server whose pages never end. It leaves out what is opted out.
func certified(t *testing.T, optOut ...target.OptOut) *Certificate {
	t.Helper()
	once, _ := recordings.LoadOrStore(len(optOut), sync.OnceValue(func() []byte {
		return recorded(t,
			optOut)
	}))
	c, err := New(Input{Recording: once.(func() []byte)(), Tool: tool, Publisher: "Example",
		Certified: judged.Add(time.Hour)})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func recorded(t *testing.T, optOut []target.OptOut) []byte {
	t.Helper()
	var b bytes.Buffer
	synctest.Test(t, func(t *testing.T) {
		text := "milk"
		world := reference.World{}
		for _, name := range []string{"a", "b"} {
			world.Resources = append(world.Resources, reference.Resource{URI: "note:" + name, Name: name,
				Text: &text})
		}
		server, err := reference.New(world, reference.Options{PageSize: 1,
			Faults: []string{"page-02-last-page-cycles"}})
		if err != nil {
			t.Fatal(err)
		}
		defer server.Close()
		of := &target.Target{OptOut: optOut, About: reports.About{Product: "Notes", Version: "1.2",
			Vendor: "Example"},
			Endpoints: []target.Endpoint{{Pipe: func(context.Context) (io.ReadWriteCloser, error) {
				return server.Pipe(context.Background()) // it outlives the dialling
			}}}}
		r, err := suite.Prepare(t.Context(), suite.Config{Target: of, Since: "2026-07-28", Tool: tool})
		if err != nil {
			t.Fatal(err)
		}
		r.Execute(t.Context())
		if err := r.Record(&b); err != nil {
			t.Fatal(err)
		}
	})
	return b.Bytes()
}

func packed(t *testing.T, c *Certificate) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := c.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

var now = judged.Add(48 * time.Hour)

// TestCertificate: what is certified is verified, by the key that signed it; the same recording leads to the
// same bytes; and no byte can be changed.
func TestCertificate(t *testing.T) {
	c := certified(t)
	recording := unzipped(t, c)
	again, err := New(Input{Recording: recording, Tool: tool, Publisher: "Example",
		Certified: judged.Add(time.Hour)})
	if err != nil || !bytes.Equal(packed(t, c), packed(t, again)) {
		t.Errorf("the same recording was certified by other bytes: %v", err)
	}
	if err := c.Sign(key); err != nil {
		t.Fatal(err)
	}
	data := packed(t, c)
	read, err := Read(data)
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Tool: tool, Now: now, Trust: []Trusted{{key.Public().(ed25519.PublicKey), "me"}}}
	v := Verify(t.Context(), read, o)
	if len(v.Problems)+len(v.Notes) > 0 || len(v.Signers) != 1 || !strings.HasPrefix(v.Signers[0],
		"me SHA256:") {
		t.Errorf("%+v", v)
	}
	s := read.Statement
	if !strings.HasPrefix(s.Title(), "Notes 1.2 by Example, which calls itself ") ||
		s.Result.Scope != reports.Full || len(s.LeftOut) > 0 ||
		s.Result.Outcome != reports.NonConformant || !slices.Contains(s.Result.Red, "PAGE-02") ||
		s.Judged != "2000-01-01T00:00:00Z" || s.Certified != "2000-01-01T01:00:00Z" {
		t.Errorf("%+v", s)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(JSONSchema))
	compiler := jsonschema.NewCompiler()
	if err := errors.Join(err, compiler.AddResource("s.json", doc)); err != nil {
		t.Fatal(err)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(c.members[StatementMember]))
	if err := errors.Join(err, compiler.MustCompile("s.json").Validate(value)); err != nil {
		t.Error(err)
	}

	// #nosec G404 -- the same places each time
	random := rand.New(rand.NewPCG(1, 2))
	places := []int{0, len(data) - 1}
	for range 200 {
		places = append(places, random.IntN(len(data)))
	}
	names := slices.Concat(fixed, c.Signatures())
	for _, name := range names {
		places = append(places, bytes.Index(data, c.members[name])+len(c.members[name])/2)
	}
	for i, at := range places {
		changed := bytes.Clone(data)
		changed[at] ^= byte(1 + random.IntN(255))
		_, err := Read(changed)
		if err == nil {
			t.Errorf("byte %d was changed, and the certificate was read", at)
		} else if n := i - (len(places) - len(names)); n >= 0 && !strings.Contains(err.Error(), names[n]) {
			t.Errorf("%s was changed, and the error does not name it: %v", names[n], err)
		}
	}
	for _, longer := range [][]byte{append(bytes.Clone(data), 0), append([]byte{0}, data...),
		data[:len(data)/2], {}} {
		if _, err := Read(longer); err == nil {
			t.Errorf("%d bytes instead of %d were read", len(longer), len(data))
		}
	}
}

func unzipped(t *testing.T, c *Certificate) []byte {
	t.Helper()
	data, err := c.Recording()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// forged is a certificate with other members whose statement states their digests, as who holds no key can
// write it. The statement is that of the forged report, and then edited.
func forged(t *testing.T, c *Certificate, edit func(name, text string) string,
	state func(*Statement)) *Certificate {
	t.Helper()
	f := &Certificate{members: map[string][]byte{}}
	for _, name := range stated {
		text := string(c.members[name])
		if name == RecordingMember {
			text = string(unzipped(t, c))
		}
		if edit != nil {
			text = edit(name, text)
		}
		f.members[name] = []byte(text)
		if name == RecordingMember {
			var b bytes.Buffer
			z := gzip.NewWriter(&b)
			_, err := io.WriteString(z, text)
			if err := errors.Join(err, z.Close()); err != nil {
				t.Fatal(err)
			}
			f.members[name] = b.Bytes()
		}
	}
	s := c.Statement
	if r, err := f.Report(); err == nil {
		s = derived(r)
		s.Artifacts, s.Publisher, s.Certified = c.Statement.Artifacts, c.Statement.Publisher,
			c.Statement.Certified
	}
	s.Suite.Rows, s.Members = digest(f.members[RowsMember]), nil
	for _, name := range stated {
		s.Members = append(s.Members, Member{name, len(f.members[name]), digest(f.members[name])})
	}
	if state != nil {
		state(&s)
	}
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	f.members[StatementMember] = text
	read, err := Read(packed(t, f))
	if err != nil {
		t.Fatal(err)
	}
	return read
}

// in edits one member.
func in(member string, old, changed string) func(string, string) string {
	return func(name, text string) string {
		if name == member {
			return strings.Replace(text, old, changed, 1)
		}
		return text
	}
}

// everywhere edits all members.
func everywhere(old, changed string) func(string, string) string {
	return func(_, text string) string { return strings.ReplaceAll(text, old, changed) }
}

// passing makes every verdict of a report a pass, and its summary fit.
func passing(t *testing.T, drop string) func(string, string) string {
	return func(name, text string) string {
		if name != ReportMember {
			return text
		}
		r, err := reports.ReadJSON(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		r.Results = slices.DeleteFunc(r.Results, func(x reports.Result) bool { return x.ID == drop })
		for _, x := range r.Rows() {
			if x.Verdict.Red() {
				x.Verdict, x.Gravity, x.ReasonCode, x.Evidence = reports.Pass, "", "", nil
			}
		}
		started := r.Summary.Started
		r.Summarize(reports.SummaryOptions{})
		r.Summary.Started = started
		var b bytes.Buffer
		if err := reports.WriteJSON(&b, r); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
}

// TestForged: who makes digests fit without a key is found out by the recording, and each forgery has its own
// sentence.
func TestForged(t *testing.T) {
	c := certified(t)
	partial := certified(t, target.OptOut{ID: "PAGE-02", Reason: "x"})
	if s := partial.Statement; s.Result.Scope != reports.Partial || !slices.Equal(s.LeftOut,
		[]string{"opted out of PAGE-02"}) {
		t.Errorf("%+v", s)
	}
	const row, server = `"PAGE-02": {`, `"server":{"name":"mockserver"`
	for name, f := range map[string]struct {
		c    *Certificate
		o    Options
		want string
	}{
		"nothing": {c: forged(t, c, nil, nil)},
		"another grade": {forged(t, c, func(name, text string) string {
			if at := strings.Index(text, row); name == RowsMember {
				return text[:at] + strings.Replace(text[at:], `"grade": "fail"`, `"grade": "warn"`, 1)
			}
			return text
		}, nil), Options{}, "PAGE-02 in 2026-07-28 on stdio: the report says \"fail"},
		"a row without a check": {forged(t, c, everywhere("PAGE-02", "PAGE-98"), nil), Options{},
			"this mcpcheck has no check for it"},
		"frames cut": {forged(t, c, func(name, text string) string {
			if name == RecordingMember {
				from, to := strings.Index(text, "\n{\"number\":40,"), strings.Index(text, "\n{\"number\":60,")
				text = text[:from] + text[to:]
			}
			return text
		}, nil), Options{}, "recording.json.gz cannot be judged again: frames[39] has the number 60"},
		"another server in all but the messages": {forged(t, c, everywhere(server,
			`"server":{"name":"other"`),
			nil), Options{}, "the report is about other"},
		"another server in the statement": {forged(t, c, nil, func(s *Statement) {
			s.Endpoints = slices.Clone(s.Endpoints)
			s.Endpoints[0].Server = &reports.Server{Name: "other"}
		}), Options{}, "statement.json, endpoints: it is"},
		"edited verdicts": {forged(t, c, passing(t, ""), nil), Options{},
			"PAGE-02 in 2026-07-28 on stdio: the report says \"pass"},
		"a verdict left out": {forged(t, c, passing(t, "PAGE-02"), nil), Options{},
			"a full run judges PAGE-02 in 2026-07-28 on stdio, and the report does not"},
		"a verdict left out, and that the revision is served": {forged(t, c, func(name, text string) string {
			return strings.Replace(passing(t, "PAGE-02")(name, text), `"revisions":["2026-07-28"]`,
				`"revisions":[]`, 1)
		}, nil), Options{}, "a full run judges PAGE-02 in 2026-07-28 on stdio, and the report does not"},
		"a summary that contradicts": {forged(t, c, in(ReportMember, `"outcome":"non-conformant","scope"`,
			`"outcome":"conformant","scope"`), nil), Options{}, "report.json: the report contradicts itself"},
		"another result": {forged(t, c, nil, func(s *Statement) { s.Result.Outcome = reports.Conformant }),
			Options{}, "statement.json, result: it is"},
		"other words": {forged(t, c, in(ReportMember, `"expected":"`, `"expected":"never `), nil),
			Options{}, "report.json has the verdicts that the recording has, and not its words"},
		"nothing left out": {forged(t, partial, nil, func(s *Statement) { s.LeftOut = []string{} }),
			Options{},
			"statement.json, left_out: it is []"},
		"a full scope": {forged(t, partial, in(RecordingMember, `"partial":true`, `"partial":false`), nil),
			Options{},
			"summary: the report says"},
		"another date": {forged(t, c, nil, func(s *Statement) { s.Judged = "2001-01-01T00:00:00Z" }),
			Options{},
			"statement.json, judged: it is"},
		"the future": {forged(t, c, nil, func(s *Statement) { s.Certified = "2001-01-01T00:00:00Z" }),
			Options{},
			"the dates are impossible"},
		"out of date": {c, Options{MaxAge: 24 * time.Hour},
			"it is out of date: the run began on 2000-01-01T00:00:00Z, 2 days ago, and " +
				"at most 1 day are allowed"},
		"not conformant": {c, Options{Require: reports.Conformant},
			"the result is non-conformant in a full run, and conformant in a full run is required"},
		"not signed": {c, Options{RequireSignature: true}, "a signature is required"},
	} {
		f.o.Tool, f.o.Now = tool, now
		v := Verify(t.Context(), f.c, f.o)
		all := strings.Join(v.Problems, "\n")
		if (f.want == "") != (len(v.Problems) == 0) || !strings.Contains(all, f.want) {
			t.Errorf("%s: %q is not in\n%s", name, f.want, all)
		}
		if !f.o.RequireSignature && !strings.Contains(v.Notes[0], "nobody is known") {
			t.Errorf("%s: %q", name, v.Notes)
		}
	}
	other := forged(t, c, in(RowsMember, `"change": "`, `"change": "please `), nil)
	v := Verify(t.Context(), other, Options{Now: now})
	if len(v.Problems) > 0 || len(v.Notes) != 2 || !strings.Contains(v.Notes[1],
		"judged by the requirement set") {
		t.Errorf("%+v", v)
	}
	for _, o := range []Options{{Now: now, Tool: tool}, {Now: now, Require: c.Statement.Result.Outcome}} {
		if v := Verify(t.Context(), other, o); len(v.Problems) != 1 || !strings.Contains(v.Problems[0],
			"judged by the requirement set") {
			t.Errorf("%+v: %+v", o, v)
		}
	}
}

// TestSignatures: a signature has to be by a trusted key, and OpenSSH agrees.
func TestSignatures(t *testing.T) {
	c := certified(t)
	if err := c.Sign(key); err != nil {
		t.Fatal(err)
	}
	line := func(k ed25519.PrivateKey, options string) string {
		blob := fields(keyType, string(k.Public().(ed25519.PublicKey)))
		return "me@example.com " + options + keyType + " " + base64Text(blob) + " comment\n"
	}
	for name, x := range map[string]struct{ trust, want string }{
		"ours": {line(key, ""), ""},
		"ours among others": {"# us\n\nx ssh-rsa AAAA\n" + line(eve, "") + line(key,
			`namespaces="git,mcpcheck" `), ""},
		"theirs":        {line(eve, ""), "signed by nobody who is trusted, but by SHA256:"},
		"not for this":  {line(key, `namespaces="git" `), "it names no Ed25519 key that is trusted"},
		"other options": {"\n" + line(key, `valid-before="20300101" `), "line 2 is not PRINCIPALS"},
		"no key":        {"me " + keyType + " AAAA", "line 1: the key cannot be read"},
		"no PEM": {"-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n",
			"holds no Ed25519 public key"},
	} {
		keys, err := TrustedKeys([]byte(x.trust))
		said := fmt.Sprint(err)
		if err == nil {
			said = strings.Join(signatures(t, c, Options{Trust: keys}).Problems, "\n")
		}
		if (x.want == "") != (said == "") || !strings.Contains(said, x.want) {
			t.Errorf("%s: %q", name, said)
		}
	}
	bundle := Options{Sigstore: func(_ context.Context, statement, bundle []byte) (string, error) {
		if !bytes.Equal(statement, c.members[StatementMember]) || string(bundle) != "{}" {
			return "", errors.New("other bytes")
		}
		return "somebody", nil
	}}
	for _, x := range []*Certificate{c, certified(t)} { // signed by any key, and by nobody
		if v := signatures(t, x, bundle); len(v.Problems) != 1 {
			t.Errorf("without a bundle: %+v", v)
		}
	}
	if err := c.Attach([]byte("{}")); err != nil {
		t.Fatal(err)
	}
	if v := signatures(t, c, bundle); len(v.Problems) > 0 || len(v.Signers) != 2 {
		t.Errorf("%+v", v)
	}
	if v := signatures(t, c, Options{}); len(v.Problems) > 0 || len(v.Signers) != 1 || len(v.Notes) != 2 {
		t.Errorf("%+v", v)
	}
	other := certified(t, target.OptOut{ID: "PAGE-02", Reason: "x"})
	for _, name := range c.Signatures() {
		if strings.HasSuffix(name, ssh) && other.Attach(c.members[name]) == nil {
			t.Error("the signature of another statement was added")
		}
	}
}

func signatures(t *testing.T, c *Certificate, o Options) (v Verdict) {
	v.signatures(t.Context(), c, o)
	return v
}

// TestOpenSSH: ssh-keygen verifies what we sign, and we what it signs.
func TestOpenSSH(t *testing.T) {
	if _, err := exec.LookPath("ssh-keygen"); err != nil {
		t.Skip("there is no ssh-keygen")
	}
	dir := t.TempDir()
	keygen := func(stdin []byte, args ...string) {
		cmd := exec.Command("ssh-keygen", args...)
		cmd.Dir, cmd.Stdin = dir, bytes.NewReader(stdin)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("ssh-keygen %q: %v, %s", args, err, out)
		}
	}
	file := func(name string) []byte {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	keygen(nil, "-q", "-t", "ed25519", "-N", "", "-f", "id")
	private, err := PrivateKey(file("id"))
	if err != nil {
		t.Fatal(err)
	}
	c := &Certificate{members: map[string][]byte{StatementMember: []byte("{}\n")}}
	if err := c.Sign(private); err != nil {
		t.Fatal(err)
	}
	ours := c.members[c.Signatures()[0]]
	for name, data := range map[string][]byte{"ours.sig": ours, "statement.json": c.members[StatementMember],
		"allowed": append([]byte("me "), file("id.pub")...)} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	keygen(c.members[StatementMember], "-Y", "verify", "-n", Namespace, "-f", "allowed", "-I", "me", "-s",
		"ours.sig")
	keygen(nil, "-Y", "sign", "-n", Namespace, "-f", "id", "statement.json")
	if err := c.Attach(file("statement.json.sig")); err != nil || len(c.Signatures()) != 1 {
		t.Errorf("%v, %q", err, c.Signatures())
	}
	keygen(nil, "-Y", "sign", "-n", "git", "-f", "id", "allowed")
	if err := c.Attach(file("allowed.sig")); err == nil || !strings.Contains(err.Error(),
		"namespace mcpcheck") {
		t.Error(err)
	}
	keygen(nil, "-q", "-p", "-N", "secret", "-f", "id")
	if _, err := PrivateKey(file("id")); err == nil || !strings.Contains(err.Error(), "passphrase") {
		t.Error(err)
	}
}

func base64Text(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }
