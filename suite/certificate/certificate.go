// Package certificate binds the report of a run to everything that it rests on, in one file that anybody can
// check: the recording, the requirements as they were judged, the identity of the target, and who says so.
//
// The file is a ZIP archive with a fixed form: see docs/certificate.md. [New] makes one of a recording,
// [Read] opens one and refuses it if a single byte was changed, [Certificate.Sign] adds a signature, and
// [Verify] judges the recording again and compares what it finds with what the certificate says.
package certificate

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	_ "embed"
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
	ReportMember    = "report.json"
	RowsMember      = "rows.json"
	RecordingMember = "recording.json.gz"
)

// MaxSize is how large a certificate may be, in bytes, MaxRecording how large a recording, decompressed.
const (
	MaxSize       = 256 << 20
	MaxRecording  = 512 << 20
	maxObjects    = 2_000_000 // in a recording
	maxSignature  = 1 << 20
	maxSignatures = 16
)

var (
	stated    = []string{ReportMember, RowsMember, RecordingMember}
	fixed     = append([]string{StatementMember}, stated...)
	signature = regexp.MustCompile(`^signatures/[0-9a-f]{16}(\.sshsig|\.sigstore\.json)$`)
)

// Certificate is a certificate whose members have the digests of its statement. [Verify] finds out whether
// the statement is true.
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
	Certified time.Time // no earlier than the run began, whatever is given
	// Packages finds the packages that the target was started from; nil finds none.
	Packages func(reports.Target) []Package
}

// New judges a recording and makes a certificate of it. The error says what is wrong with the recording.
func New(in Input) (*Certificate, error) {
	rows, err := area.Portable()
	if err != nil {
		return nil, err
	}
	judged, _, err := engine.RejudgeBy(bytes.NewReader(in.Recording), in.Tool, area.BuiltIn())
	if err != nil {
		return nil, err
	}
	var text, packed, statement bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, err = z.Write(in.Recording)
	if err := errors.Join(err, z.Close(), reports.WriteJSON(&text, judged)); err != nil {
		return nil, err
	}
	c := &Certificate{members: map[string][]byte{ReportMember: text.Bytes(), RowsMember: rows,
		RecordingMember: packed.Bytes()}}
	report, err := c.Report() // as others read it
	if err != nil {
		return nil, err
	}
	s := derived(report)
	s.Suite.Program, s.Suite.Rows, s.Publisher = in.Program, digest(rows), in.Publisher
	s.Artifacts = append([]Artifact{}, in.Artifacts...)
	if in.Packages != nil {
		s.Packages = in.Packages(report.Target)
	}
	s.Certified = max(s.Judged, in.Certified.UTC().Format(time.RFC3339))
	s.Members = c.measured()
	c.Statement = s
	if err := terminal.WriteJSON(&statement, "statement", "  ", s); err != nil {
		return nil, err
	}
	c.members[StatementMember] = statement.Bytes()
	return c, nil
}

// measured lists the members that the statement is about as they are.
func (c *Certificate) measured() (all []Member) {
	for _, name := range stated {
		all = append(all, Member{name, len(c.members[name]), digest(c.members[name])})
	}
	return all
}

