package certificate

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"crypto/sha512"
	"crypto/x509"
	"encoding/base64"
	"encoding/binary"
	"encoding/pem"
	"errors"
	"fmt"
	"path"
	"strings"
	"time"
	"unicode"

	"github.com/mcpcheck/mcpcheck/internal/safe"
)

// Namespace is what signatures are made for: ssh-keygen takes it as -n.
const Namespace = "mcpcheck"

// What stands in keys and signatures of OpenSSH.
const (
	keyType     = "ssh-ed25519"
	hashName    = "sha512"
	armor       = "SSH SIGNATURE"
	signMagic   = "SSHSIG"
	signVersion = 1
)

// Sign signs the statement with an Ed25519 key, as "ssh-keygen -Y sign -n mcpcheck" does. A key signs once.
func (c *Certificate) Sign(key ed25519.PrivateKey) error {
	public, ok := key.Public().(ed25519.PublicKey)
	if !ok {
		return errors.New("the key is no Ed25519 key")
	}
	text := c.members[StatementMember]
	blob := append([]byte(signMagic), 0, 0, 0, signVersion)
	blob = append(blob, fields(publicBlob(public), []byte(Namespace), nil, []byte(hashName),
		fields([]byte(keyType), ed25519.Sign(key, signed(text))))...)
	return c.Attach(fmt.Sprintf("%x.sshsig", sha256.Sum256(public))[48:],
		pem.EncodeToMemory(&pem.Block{Type: armor, Bytes: blob}))
}

// Attach adds a signature under a name, which says what it is: NAME.sshsig or NAME.sigstore.json. It replaces
// one of the same name. An SSH signature has to be one of the statement.
func (c *Certificate) Attach(name string, data []byte) error {
	name = "signatures/" + name
	switch {
	case !signature.MatchString(name) || len(data) == 0 || len(data) > maxSignature:
		return fmt.Errorf("%q with %d bytes is no signature that a certificate can hold",
			safe.Clean(name, 100), len(data))
	case c.members[name] == nil && len(c.Signatures()) == maxSignatures:
		return fmt.Errorf("the certificate has %d signatures, and no more fit", maxSignatures)
	}
	if path.Ext(name) == ".sshsig" {
		if _, err := signedBy(data, c.members[StatementMember]); err != nil {
			return err
		}
	}
	c.members[name] = data
	return nil
}

// fields writes values as the protocol of SSH does: each with its length before it.
func fields(values ...[]byte) (all []byte) {
	for _, v := range values {
		all = binary.BigEndian.AppendUint32(all, uint32(len(v))) // #nosec G115 -- all are short
		all = append(all, v...)
	}
	return all
}

// cut reads so many values; nil if they are not there.
func cut(data []byte, n int) (values [][]byte, rest []byte) {
	for range n {
		if len(data) < 4 || uint64(binary.BigEndian.Uint32(data)) > uint64(len(data)-4) {
			return nil, nil
		}
		end := 4 + int(binary.BigEndian.Uint32(data))
		values, data = append(values, data[4:end]), data[end:]
	}
	return values, data
}

func publicBlob(key ed25519.PublicKey) []byte { return fields([]byte(keyType), key) }

// publicOf reads a public key of OpenSSH; nil if it is of another kind.
func publicOf(blob []byte) ed25519.PublicKey {
	v, rest := cut(blob, 2)
	if v == nil || len(rest) > 0 || string(v[0]) != keyType || len(v[1]) != ed25519.PublicKeySize {
		return nil
	}
	return v[1]
}

// signed is what a signature of a text is made of.
func signed(text []byte) []byte {
	sum := sha512.Sum512(text)
	return append([]byte(signMagic), fields([]byte(Namespace), nil, []byte(hashName), sum[:])...)
}

// signedBy returns the key by which a text is signed. An error says why it is not.
func signedBy(signature, text []byte) (ed25519.PublicKey, error) {
	block, rest := pem.Decode(signature)
	if block == nil || block.Type != armor || len(bytes.TrimSpace(rest)) > 0 {
		return nil, errors.New("it is no SSH signature")
	}
	blob, found := bytes.CutPrefix(block.Bytes, append([]byte(signMagic), 0, 0, 0, signVersion))
	v, rest := cut(blob, 5)
	if !found || v == nil || len(rest) > 0 || string(v[3]) != hashName {
		return nil, errors.New("it is no SSH signature of the version 1 with SHA-512")
	}
	if string(v[1]) != Namespace {
		return nil, fmt.Errorf("it was made for the namespace %q, not for %s", safe.Clean(string(v[1]), 60),
			Namespace)
	}
	key, made := publicOf(v[0]), [][]byte(nil)
	if made, rest = cut(v[4], 2); key == nil || made == nil || len(rest) > 0 || string(made[0]) != keyType {
		return nil, errors.New("it is by no Ed25519 key")
	}
	if !ed25519.Verify(key, signed(text), made[1]) {
		return nil, errors.New(StatementMember + " has been changed, or the signature: it does not hold")
	}
	return key, nil
}

// Fingerprint names a public key as "ssh-keygen -l" does.
func Fingerprint(key ed25519.PublicKey) string {
	sum := sha256.Sum256(publicBlob(key))
	return "SHA256:" + base64.RawStdEncoding.EncodeToString(sum[:])
}

