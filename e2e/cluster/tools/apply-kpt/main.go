// Command apply-kpt applies as "kpt live apply --server-side" does, by the same library, whose
// inventory is a ConfigMap here.
package main

import (
	"context"
	"log"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/client-go/rest"
	cmdutil "k8s.io/kubectl/pkg/cmd/util"
	"sigs.k8s.io/cli-utils/pkg/apply"
	"sigs.k8s.io/cli-utils/pkg/apply/event"
	"sigs.k8s.io/cli-utils/pkg/common"
	"sigs.k8s.io/cli-utils/pkg/inventory"
	"sigs.k8s.io/cli-utils/pkg/kstatus/watcher"
	"sigs.k8s.io/cli-utils/pkg/object"

	"github.com/krm-fields/krm-fields/e2e/cluster/tools/drive"
)

func main() {
	flags := genericclioptions.NewConfigFlags(true)
	flags.WrapConfigFn = func(c *rest.Config) *rest.Config {
		c.QPS = -1
		return c
	}
	factory := cmdutil.NewFactory(flags)
	client, err := inventory.ClusterClientFactory{StatusPolicy: inventory.StatusPolicyNone}.NewClient(factory)
	if err != nil {
		log.Fatal(err)
	}
	applier, err := apply.NewApplierBuilder().WithFactory(factory).WithInventoryClient(client).
		WithStatusWatcher(watcher.BlindStatusWatcher{}).Build() // there are no controllers
	if err != nil {
		log.Fatal(err)
	}
	drive.Run(func(r drive.Request) error {
		id := "i-" + r.Package.GetName()
		events := applier.Run(context.Background(), inventoryNamed(id), object.UnstructuredSet{r.Package.DeepCopy()}, apply.ApplierOptions{
			ServerSideOptions: common.ServerSideOptions{ServerSideApply: true, ForceConflicts: r.Force, FieldManager: r.Manager},
			InventoryPolicy:   inventory.PolicyAdoptAll, NoPrune: true, ReconcileTimeout: time.Millisecond,
		})
		drive.Label(r.Package, nil, map[string]string{inventory.OwningInventoryKey: id})
		return failure(events)
	})
}

func inventoryNamed(id string) inventory.Info {
	return inventory.WrapInventoryInfoObj(&unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap",
		"metadata": map[string]any{"name": id, "namespace": "default", "labels": map[string]any{common.InventoryLabel: id}},
	}})
}

// failure is the first error of an apply, which it awaits the end of.
func failure(events <-chan event.Event) error {
	var failed error
	for e := range events {
		switch {
		case failed != nil:
		case e.Type == event.ErrorType:
			failed = e.ErrorEvent.Err
		case e.Type == event.ApplyType && e.ApplyEvent.Error != nil:
			failed = e.ApplyEvent.Error
		case e.Type == event.ValidationType:
			failed = e.ValidationEvent.Error
		}
	}
	return failed
}
