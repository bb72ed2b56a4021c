// Package certificate binds the report of a run to everything that it rests on, in one file that anybody can
// check: the recording, the requirements as they were judged, the identity of the target, and who says so.
//
// The file is a ZIP archive with a fixed form: see docs/certificate.md. [Write] makes one of a recording,
// [Read] opens one and refuses it if a single byte is another one, [Certificate.Sign] adds a signature, and
// [Verify] judges the recording again and compares what it finds with what the certificate says.
package certificate

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/mcpcheck/mcpcheck/internal/safe"
	"github.com/mcpcheck/mcpcheck/internal/terminal"
	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/mcpcheck/mcpcheck/suite/area"
	"github.com/mcpcheck/mcpcheck/suite/engine"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
)

// Schema names the format of statement.json, Extension ends the names of certificates.
const (
	Schema    = "mcpcheck.certificate/1"
	Extension = ".mcpcert"
)

// JSONSchema is the JSON Schema (2020-12) of statement.json.
//
//go:embed mcpcheck.certificate-1.schema.json
var JSONSchema []byte

// The members of a certificate, in this order; signatures follow by name.
const (
	StatementMember = "statement.json"
	DigestMember    = "statement.sha256" // protects the statement from accidents, as sha256sum writes it
	ReportMember    = "report.json"
	RowsMember      = "rows.json"
	RecordingMember = "recording.json.gz"
)

// The bounds of what is read, in bytes; of signatures also their number.
const (
	MaxSize       = 256 << 20
	maxRecording  = 512 << 20 // decompressed
	maxSignature  = 1 << 20
	maxSignatures = 16
)

var (
	fixed     = []string{StatementMember, DigestMember, ReportMember, RowsMember, RecordingMember}
	signature = regexp.MustCompile(`^signatures/[A-Za-z0-9][A-Za-z0-9._-]{0,99}\.(sshsig|sigstore\.json)$`)
)

// Certificate is a certificate whose members fit its statement. What the statement says is not checked yet:
// [Verify] does that.
type Certificate struct {
	Statement Statement
	members   map[string][]byte
}

// Input is what a certificate is made of.
type Input struct {
	Recording []byte // as [engine.Run.Record] writes it
	// Tool is the program that judges, Program the hexadecimal SHA-256 of its file; empty if it is not known.
	Tool      reports.Tool
	Program   string
	Publisher string // who certifies; empty if nobody says so
	Artifacts []Artifact
	Package   *Package
	Certified time.Time
}

// New judges a recording and makes a certificate of it. The error says what is wrong with the recording.
func New(in Input) (*Certificate, error) {
	rows, err := area.Catalogue().MarshalRows()
	if err != nil {
		return nil, err
	}
	again, err := engine.RejudgeBy(bytes.NewReader(in.Recording), in.Tool, area.Catalogue())
	if err != nil {
		return nil, err
	}
	var text, packed, statement bytes.Buffer
	if err := reports.WriteJSON(&text, again.Report); err != nil {
		return nil, err
	}
	z := gzip.NewWriter(&packed)
	if _, err := z.Write(in.Recording); err != nil {
		return nil, err
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	c := &Certificate{members: map[string][]byte{
		ReportMember: text.Bytes(), RowsMember: rows, RecordingMember: packed.Bytes()}}
	report, err := c.Report() // as others read it
	if err != nil {
		return nil, err
	}
	s := derived(report)
	s.Suite.Program, s.Suite.Rows = in.Program, digest(rows)
	s.Publisher, s.Package, s.Artifacts = in.Publisher, in.Package, append([]Artifact{}, in.Artifacts...)
	s.Certified = in.Certified.UTC().Format(time.RFC3339)
	for _, name := range fixed[2:] {
		m := Member{Name: name, Size: int64(len(c.members[name])), SHA256: digest(c.members[name])}
		if name == RecordingMember {
			m.Unpacked = int64(len(in.Recording))
		}
		s.Members = append(s.Members, m)
	}
	c.Statement = s
	if err := terminal.WriteJSON(&statement, "statement", "  ", s); err != nil {
		return nil, err
	}
	c.members[StatementMember] = statement.Bytes()
	c.members[DigestMember] = []byte(digest(statement.Bytes()) + "  " + StatementMember + "\n")
	return c, nil
}

// Write writes the certificate that [New] makes.
func Write(w io.Writer, in Input) error {
	c, err := New(in)
	if err != nil {
		return err
	}
	return c.Write(w)
}

// Write writes the certificate: the same bytes for the same members.
func (c *Certificate) Write(w io.Writer) error {
	z := zip.NewWriter(w)
	for _, name := range slices.Concat(fixed, c.Signatures()) {
		data := c.members[name]
		const dosNewYear1980 = 1<<5 | 1
		out, err := z.CreateRaw(&zip.FileHeader{Name: name, CRC32: crc32.ChecksumIEEE(data),
			CompressedSize64: uint64(len(data)), UncompressedSize64: uint64(len(data)),
			ModifiedDate: dosNewYear1980})
		if err != nil {
			return fmt.Errorf("writing the certificate: %w", err)
		}
		if _, err := out.Write(data); err != nil {
			return fmt.Errorf("writing the certificate: %w", err)
		}
	}
	return z.Close()
}

// Signatures lists the names of the signatures in order.
func (c *Certificate) Signatures() []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(c.members)), func(name string) bool {
		return slices.Contains(fixed, name)
	})
}

// Member is what stands in a member; nil if there is none of this name. It must not be changed.
func (c *Certificate) Member(name string) []byte { return c.members[name] }

