// Command apply-argocd applies as Argo CD does with the sync option ServerSideApply=true, by its
// own engine: https://github.com/argoproj/argo-cd/blob/v3.6.1/controller/sync.go. It is a module of
// its own because that needs Go 1.27.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"maps"
	"os"

	"github.com/argoproj/argo-cd/gitops-engine/v3/pkg/sync"
	"github.com/argoproj/argo-cd/gitops-engine/v3/pkg/sync/common"
	"github.com/argoproj/argo-cd/gitops-engine/v3/pkg/utils/kube"
	"github.com/argoproj/argo-cd/gitops-engine/v3/pkg/utils/tracing"
	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// A request is a line of the input, and an answer one of the output; see package drive beside this
// one.
type request struct {
	Package *unstructured.Unstructured `json:"package"`
	Live    *unstructured.Unstructured `json:"live"`
}

type answer struct {
	Sent  *unstructured.Unstructured `json:"sent"`
	Error string                     `json:"error,omitempty"`
}

func main() {
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	if err != nil {
		log.Fatal(err)
	}
	config.QPS = -1
	decoder, encoder := json.NewDecoder(bufio.NewReader(os.Stdin)), json.NewEncoder(os.Stdout)
	for {
		var r request
		err := decoder.Decode(&r)
		if errors.Is(err, io.EOF) {
			return
		}
		if err == nil {
			a := answer{Sent: r.Package}
			annotations := map[string]string{"argocd.argoproj.io/tracking-id": "shop"}
			maps.Copy(annotations, r.Package.GetAnnotations())
			r.Package.SetAnnotations(annotations)
			if err := apply(config, sync.ReconciliationResult{
				Target: []*unstructured.Unstructured{r.Package.DeepCopy()}, Live: []*unstructured.Unstructured{r.Live},
			}); err != nil {
				a.Error = err.Error()
			}
			err = encoder.Encode(a)
		}
		if err != nil {
			log.Fatal(err)
		}
	}
}

func apply(config *rest.Config, objects sync.ReconciliationResult) error {
	kubectl := &kube.KubectlCmd{Log: logr.Discard(), Tracer: tracing.NopTracer{}}
	syncing, cleanup, err := sync.NewSyncContext("", objects, config, config, kubectl, "default",
		sync.WithLogr(logr.Discard()), sync.WithOperationSettings(false, false, false, true), sync.WithManifestValidation(false),
		sync.WithServerSideApply(true), sync.WithServerSideApplyManager("argocd-controller"),
		sync.WithClientSideApplyMigration(true, common.DefaultClientSideApplyMigrationManager))
	if err != nil {
		return err
	}
	defer cleanup()
	for range 2 { // the first one is mostly a dry run
		syncing.Sync(context.Background())
	}
	_, message, results := syncing.GetState()
	if len(results) == 1 && results[0].Status == common.ResultCodeSynced {
		return nil
	}
	for _, r := range results {
		message += ": " + r.Message
	}
	return fmt.Errorf("%s", message)
}
