package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/sigstore/cosign/v3/pkg/cosign"
	"github.com/sigstore/sigstore-go/pkg/bundle"
	"github.com/sigstore/sigstore-go/pkg/root"
	"github.com/sigstore/sigstore-go/pkg/verify"
)

// errType is a signature that does not say what it must.
var errType = errors.New("no signature is about a predicate of the type")

// predicates are the types that --type names in short.
var predicates = map[string]string{"slsaprovenance1": "https://slsa.dev/provenance/v1", "cyclonedx": "https://cyclonedx.org/bom"}

// checks are what the documentation has somebody check. There are no logs of signatures and of
// certificates here.
func (o *options) checks() (*cosign.CheckOpts, error) {
	certificate, err := o.certificate()
	if err != nil {
		return nil, err
	}
	authority := &root.FulcioCertificateAuthority{Root: certificate, ValidityPeriodStart: certificate.NotBefore, ValidityPeriodEnd: certificate.NotAfter}
	trusted, err := root.NewTrustedRoot(root.TrustedRootMediaType01, []root.CertificateAuthority{authority}, nil, nil, nil)
	if err != nil {
		return nil, err
	}
	return &cosign.CheckOpts{
		Identities: []cosign.Identity{{SubjectRegExp: o.identityPattern, Issuer: o.issuer}}, TrustedMaterial: trusted,
		IgnoreSCT: true, IgnoreTlog: true, NewBundleFormat: true,
	}, nil
}

func (o *options) verifyBlob(path string) error {
	checks, err := o.checks()
	if err != nil {
		return err
	}
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	signed, err := bundle.LoadJSONFromPath(o.bundle)
	if err != nil {
		return err
	}
	result, err := cosign.VerifyNewBundle(context.Background(), checks, verify.WithArtifact(file), signed)
	if err != nil {
		return err
	}
	if o.kind != "" && (result.Statement == nil || result.Statement.GetPredicateType() != predicates[o.kind]) {
		return errType
	}
	fmt.Println("Verified OK")
	return nil
}

func (o *options) verifyImage(image string) error {
	checks, err := o.checks()
	if err != nil {
		return err
	}
	reference, err := name.ParseReference(image)
	if err != nil {
		return err
	}
	found, _, err := cosign.VerifyImageAttestations(context.Background(), reference, checks)
	if err != nil {
		return err
	}
	for _, attestation := range found {
		var envelope struct{ Payload []byte }
		var said struct{ PredicateType string }
		payload, err := attestation.Payload()
		if err != nil {
			return err
		}
		if err := errors.Join(json.Unmarshal(payload, &envelope), json.Unmarshal(envelope.Payload, &said)); err != nil {
			return err
		}
		if o.kind == "" || said.PredicateType == predicates[o.kind] {
			fmt.Println("Verified OK")
			return nil
		}
	}
	return errType
}