// Report reads the report.
func (c *Certificate) Report() (*reports.Report, error) {
	return reports.ReadJSON(bytes.NewReader(c.members[ReportMember]))
}

// Rows reads the requirements as they were judged.
func (c *Certificate) Rows() (*requirement.Catalogue, error) {
	return requirement.ReadRows(c.members[RowsMember])
}

// Recording reads the recording, decompressed. It yields an error behind as many bytes as the statement says.
func (c *Certificate) Recording() (io.Reader, error) {
	z, err := gzip.NewReader(bytes.NewReader(c.members[RecordingMember]))
	if err != nil {
		return nil, fmt.Errorf("%s cannot be decompressed: %w", RecordingMember, err)
	}
	size := c.Statement.Members[len(c.Statement.Members)-1].Unpacked
	return &exactly{r: z, left: size}, nil
}

// exactly reads so many bytes, and is an error if there are more.
type exactly struct {
	r    io.Reader
	left int64
}

func (e *exactly) Read(p []byte) (int, error) {
	n, err := e.r.Read(p[:min(int64(len(p)), e.left+1)])
	if e.left -= int64(n); e.left < 0 {
		return 0, errors.New("it is longer than " + StatementMember + " states")
	}
	return n, err
}

// DamageError lists what is changed in a certificate, a sentence each.
type DamageError struct{ Problems []string }

func (e *DamageError) Error() string { return strings.Join(e.Problems, "; ") }

// Read reads a certificate and compares its members with the digests in its statement, and every byte with
// what [Certificate.Write] writes. An error of type [*DamageError] says what was changed; any other one that
// this is no certificate.
func Read(data []byte) (*Certificate, error) {
	if len(data) > MaxSize {
		return nil, fmt.Errorf("it is larger than %d MiB, the most that a certificate may have", MaxSize>>20)
	}
	c, err := unpack(data)
	if err != nil {
		return nil, err
	}
	var damage DamageError
	problem := func(format string, args ...any) {
		damage.Problems = append(damage.Problems, fmt.Sprintf(format, args...))
	}
	text := c.members[StatementMember]
	if string(c.members[DigestMember]) != digest(text)+"  "+StatementMember+"\n" {
		problem("%s has been changed, or %s: they do not fit each other, and no signature holds",
			StatementMember, DigestMember)
	}
	err = jsonv2.Unmarshal(text, &c.Statement, jsonv2.RejectUnknownMembers(true))
	switch {
	case err != nil && damage.Problems == nil:
		return nil, fmt.Errorf("%s cannot be read: %s", StatementMember, safe.Clean(err.Error(), 300))
	case err == nil && c.Statement.Schema != Schema:
		problem("%s has the schema %q, and this mcpcheck reads %s", StatementMember,
			safe.Clean(c.Statement.Schema, 60), Schema)
	case err == nil:
		c.compareMembers(problem)
	}
	var again bytes.Buffer
	if err := c.Write(&again); err != nil {
		return nil, err
	}
	if damage.Problems == nil && !bytes.Equal(again.Bytes(), data) {
		n := 0
		for n < min(again.Len(), len(data)) && again.Bytes()[n] == data[n] {
			n++
		}
		problem("the container differs from what mcpcheck writes, at byte %d", n)
	}
	if damage.Problems != nil {
		return nil, &damage
	}
	return c, nil
}

// compareMembers compares sizes and digests with those that the statement states.
func (c *Certificate) compareMembers(problem func(string, ...any)) {
	if len(c.Statement.Members) != len(fixed[2:]) {
		problem("%s states %d members, and a certificate has %d", StatementMember, len(c.Statement.Members),
			len(fixed[2:]))
		return
	}
	for i, name := range fixed[2:] {
		m := c.Statement.Members[i]
		switch data := c.members[name]; {
		case m.Name != name:
			problem("members[%d] of %s is %q instead of %s", i, StatementMember, safe.Clean(m.Name, 60), name)
		case m.Size != int64(len(data)) || m.SHA256 != digest(data):
			problem("%s does not have the digest that %s states", name, StatementMember)
		case (name == RecordingMember) != (m.Unpacked > 0) || m.Unpacked > maxRecording:
			problem("members[%d] of %s states %d bytes unpacked, and at most %d MiB are read", i,
				StatementMember, m.Unpacked, maxRecording>>20)
		}
	}
}

// unpack takes the members out of a container. It decompresses nothing.
func unpack(data []byte) (*Certificate, error) {
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, errors.New(`no certificate: it is no ZIP archive; "mcpcheck certify" writes one`)
	}
	c := &Certificate{members: map[string][]byte{}}
	if len(z.File) > len(fixed)+maxSignatures {
		return nil, fmt.Errorf("no certificate: the archive has %d members", len(z.File))
	}
	for _, f := range z.File {
		signs := signature.MatchString(f.Name)
		offset, err := f.DataOffset()
		size := int64(f.UncompressedSize64) // #nosec G115 -- compared with the size of the file below
		switch {
		case !signs && !slices.Contains(fixed, f.Name):
			return nil, fmt.Errorf("no certificate: the archive has a member %q", safe.Clean(f.Name, 100))
		case err != nil || f.Method != zip.Store || size < 0 || size > int64(len(data))-offset ||
			signs && size > maxSignature || c.members[f.Name] != nil:
			return nil, fmt.Errorf("no certificate: the member %s of the archive has another form than those "+
				"of certificates", f.Name)
		}
		c.members[f.Name] = data[offset : offset+size : offset+size]
	}
	for _, name := range fixed {
		if c.members[name] == nil {
			return nil, fmt.Errorf("no certificate: the archive has no %s", name)
		}
	}
	return c, nil
}

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
