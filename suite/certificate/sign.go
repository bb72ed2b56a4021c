package certificate

import (
	"crypto/ed25519"
	"crypto/sha256"
	"crypto/sha512"
	"crypto/x509"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Namespace is what signatures are made for: ssh-keygen takes it as -n.
const Namespace = "mcpcheck"

// What stands in keys and signatures of OpenSSH.
const (
	keyType   = "ssh-ed25519"
	hashName  = "sha512"
	armor     = "SSH SIGNATURE"
	signMagic = "SSHSIG"
)

// Sign signs the statement with an Ed25519 key, as "ssh-keygen -Y sign -n mcpcheck" does. A key signs once.
func (c *Certificate) Sign(key ed25519.PrivateKey) error {
	public := key[ed25519.PrivateKeySize-ed25519.PublicKeySize:]
	blob := signMagic + "\x00\x00\x00\x01" + fields(fields(keyType, string(public)), Namespace, "", hashName,
		fields(keyType, string(ed25519.Sign(key, signed(c.members[StatementMember])))))
	return c.Attach(pem.EncodeToMemory(&pem.Block{Type: armor, Bytes: []byte(blob)}))
}

// Attach adds a signature: a Sigstore bundle, or one of SSH. The latter has to be of the statement and
// replaces that by the same key.
func (c *Certificate) Attach(data []byte) error {
	name := "signatures/" + digest(data)[:16] + ".sigstore.json"
	if !json.Valid(data) {
		key, err := signedBy(data, c.members[StatementMember])
		if err != nil {
			return err
		}
		name = "signatures/" + digest(key)[:16] + ssh
	}
	if len(data) > maxSignature || len(c.members) == len(fixed)+maxSignatures {
		return fmt.Errorf("a certificate holds %d signatures of 1 MiB at most", maxSignatures)
	}
	c.members[name] = data
	return nil
}

// ssh ends the names of SSH signatures.
const ssh = ".sshsig"

// fields writes values as the protocol of SSH does: each with its length before it.
func fields(values ...string) string {
	var all []byte
	for _, v := range values {
		all = binary.BigEndian.AppendUint32(all, uint32(len(v))) // #nosec G115 -- all are short
		all = append(all, v...)
	}
	return string(all)
}

// cut reads n values behind what data has to begin with; nil if they are not there.
func cut(data, begin string, n int) (values []string) {
	data, found := strings.CutPrefix(data, begin)
	for range n {
		if !found || len(data) < 4 || uint64(binary.BigEndian.Uint32([]byte(data))) > uint64(len(data)-4) {
			return nil
		}
		end := 4 + int(binary.BigEndian.Uint32([]byte(data)))
		values, data = append(values, data[4:end]), data[end:]
	}
	return append(values, data)
}

// publicOf reads a public key of OpenSSH; nil if it is of another kind.
func publicOf(blob string) ed25519.PublicKey {
	v := cut(blob, fields(keyType), 1)
	if v == nil || v[1] != "" || len(v[0]) != ed25519.PublicKeySize {
		return nil
	}
	return ed25519.PublicKey(v[0])
}

// signed is what a signature of a text is made of.
func signed(text []byte) []byte {
	sum := sha512.Sum512(text)
	return []byte(signMagic + fields(Namespace, "", hashName, string(sum[:])))
}

// signedBy returns the key by which a text is signed. An error says why it is not.
func signedBy(signature, text []byte) (ed25519.PublicKey, error) {
	block, _ := pem.Decode(signature)
	if block == nil || block.Type != armor {
		return nil, errors.New("it is neither an SSH signature nor a Sigstore bundle")
	}
	v := cut(string(block.Bytes), signMagic+"\x00\x00\x00\x01", 5)
	if v == nil || v[1] != Namespace || v[3] != hashName {
		return nil, errors.New("it is no SSH signature for the namespace " + Namespace + " with " + hashName)
	}
	key, made := publicOf(v[0]), cut(v[4], fields(keyType), 1)
	if key == nil || made == nil {
		return nil, errors.New("it is by no Ed25519 key")
	}
	if !ed25519.Verify(key, signed(text), []byte(made[0])) {
		return nil, errors.New(StatementMember + " has been changed, or the signature: it does not hold")
	}
	return key, nil
}

// Fingerprint names a public key as "ssh-keygen -l" does.
func Fingerprint(key ed25519.PublicKey) string {
	sum := sha256.Sum256([]byte(fields(keyType, string(key))))
	return "SHA256:" + base64.RawStdEncoding.EncodeToString(sum[:])
}

// PrivateKey reads an Ed25519 key: PKCS #8 in PEM, or as OpenSSH writes it, without a passphrase.
func PrivateKey(data []byte) (ed25519.PrivateKey, error) {
	block, _ := pem.Decode(data)
	if block == nil {
		return nil, errors.New("no private key: it is no PEM file")
	}
	private, _ := x509.ParsePKCS8PrivateKey(block.Bytes)
	if key, ok := private.(ed25519.PrivateKey); ok {
		return key, nil
	}
	const none, checks = "none", 8 // bytes of two equal numbers
	head := cut(string(block.Bytes), "openssh-key-v1\x00", 3)
	if head != nil && head[0] != none {
		return nil, errors.New("the key has a passphrase: sign statement.json with ssh-keygen, and add the " +
			"signature with --sshsig")
	}
	if head != nil {
		keys := cut(head[3], "\x00\x00\x00\x01", 2)
		if keys != nil && len(keys[1]) > checks {
			v := cut(keys[1][checks:], fields(keyType), 2)
			if v != nil && len(v[1]) == ed25519.PrivateKeySize {
				return ed25519.PrivateKey(v[1]), nil
			}
		}
	}
	return nil, errors.New(`no Ed25519 private key: "ssh-keygen -t ed25519" and ` +
		`"openssl genpkey -algorithm ed25519" make one`)
}

// Trusted is a public key that a verifier trusts, and whose it is: the principals of an allowed_signers line,
// empty for a PEM file.
type Trusted struct {
	Key ed25519.PublicKey
	Who string
}

// allowed is a line of an allowed_signers file about an Ed25519 key, perhaps for some namespaces only, or the
// public key alone.
var allowed = regexp.MustCompile(`^(?:([^\s"]+)\s+(?:namespaces="([^"]*)"\s+)?)?` +
	`ssh-ed25519\s+([A-Za-z0-9+/=]+)(\s|$)`)

// TrustedKeys reads the keys of a file: a public key in PEM, or the Ed25519 keys of an allowed_signers file
// of OpenSSH that are trusted for [Namespace]. The error names the line.
func TrustedKeys(data []byte) ([]Trusted, error) {
	if block, _ := pem.Decode(data); block != nil {
		public, _ := x509.ParsePKIXPublicKey(block.Bytes)
		if key, ok := public.(ed25519.PublicKey); ok {
			return []Trusted{{Key: key}}, nil
		}
		return nil, errors.New("the PEM file holds no Ed25519 public key")
	}
	var all []Trusted
	for i, line := range strings.Split(string(data), "\n") {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' || !strings.Contains(line, keyType) {
			continue
		}
		m := allowed.FindStringSubmatch(line)
		if m == nil {
			return nil,
				fmt.Errorf("line %d is not PRINCIPALS [namespaces=\"...\"] %s KEY: other options are "+
					"not supported", i+1, keyType)
		}
		blob, err := base64.StdEncoding.DecodeString(m[3])
		key := publicOf(string(blob))
		if err != nil || key == nil {
			return nil, fmt.Errorf("line %d: the key cannot be read", i+1)
		}
		if m[2] == "" || slices.Contains(strings.Split(m[2], ","), Namespace) {
			all = append(all, Trusted{key, m[1]})
		}
	}
	if all == nil {
		return nil, errors.New("it names no Ed25519 key that is trusted for the namespace " + Namespace)
	}
	return all, nil
}
