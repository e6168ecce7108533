package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"encoding/json"
	"math/big"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/sigstore/cosign/v3/pkg/cosign/attestation"
	"github.com/sigstore/cosign/v3/pkg/oci/remote"
	"github.com/sigstore/cosign/v3/pkg/types"
	"github.com/sigstore/sigstore-go/pkg/sign"
	"google.golang.org/protobuf/encoding/protojson"
)

// The files of an authority.
const (
	keyFile         = "authority.key"
	certificateFile = "authority.der"
)

// found makes an authority: a key, and its own certificate.
func (o *options) found() error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	certificate := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "authority"}, KeyUsage: x509.KeyUsageCertSign, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
	}
	der, err := x509.CreateCertificate(rand.Reader, certificate, certificate, &key.PublicKey, key)
	if err != nil {
		return err
	}
	private, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(o.authority, keyFile), private, 0o600); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(o.authority, certificateFile), der, 0o600)
}

// oidIssuer is the extension with who has vouched for the identity:
// https://github.com/sigstore/fulcio/blob/v1.8.5/docs/oid-info.md.
var oidIssuer = asn1.ObjectIdentifier{1, 3, 6, 1, 4, 1, 57264, 1, 8}

// GetCertificate certifies a key as Fulcio does that of a workflow of GitHub.
func (o *options) GetCertificate(_ context.Context, pair sign.Keypair, _ *sign.CertificateProviderOptions) ([]byte, error) {
	private, err := os.ReadFile(filepath.Join(o.authority, keyFile))
	if err != nil {
		return nil, err
	}
	key, err := x509.ParseECPrivateKey(private)
	if err != nil {
		return nil, err
	}
	authority, err := o.certificate()
	if err != nil {
		return nil, err
	}
	identity, err := url.Parse(o.identity)
	if err != nil {
		return nil, err
	}
	issuer, err := asn1.MarshalWithParams("https://token.actions.githubusercontent.com", "utf8")
	if err != nil {
		return nil, err
	}
	return x509.CreateCertificate(rand.Reader, &x509.Certificate{
		SerialNumber: big.NewInt(2), URIs: []*url.URL{identity}, ExtraExtensions: []pkix.Extension{{Id: oidIssuer, Value: issuer}},
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageCodeSigning},
		NotBefore: time.Now().Add(-time.Minute), NotAfter: time.Now().Add(time.Hour),
	}, authority, pair.GetPublicKey(), key)
}

// certificate is that of the authority.
func (o *options) certificate() (*x509.Certificate, error) {
	der, err := os.ReadFile(filepath.Join(o.authority, certificateFile))
	if err != nil {
		return nil, err
	}
	return x509.ParseCertificate(der)
}

// signed is the bundle with a signature of the content, by a key that is made for it.
func (o *options) signed(content sign.Content) ([]byte, error) {
	pair, err := sign.NewEphemeralKeypair(nil)
	if err != nil {
		return nil, err
	}
	bundle, err := sign.Bundle(content, pair, sign.BundleOptions{CertificateProvider: o})
	if err != nil {
		return nil, err
	}
	return protojson.Marshal(bundle)
}

func (o *options) signBlob(args []string) error {
	data, err := os.ReadFile(args[0])
	if err != nil {
		return err
	}
	bundle, err := o.signed(&sign.PlainData{Data: data})
	if err != nil {
		return err
	}
	return os.WriteFile(o.bundle, bundle, 0o600)
}

func (o *options) attestBlob([]string) error {
	data, err := os.ReadFile(o.subjects)
	if err != nil {
		return err
	}
	bundle, err := o.signed(statement(data))
	if err != nil {
		return err
	}
	return os.WriteFile(o.bundle, bundle, 0o600)
}

func statement(data []byte) sign.Content {
	return &sign.DSSEData{Data: data, PayloadType: "application/vnd.in-toto+json"}
}

func (o *options) signImage(args []string) error {
	o.kind = types.CosignSignPredicateType
	return o.attach(args[0], strings.NewReader("{}"))
}

func (o *options) attestImage(args []string) error {
	predicate, err := os.Open(o.predicate)
	if err != nil {
		return err
	}
	defer predicate.Close()
	return o.attach(args[0], predicate)
}

// attach adds a statement about an image to its registry.
func (o *options) attach(image string, predicate interface{ Read([]byte) (int, error) }) error {
	digest, err := name.NewDigest(image)
	if err != nil {
		return err
	}
	_, sum, _ := strings.Cut(digest.DigestStr(), ":")
	said, err := attestation.GenerateStatement(attestation.GenerateOpts{Predicate: predicate, Type: o.kind, Digest: sum, Repo: digest.Repository.String()})
	if err != nil {
		return err
	}
	data, err := json.Marshal(said)
	if err != nil {
		return err
	}
	bundle, err := o.signed(statement(data))
	if err != nil {
		return err
	}
	return remote.WriteAttestationNewBundleFormat(digest, bundle, o.kind)
}
