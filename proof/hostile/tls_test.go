//go:build unix

package hostile

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"math/big"
	"net"
	"time"
)

// secured puts TLS on a listener, with a certificate that nobody has to trust.
func secured(l net.Listener, wrong string) (net.Listener, error) {
	if wrong == "none" {
		return l, nil
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour),
		NotAfter:    time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
	switch wrong {
	case "expired":
		template.NotAfter = time.Now().Add(-time.Minute)
	case "other-host":
		template.IPAddresses, template.DNSNames = nil, []string{"mcpcheck.invalid"}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return nil, err
	}
	return tls.NewListener(l,
		&tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}), nil
}