// Write writes the certificate: the same bytes for the same members.
func (c *Certificate) Write(w io.Writer) error {
	z := zip.NewWriter(w)
	for _, name := range slices.Concat(fixed, c.Signatures()) {
		data := c.members[name]
		out, err := z.CreateRaw(&zip.FileHeader{Name: name, CRC32: crc32.ChecksumIEEE(data),
			CompressedSize64: uint64(len(data)), UncompressedSize64: uint64(len(data))})
		if err == nil {
			_, err = out.Write(data)
		}
		if err != nil {
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

// Report reads the report.
func (c *Certificate) Report() (*reports.Report, error) {
	return reports.ReadJSON(bytes.NewReader(c.members[ReportMember]))
}

// Member is what stands in a member; nil if there is none of this name. It must not be changed.
func (c *Certificate) Member(name string) []byte { return c.members[name] }

// Recording is the recording, decompressed. It has bounds, since objects take much more memory than text.
func (c *Certificate) Recording() ([]byte, error) {
	z, err := gzip.NewReader(bytes.NewReader(c.members[RecordingMember]))
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(z, MaxRecording+1))
	if err == nil && (len(data) > MaxRecording || bytes.Count(data, []byte("{")) > maxObjects) {
		err = fmt.Errorf("it has more than %d MiB or %d objects", MaxRecording>>20, maxObjects)
	}
	return data, err
}

// DamageError lists what was changed in a certificate, a sentence each.
type DamageError struct{ Problems []string }

func (e *DamageError) Error() string { return strings.Join(e.Problems, "; ") }

// Read reads a certificate and compares its members with the digests in its statement, and every byte with
// what [Certificate.Write] writes. An error of type [*DamageError] says what was changed; any other one that
// this is no certificate.
func Read(data []byte) (*Certificate, error) {
	c, damage := &Certificate{members: map[string][]byte{}}, &DamageError{}
	problem := func(format string, args ...any) {
		damage.Problems = append(damage.Problems, safe.Clean(fmt.Sprintf(format, args...), 300))
	}
	if err := c.unpack(data, problem); err != nil {
		return nil, fmt.Errorf(`no certificate, as "mcpcheck certify" writes one: %w`, err)
	}
	s, found := &c.Statement, c.measured()
	err := jsonv2.Unmarshal(c.members[StatementMember], s, jsonv2.RejectUnknownMembers(true))
	switch {
	case damage.Problems != nil:
	case err != nil || s.Schema != Schema || len(s.Members) != len(found):
		problem("%s is none of the schema %s with %d members: %v", StatementMember, Schema, len(found), err)
	default:
		for i, m := range found {
			if s.Members[i] != m {
				problem("%s does not have the size and digest that %s states", m.Name, StatementMember)
			}
		}
	}
	var again bytes.Buffer
	if err := c.Write(&again); damage.Problems == nil && (err != nil || !bytes.Equal(again.Bytes(), data)) {
		n := 0
		for n < min(again.Len(), len(data)) && again.Bytes()[n] == data[n] {
			n++
		}
		problem("the container differs from what mcpcheck writes, at byte %d", n)
	}
	if damage.Problems != nil {
		return nil, damage
	}
	return c, nil
}

// unpack takes the members out of a container. It decompresses nothing. A member whose checksum is another
// one is a problem.
func (c *Certificate) unpack(data []byte, problem func(string, ...any)) error {
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil || len(data) > MaxSize || len(z.File) > len(fixed)+maxSignatures {
		return fmt.Errorf("it is no ZIP archive of %d MiB and %d members at most", MaxSize>>20,
			len(fixed)+maxSignatures)
	}
	left := int64(len(data)) // none stands in another one
	for _, f := range z.File {
		offset, err := f.DataOffset()
		size := int64(f.UncompressedSize64) // #nosec G115 -- one that does not fit is negative
		if left -= size; err != nil || size < 0 || left < 0 || size > int64(len(data))-offset ||
			!slices.Contains(fixed, f.Name) && !signature.MatchString(f.Name) {
			return fmt.Errorf("the archive has a member %q of %d bytes", safe.Clean(f.Name, 100), size)
		}
		c.members[f.Name] = data[offset : offset+size]
		if crc32.ChecksumIEEE(c.members[f.Name]) != f.CRC32 {
			problem("%s has been changed: it does not have its checksum, and no signature holds", f.Name)
		}
	}
	for _, name := range fixed {
		if c.members[name] == nil {
			return fmt.Errorf("the archive has no %s", name)
		}
	}
	return nil
}

func digest(data []byte) string { return fmt.Sprintf("%x", sha256.Sum256(data)) }
