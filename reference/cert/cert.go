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
	authority, authorityKey, err := issue("mockserver CA", &x509.Certificate{
		IsCA: true, BasicConstraintsValid: true, MaxPathLenZero: true,
		KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageCRLSign,
	}, nil, nil)
	if err != nil {
		return nil, nil, err
	}
	server := &x509.Certificate{KeyUsage: x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}}
	for _, host := range append([]string{"localhost", "127.0.0.1", "::1"}, hosts...) {
		if ip := net.ParseIP(host); ip != nil {
			server.IPAddresses = append(server.IPAddresses, ip)
		} else if !slices.Contains(server.DNSNames, host) {
			server.DNSNames = append(server.DNSNames, host)
		}
	}
	server, key, err := issue("mockserver", server, authority, authorityKey)
	if err != nil {
		return nil, nil, err
	}
	config = &tls.Config{
		MinVersion:   tls.VersionTLS12,
		Certificates: []tls.Certificate{{Certificate: [][]byte{server.Raw}, PrivateKey: key}},
	}
	return config, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: authority.Raw}), nil
}

// issue makes a key and a certificate for it with that name, signed by an authority, or by itself if there is
// none.
func issue(name string, c, authority *x509.Certificate, authorityKey *ecdsa.PrivateKey) (*x509.Certificate,
	*ecdsa.PrivateKey, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, err
	}
	now := time.Now()
	c.Subject = pkix.Name{CommonName: name, Organization: []string{"mockserver"}}
	c.NotBefore, c.NotAfter = now.Add(-early), now.Add(life)
	if authority == nil {
		authority, authorityKey = c, key
	}
	der, err := x509.CreateCertificate(rand.Reader, c, authority, &key.PublicKey, authorityKey)
	if err != nil {
		return nil, nil, err
	}
	made, err := x509.ParseCertificate(der)
	return made, key, err
}
