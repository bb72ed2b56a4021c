package main

import (
	"encoding/base64"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"

	bundlepb "github.com/sigstore/protobuf-specs/gen/pb-go/bundle/v1"
	commonpb "github.com/sigstore/protobuf-specs/gen/pb-go/common/v1"
	rekorpb "github.com/sigstore/protobuf-specs/gen/pb-go/rekor/v1"
	"github.com/sigstore/sigstore-go/pkg/bundle"
	"github.com/sigstore/sigstore-go/pkg/root"
	"github.com/sigstore/sigstore-go/pkg/testing/ca"
	"github.com/sigstore/sigstore-go/pkg/tlog"
)

const (
	identity = "release@example.com"
	issuer   = "https://issuer.example.com"
)

// TestVerify: a bundle holds for the statement that was signed, for who signed it, and by the roots that
// vouch for both.
func TestVerify(t *testing.T) {
	sigstore, err := ca.NewVirtualSigstore()
	if err != nil {
		t.Fatal(err)
	}
	other, err := ca.NewVirtualSigstore()
	if err != nil {
		t.Fatal(err)
	}
	statement := []byte(`{"schema":"mcpcheck.certificate/1"}`)
	dir := t.TempDir()
	file := func(name string, data []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	signature := file("bundle.json", sign(t, sigstore, statement))
	ours, theirs := file("root.json", trustedRoot(t, sigstore)), file("other.json", trustedRoot(t, other))
	text, changed := file("statement.json", statement), file("changed.json", append(statement, '\n'))
	for name, c := range map[string]struct {
		root, identity, issuer, statement string
		status                            int
	}{
		"holds":               {ours, identity, issuer, text, 0},
		"another statement":   {ours, identity, issuer, changed, 1},
		"somebody else":       {ours, "eve@example.com", issuer, text, 1},
		"another issuer":      {ours, identity, "https://example.com", text, 1},
		"another root":        {theirs, identity, issuer, text, 1},
		"nobody is named":     {ours, "", issuer, text, 2},
		"there is no root":    {filepath.Join(dir, "none"), identity, issuer, text, 1},
		"that is no root":     {text, identity, issuer, text, 1},
		"there is no subject": {ours, identity, issuer, filepath.Join(dir, "none"), 1},
	} {
		var out, complaints strings.Builder
		status := run([]string{"verify", "--bundle", signature, "--trusted-root", c.root, "--identity",
			c.identity,
			"--issuer", c.issuer, c.statement}, &out, &complaints)
		if status != c.status || (status == 0) != strings.Contains(out.String(), identity) ||
			(status == 0) != (complaints.Len() == 0) {
			t.Errorf("%s: exit %d, %q, %q", name, status, out.String(), complaints.String())
		}
	}
}

// sign is a bundle over a text.
func sign(t *testing.T, by *ca.VirtualSigstore, text []byte) []byte {
	t.Helper()
	signed, err := by.Sign(identity, issuer, text)
	if err != nil {
		t.Fatal(err)
	}
	held, err := signed.VerificationContent()
	if err != nil {
		t.Fatal(err)
	}
	content, err := signed.SignatureContent()
	if err != nil {
		t.Fatal(err)
	}
	entries, err := signed.TlogEntries()
	if err != nil {
		t.Fatal(err)
	}
	stamps, err := signed.Timestamps()
	if err != nil {
		t.Fatal(err)
	}
	message := content.MessageSignatureContent()
	material := &bundlepb.VerificationMaterial{
		Content: &bundlepb.VerificationMaterial_X509CertificateChain{
			X509CertificateChain: &commonpb.X509CertificateChain{
				Certificates: []*commonpb.X509Certificate{{RawBytes: held.Certificate().Raw}}}},
		TimestampVerificationData: &bundlepb.TimestampVerificationData{},
	}
	for _, e := range entries {
		entry := e.TransparencyLogEntry()
		entry.KindVersion = &rekorpb.KindVersion{Kind: "hashedrekord", Version: "0.0.1"}
		promise, err := by.RekorSignPayload(tlog.RekorPayload{Body: base64.StdEncoding.EncodeToString(
			entry.CanonicalizedBody), IntegratedTime: entry.IntegratedTime, LogIndex: entry.LogIndex,
			LogID: hex.EncodeToString(entry.LogId.KeyId)})
		if err != nil {
			t.Fatal(err)
		}
		entry.InclusionPromise = &rekorpb.InclusionPromise{SignedEntryTimestamp: promise}
		material.TlogEntries = append(material.TlogEntries, entry)
	}
	for _, s := range stamps {
		material.TimestampVerificationData.Rfc3161Timestamps = append(
			material.TimestampVerificationData.Rfc3161Timestamps,
			&commonpb.RFC3161SignedTimestamp{SignedTimestamp: s})
	}
	b, err := bundle.NewBundle(&bundlepb.Bundle{
		MediaType: "application/vnd.dev.sigstore.bundle+json;version=0.1", VerificationMaterial: material,
		Content: &bundlepb.Bundle_MessageSignature{MessageSignature: &commonpb.MessageSignature{
			MessageDigest: &commonpb.HashOutput{Algorithm: commonpb.HashAlgorithm_SHA2_256,
				Digest: message.Digest()},
			Signature: message.Signature()}},
	})
	if err != nil {
		t.Fatal(err)
	}
	raw, err := b.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// trustedRoot is a file that trusts a Sigstore.
func trustedRoot(t *testing.T, of *ca.VirtualSigstore) []byte {
	t.Helper()
	logs := of.RekorLogs()
	for id, log := range logs { // where it has the digits instead of the bytes
		raw, err := hex.DecodeString(id)
		if err != nil {
			t.Fatal(err)
		}
		log.ID = raw
	}
	r, err := root.NewTrustedRoot(root.TrustedRootMediaType01, of.FulcioCertificateAuthorities(), nil,
		of.TimestampingAuthorities(), logs)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := r.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	return raw
}
