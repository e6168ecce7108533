// Command apply-flux applies as Flux's kustomize-controller does, by the same library with the same
// options as its internal/controller/kustomization_controller.go.
package main

import (
	"context"
	"log"
	"os"

	"github.com/fluxcd/pkg/ssa"
	"github.com/fluxcd/pkg/ssa/normalize"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/krm-fields/krm-fields/e2e/cluster/tools/drive"
)

const (
	controller = "kustomize-controller"
	group      = "kustomize.toolkit.fluxcd.io"
)

func main() {
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	if err != nil {
		log.Fatal(err)
	}
	config.QPS = -1
	c, err := client.New(config, client.Options{})
	if err != nil {
		log.Fatal(err)
	}
	manager := ssa.NewResourceManager(c, nil, ssa.Owner{Field: controller, Group: group})
	drive.Run(func(r drive.Request) error {
		objects := []*unstructured.Unstructured{r.Package}
		manager.SetOwnerLabels(objects, "apps", "flux-system")
		if err := normalize.UnstructuredList(objects); err != nil {
			return err
		}
		_, err := manager.ApplyAll(context.Background(), []*unstructured.Unstructured{r.Package.DeepCopy()}, options())
		return err
	})
}

func options() ssa.ApplyOptions {
	o := ssa.DefaultApplyOptions()
	o.IfNotPresentSelector = map[string]string{group + "/ssa": "IfNotPresent"}
	o.Cleanup = ssa.ApplyCleanupOptions{
		Annotations: []string{corev1.LastAppliedConfigAnnotation, group + "/checksum", "fluxcd.io/sync-checksum"},
		Labels:      []string{"fluxcd.io/sync-gc-mark"},
		FieldManagers: []ssa.FieldManager{
			{Name: "kubectl", OperationType: metav1.ManagedFieldsOperationApply},
			{Name: "kubectl", OperationType: metav1.ManagedFieldsOperationUpdate},
			{Name: "before-first-apply", OperationType: metav1.ManagedFieldsOperationUpdate},
			{Name: controller, OperationType: metav1.ManagedFieldsOperationUpdate},
		},
		Exclusions: map[string]string{group + "/ssa": "Merge"},
	}
	return o
}
