// Package cert makes a certification authority for tests, and a certificate by it for one server:
//
//	config, ca, err := cert.New([]string{"mock"})
//	err = os.WriteFile("ca.pem", ca, 0o644)
//
// The keys exist in memory only, so nobody can sign anything by the authority afterwards.
package cert

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"slices"
	"time"
)

const (
	// life is how long the certificates are good, early how far back their begin lies, for clocks that
	// differ.
	life  = 90 * 24 * time.Hour
	early = time.Hour
)

// New makes the TLS configuration of a server that is called by the names of this machine (localhost and its
// loopback addresses) and by further hosts, names or IP addresses, and the authority that clients have to
// trust, in PEM.
func New(hosts []string) (config *tls.Config, ca []byte, err error) {
	authorityKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, err
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, err
	}
	authority, err := template("mockserver CA")
	if err != nil {
		return nil, nil, err
	}
	authority.IsCA, authority.BasicConstraintsValid, authority.MaxPathLenZero = true, true, true
	authority.KeyUsage = x509.KeyUsageCertSign | x509.KeyUsageCRLSign
	authorityDER, err := x509.CreateCertificate(rand.Reader, authority, authority, &authorityKey.PublicKey,
		authorityKey)
	if err != nil {
		return nil, nil, err
	}
	if authority, err = x509.ParseCertificate(authorityDER); err != nil { // which has the id of its key now
		return nil, nil, err
	}
	server, err := template("mockserver")
	if err != nil {
		return nil, nil, err
	}
	server.KeyUsage, server.ExtKeyUsage = x509.KeyUsageDigitalSignature,
		[]x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	for _, host := range append([]string{"localhost", "127.0.0.1", "::1"}, hosts...) {
		if ip := net.ParseIP(host); ip != nil {
			server.IPAddresses = append(server.IPAddresses, ip)
		} else if !slices.Contains(server.DNSNames, host) {
			server.DNSNames = append(server.DNSNames, host)
		}
	}
	serverDER, err := x509.CreateCertificate(rand.Reader, server, authority, &key.PublicKey, authorityKey)
	if err != nil {
		return nil, nil, err
	}
	config = &tls.Config{
		MinVersion:   tls.VersionTLS12,
		Certificates: []tls.Certificate{{Certificate: [][]byte{serverDER}, PrivateKey: key}},
	}
	return config, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: authorityDER}), nil
}

// template is what the certificates have in common.
func template(name string) (*x509.Certificate, error) {
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return nil, err
	}
	now := time.Now()
	return &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: name, Organization: []string{"mockserver"}},
		NotBefore: now.Add(-early), NotAfter: now.Add(life),
	}, nil
}