// PrivateKey reads an Ed25519 key: PKCS #8 in PEM, or as OpenSSH writes it, without a passphrase.
func PrivateKey(data []byte) (ed25519.PrivateKey, error) {
	block, _ := pem.Decode(data)
	switch {
	case block == nil:
		return nil, errors.New("no private key: it is no PEM file")
	case block.Type == "PRIVATE KEY":
		any, err := x509.ParsePKCS8PrivateKey(block.Bytes)
		if key, ok := any.(ed25519.PrivateKey); err == nil && ok {
			return key, nil
		}
	case block.Type == "OPENSSH PRIVATE KEY":
		blob, found := bytes.CutPrefix(block.Bytes, []byte("openssh-key-v1\x00"))
		head, blob := cut(blob, 3)
		if !found || head == nil || len(blob) < 4 {
			break
		}
		if string(head[0]) != "none" {
			return nil, errors.New("the private key has a passphrase: sign statement.json with ssh-keygen, " +
				"and add the signature with --sshsig")
		}
		keys, _ := cut(blob[4:], 2) // behind the number of keys
		if keys == nil || len(keys[1]) < 8 {
			break
		}
		v, _ := cut(keys[1][8:], 3) // behind two equal numbers
		if v != nil && string(v[0]) == keyType && len(v[2]) == ed25519.PrivateKeySize {
			return v[2], nil
		}
	}
	return nil, errors.New("no Ed25519 private key: \"ssh-keygen -t ed25519\" and \"openssl genpkey " +
		"-algorithm ed25519\" make one")
}

// Trusted is a public key that a verifier trusts, and whose it is.
type Trusted struct {
	Key ed25519.PublicKey
	// Who are the principals of an allowed_signers line; empty for a PEM file.
	Who string
	// From and Until bound when the key is trusted; zero sets no bound.
	From, Until time.Time
}

// TrustedKeys reads the keys of a file: a public key in PEM, or the Ed25519 keys of an allowed_signers file
// of OpenSSH that are trusted for this namespace. The error names the line.
func TrustedKeys(data []byte) ([]Trusted, error) {
	if block, _ := pem.Decode(data); block != nil {
		any, err := x509.ParsePKIXPublicKey(block.Bytes)
		key, ok := any.(ed25519.PublicKey)
		if err != nil || !ok {
			return nil, errors.New("the PEM file holds no Ed25519 public key")
		}
		return []Trusted{{Key: key}}, nil
	}
	var all []Trusted
	for i, line := range strings.Split(string(data), "\n") {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		t, err := allowed(line)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", i+1, err)
		}
		if t.Key != nil {
			all = append(all, t)
		}
	}
	if all == nil {
		return nil, errors.New("it names no Ed25519 key that is trusted for the namespace " + Namespace)
	}
	return all, nil
}

// allowed reads a line of an allowed_signers file. The key is nil if the line is not about this kind of
// signature.
func allowed(line string) (t Trusted, err error) {
	quoted := false
	words := strings.FieldsFunc(line, func(r rune) bool {
		quoted = quoted != (r == '"')
		return unicode.IsSpace(r) && !quoted
	})
	at := 1
	if len(words) > 1 && !keyWord(words[1]) {
		at = 2
	}
	if len(words) < at+2 || !keyWord(words[at]) {
		return t, errors.New("it is no line of an allowed_signers file: PRINCIPALS [OPTIONS] KEYTYPE KEY")
	}
	blob, err := base64.StdEncoding.DecodeString(words[at+1])
	if err != nil {
		return t, errors.New("the key is not in base64")
	}
	ours := true
	if at == 2 {
		if ours, err = t.options(words[1]); err != nil {
			return t, err
		}
	}
	if key := publicOf(blob); ours {
		t.Key, t.Who = key, words[0]
	}
	return t, nil
}

func keyWord(s string) bool {
	return strings.HasPrefix(s, "ssh-") || strings.HasPrefix(s, "ecdsa-") || strings.HasPrefix(s, "sk-")
}

// options reads the options of a line. It returns false if they exclude signatures of this kind.
func (t *Trusted) options(all string) (ours bool, err error) {
	quoted := false
	for _, o := range strings.FieldsFunc(all, func(r rune) bool {
		quoted = quoted != (r == '"')
		return r == ',' && !quoted
	}) {
		name, value, _ := strings.Cut(o, "=")
		value = strings.Trim(value, `"`)
		switch strings.ToLower(name) {
		case "namespaces":
			fits := false
			for _, pattern := range strings.Split(value, ",") {
				ok, err := path.Match(pattern, Namespace)
				fits = fits || err == nil && ok
			}
			if !fits {
				return false, nil
			}
		case "valid-after":
			t.From, err = sshTime(value)
		case "valid-before":
			t.Until, err = sshTime(value)
		case "cert-authority":
			return false, nil
		default:
			err = fmt.Errorf("the option %q is not known", safe.Clean(name, 60))
		}
		if err != nil {
			return false, err
		}
	}
	return true, nil
}

// sshTime reads YYYYMMDD[HHMM[SS]][Z]. Without Z it is local time, as OpenSSH has it.
func sshTime(s string) (time.Time, error) {
	digits, utc := strings.CutSuffix(s, "Z")
	place := time.Local
	if utc {
		place = time.UTC
	}
	for _, layout := range []string{"20060102", "200601021504", "20060102150405"} {
		if t, err := time.ParseInLocation(layout, digits, place); err == nil {
			return t, nil
		}
	}
	return time.Time{}, fmt.Errorf("%q is no time such as 20270131 or 20270131120000Z", safe.Clean(s, 60))
}
