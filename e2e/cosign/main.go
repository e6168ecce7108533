// Command cosign has the commands of cosign by which a release is signed and verified, with the
// flags that the workflow and the documentation give them, on the packages of cosign that do it:
// the whole cosign takes five minutes to compile. In the place of Sigstore's servers, an authority
// in a folder certifies who signs, and nothing is logged. `cosign registry` is a container registry
// in memory.
package main

import (
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/google/go-containerregistry/pkg/registry"
	"github.com/spf13/cobra"
)

func main() {
	o := &options{}
	program := &cobra.Command{Use: "cosign", SilenceUsage: true}
	program.PersistentFlags().StringVar(&o.authority, "authority", "", "folder of the authority")
	program.AddCommand(
		&cobra.Command{Use: "registry", Args: cobra.NoArgs, RunE: func(*cobra.Command, []string) error { return serve() }},
		&cobra.Command{Use: "authority", Args: cobra.NoArgs, RunE: func(*cobra.Command, []string) error { return o.found() }},
		o.signs("sign-blob", 1, o.signBlob),
		o.signs("attest-blob", 0, o.attestBlob),
		o.signs("sign", 1, o.signImage),
		o.signs("attest", 1, o.attestImage),
		o.verifies("verify-blob", o.verifyBlob),
		o.verifies("verify-blob-attestation", o.verifyBlob),
		o.verifies("verify", o.verifyImage),
		o.verifies("verify-attestation", o.verifyImage),
	)
	if err := program.Execute(); err != nil {
		os.Exit(1)
	}
}

// options are the flags of all commands.
type options struct {
	authority, identity               string
	yes                               bool
	bundle, kind, predicate, subjects string
	identityPattern, issuer           string
}

func (o *options) signs(name string, args int, do func(args []string) error) *cobra.Command {
	c := &cobra.Command{Use: name, Args: cobra.ExactArgs(args), RunE: func(_ *cobra.Command, args []string) error { return do(args) }}
	c.Flags().StringVar(&o.identity, "identity", "", "who signs, as the authority certifies")
	c.Flags().BoolVarP(&o.yes, "yes", "y", false, "ask nothing")
	c.Flags().StringVar(&o.bundle, "bundle", "", "file to write the signature to")
	c.Flags().StringVar(&o.kind, "type", "", "type of the predicate")
	c.Flags().StringVar(&o.predicate, "predicate", "", "file with the predicate")
	c.Flags().StringVar(&o.subjects, "statement", "", "file with the statement")
	return c
}

func (o *options) verifies(name string, do func(target string) error) *cobra.Command {
	c := &cobra.Command{Use: name, Args: cobra.ExactArgs(1), RunE: func(_ *cobra.Command, args []string) error { return do(args[0]) }}
	c.Flags().StringVar(&o.bundle, "bundle", "", "file with the signature")
	c.Flags().StringVar(&o.kind, "type", "", "type of the predicate")
	c.Flags().StringVar(&o.identityPattern, "certificate-identity-regexp", "", "who must have signed")
	c.Flags().StringVar(&o.issuer, "certificate-oidc-issuer", "", "who must have vouched for that")
	return c
}

// serve prints the address, and serves until somebody ends the process.
func serve() error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Printf("localhost:%d\n", listener.Addr().(*net.TCPAddr).Port)
	handler := registry.New(registry.Logger(log.New(io.Discard, "", 0)), registry.WithReferrersSupport(true))
	server := &http.Server{Handler: handler, ReadHeaderTimeout: time.Minute}
	return server.Serve(listener)
}
