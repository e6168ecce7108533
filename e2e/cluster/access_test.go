package cluster

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// users are the users of the API server, with their groups.
var users = []struct{ name, groups string }{{admin, "system:masters"}, {deployer, ""}}

const (
	admin = "admin"
	// deployer has no permissions except those that a test gives it.
	deployer = "deployer"
)

// An access is what is needed to reach the API server: its self-signed certificate, and a token of
// each user. Both are new in each run.
type access struct {
	port        string
	token       map[string]string
	authority   []byte // the certificate, PEM
	certificate string // files of the API server
	key         string
	tokens      string
}

func newAccess(folder, port string) (*access, error) {
	a := &access{
		port:        port,
		token:       map[string]string{},
		certificate: filepath.Join(folder, "apiserver.crt"),
		key:         filepath.Join(folder, "apiserver.key"),
		tokens:      filepath.Join(folder, "tokens.csv"),
	}
	var lines strings.Builder
	for _, user := range users {
		a.token[user.name] = rand.Text()
		fmt.Fprintf(&lines, "%s,%s,%s,%s\n", a.token[user.name], user.name, user.name, user.groups)
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	certificate, err := selfSigned(key)
	if err != nil {
		return nil, err
	}
	keyText, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return nil, err
	}
	a.authority = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate})
	return a, errors.Join(
		os.WriteFile(a.certificate, a.authority, 0o600),
		os.WriteFile(a.key, pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: keyText}), 0o600),
		os.WriteFile(a.tokens, []byte(lines.String()), 0o600),
	)
}

// selfSigned returns a certificate for 127.0.0.1, in DER.
func selfSigned(key *ecdsa.PrivateKey) ([]byte, error) {
	now := time.Now()
	template := &x509.Certificate{
		SerialNumber:          big.NewInt(1),
		Subject:               pkix.Name{CommonName: "127.0.0.1"},
		NotBefore:             now.Add(-time.Hour),
		NotAfter:              now.Add(24 * time.Hour),
		IPAddresses:           []net.IP{net.IPv4(127, 0, 0, 1)},
		KeyUsage:              x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage:           []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		BasicConstraintsValid: true,
		IsCA:                  true,
	}
	return x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
}

func (a *access) kubeconfig(user string) string {
	return fmt.Sprintf(`apiVersion: v1
kind: Config
clusters:
- name: test
  cluster:
    server: https://127.0.0.1:%[1]s
    certificate-authority-data: %[2]s
users:
- name: %[3]s
  user:
    token: %[4]s
contexts:
- name: test
  context:
    cluster: test
    user: %[3]s
current-context: test
`, a.port, base64.StdEncoding.EncodeToString(a.authority), user, a.token[user])
}

func (a *access) client() (*http.Client, error) {
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(a.authority) {
		return nil, errors.New("the certificate must be PEM")
	}
	return &http.Client{
		Timeout:   5 * time.Second,
		Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}},
	}, nil
}

func (a *access) get(path string) *http.Request {
	return &http.Request{
		Method: http.MethodGet,
		URL:    &url.URL{Scheme: "https", Host: net.JoinHostPort("127.0.0.1", a.port), Path: path},
		Header: http.Header{"Authorization": {"Bearer " + a.token[admin]}},
	}
}
