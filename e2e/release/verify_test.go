package release

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/krm-fields/krm-fields/e2e/harness"
)

const (
	bundleType = "application/vnd.dev.sigstore.bundle.v0.3+json"
	inTotoType = "application/vnd.in-toto+json"
)

// bundle is what is used here of a Sigstore bundle, in which cosign and gh keep a signature:
// https://github.com/sigstore/protobuf-specs/blob/v0.5.1/protos/sigstore_bundle.proto.
type bundle struct {
	MediaType            string `json:"mediaType"`
	VerificationMaterial struct {
		PublicKey struct {
			Hint string `json:"hint"`
		} `json:"publicKey"`
	} `json:"verificationMaterial"`
	MessageSignature *messageSignature `json:"messageSignature,omitempty"`
	DSSEEnvelope     *envelope         `json:"dsseEnvelope,omitempty"`
}

type messageSignature struct {
	MessageDigest struct {
		Algorithm string `json:"algorithm"`
		Digest    []byte `json:"digest"`
	} `json:"messageDigest"`
	Signature []byte `json:"signature"`
}

type envelope struct {
	Payload     []byte `json:"payload"`
	PayloadType string `json:"payloadType"`
	Signatures  []struct {
		Sig []byte `json:"sig"`
	} `json:"signatures"`
}

// statement is the provenance of files: https://in-toto.io/Statement/v1.
type statement struct {
	Type          string    `json:"_type"`
	Subject       []subject `json:"subject"`
	PredicateType string    `json:"predicateType"`
	Predicate     any       `json:"predicate"`
}

type subject struct {
	Name   string            `json:"name"`
	Digest map[string]string `json:"digest"`
}

// signer signs in the place of the workflow, by a key that is made for the test.
type signer struct{ key *ecdsa.PrivateKey }

func (s signer) sign(t *testing.T, message []byte) []byte {
	t.Helper()
	digest := sha256.Sum256(message)
	signature, err := ecdsa.SignASN1(rand.Reader, s.key, digest[:])
	if err != nil {
		t.Fatal(err)
	}
	return signature
}

// encoded is the text of a DSSE envelope that is signed.
func encoded(payloadType string, payload []byte) []byte {
	return fmt.Appendf(nil, "DSSEv1 %d %s %d %s", len(payloadType), payloadType, len(payload), payload)
}

// verify checks the signature of a bundle as "cosign verify-blob" and "gh attestation verify" do,
// but for who has signed when, which only Sigstore's servers know. It returns the payload of an
// envelope.
func verify(key *ecdsa.PublicKey, text, message []byte) ([]byte, error) {
	var b bundle
	if err := json.Unmarshal(text, &b); err != nil {
		return nil, err
	}
	var signature []byte
	switch {
	case b.MediaType != bundleType:
		return nil, fmt.Errorf("the type must be %s, found %s", bundleType, b.MediaType)
	case b.DSSEEnvelope != nil && len(b.DSSEEnvelope.Signatures) == 1 && b.DSSEEnvelope.PayloadType == inTotoType:
		message, signature = encoded(inTotoType, b.DSSEEnvelope.Payload), b.DSSEEnvelope.Signatures[0].Sig
	case b.MessageSignature != nil:
		signature = b.MessageSignature.Signature
		if digest := sha256.Sum256(message); !bytes.Equal(b.MessageSignature.MessageDigest.Digest, digest[:]) {
			return nil, errors.New("the digest is that of another file")
		}
	default:
		return nil, errors.New("there must be one signature")
	}
	if digest := sha256.Sum256(message); !ecdsa.VerifyASN1(key, digest[:], signature) {
		return nil, errors.New("the signature is not that of the key")
	}
	if b.DSSEEnvelope != nil {
		return b.DSSEEnvelope.Payload, nil
	}
	return nil, nil
}

// TestSignatures signs what "make snapshot" has built, in the form of the files that the workflow
// adds to a release, and verifies each asset by them. It does so by the standard library, without
// cosign and gh: those want signatures of which Sigstore's servers know.
func TestSignatures(t *testing.T) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	s, folder := signer{key}, filepath.Join(clone, "dist")
	checksums := []byte(harness.ReadTree(t, folder)["checksums.txt"])
	digest := sha256.Sum256(checksums)
	signed := bundle{MediaType: bundleType, MessageSignature: &messageSignature{Signature: s.sign(t, checksums)}}
	signed.MessageSignature.MessageDigest.Algorithm, signed.MessageSignature.MessageDigest.Digest = "SHA2_256", digest[:]
	provenance := statement{Type: "https://in-toto.io/Statement/v1", PredicateType: "https://slsa.dev/provenance/v1"}
	listed := map[string]string{}
	for line := range strings.Lines(string(checksums)) {
		sum, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		listed[name] = sum
		provenance.Subject = append(provenance.Subject, subject{name, map[string]string{"sha256": sum}})
	}
	payload, err := json.Marshal(provenance)
	if err != nil {
		t.Fatal(err)
	}
	attested := bundle{MediaType: bundleType, DSSEEnvelope: &envelope{Payload: payload, PayloadType: inTotoType}}
	attested.DSSEEnvelope.Signatures = append(attested.DSSEEnvelope.Signatures, struct {
		Sig []byte `json:"sig"`
	}{s.sign(t, encoded(inTotoType, payload))})
	texts := map[string][]byte{}
	for name, b := range map[string]bundle{"checksums.txt.sigstore.json": signed, "krm-fields.intoto.jsonl": attested} {
		if texts[name], err = json.Marshal(b); err != nil {
			t.Fatal(err)
		}
	}

	if _, err := verify(&key.PublicKey, texts["checksums.txt.sigstore.json"], checksums); err != nil {
		t.Error(err)
	}
	if _, err := verify(&key.PublicKey, texts["checksums.txt.sigstore.json"], append(checksums, '\n')); err == nil {
		t.Error("another checksums.txt must not be verified")
	}
	got, err := verify(&key.PublicKey, texts["krm-fields.intoto.jsonl"], nil)
	if err != nil || !bytes.Equal(got, payload) {
		t.Fatalf("the provenance must be verified: %v", err)
	}
	other := bytes.Replace(texts["krm-fields.intoto.jsonl"], []byte(base64.StdEncoding.EncodeToString(payload)),
		[]byte(base64.StdEncoding.EncodeToString(bytes.Replace(payload, []byte("linux"), []byte("other"), 1))), 1)
	if _, err := verify(&key.PublicKey, other, nil); err == nil {
		t.Error("another provenance must not be verified")
	}
	page := harness.ReadTree(t, filepath.Join(harness.Root(), "docs", "start"))["install.md"]
	workflow := harness.ReadTree(t, filepath.Join(harness.Root(), ".github", "workflows"))["release.yml"]
	for name := range texts {
		if !strings.Contains(page, name) {
			t.Errorf("docs/start/install.md must name %s", name)
		}
	}
	if !strings.Contains(workflow, "subject-checksums: dist/checksums.txt") || !strings.Contains(workflow, "krm-fields.intoto.jsonl") {
		t.Error("release.yml must attest the files of checksums.txt")
	}
	for _, suffix := range []string{".tar.gz", ".deb", ".rpm", ".cdx.json"} {
		asset, err := os.ReadFile(dist(suffix))
		if err != nil {
			t.Fatal(err)
		}
		sum, name := sha256.Sum256(asset), filepath.Base(dist(suffix))
		if listed[name] != hex.EncodeToString(sum[:]) {
			t.Errorf("%s must be among the subjects with its digest, found %q", name, listed[name])
		}
	}
}
