// Command apply-helm applies as "helm upgrade --server-side=true" does, by the same library.
package main

import (
	"context"
	"encoding/json"
	"io"
	"log"
	"log/slog"
	"slices"

	"helm.sh/helm/v4/pkg/action"
	"helm.sh/helm/v4/pkg/chart/common"
	chart "helm.sh/helm/v4/pkg/chart/v2"
	"helm.sh/helm/v4/pkg/kube"
	rcommon "helm.sh/helm/v4/pkg/release/common"
	release "helm.sh/helm/v4/pkg/release/v1"
	"helm.sh/helm/v4/pkg/storage"
	"helm.sh/helm/v4/pkg/storage/driver"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/client-go/rest"

	"github.com/krm-fields/krm-fields/e2e/cluster/tools/drive"
)

const name, namespace = "shop", "default"

func main() {
	kube.ManagedFieldsManager = "helm" // as in the command
	slog.SetDefault(slog.New(slog.NewTextHandler(io.Discard, nil)))
	flags := genericclioptions.NewConfigFlags(true)
	flags.WrapConfigFn = func(c *rest.Config) *rest.Config {
		c.QPS = -1
		return c
	}
	config := action.NewConfiguration()
	if err := config.Init(flags, namespace, "memory"); err != nil {
		log.Fatal(err)
	}
	drive.Run(func(r drive.Request) error {
		text, err := json.Marshal(r.Package)
		if err != nil {
			return err
		}
		drive.Label(r.Package, map[string]string{"app.kubernetes.io/managed-by": "Helm"},
			map[string]string{"meta.helm.sh/release-name": name, "meta.helm.sh/release-namespace": namespace})
		// The release that is upgraded has had the object.
		config.Releases = storage.Init(driver.NewMemory())
		if err := config.Releases.Create(&release.Release{Name: name, Namespace: namespace, Version: 1, Manifest: string(text),
			Info: &release.Info{Status: rcommon.StatusDeployed}, Chart: charted(nil), ApplyMethod: string(method(r.Live))}); err != nil {
			return err
		}
		upgrade := action.NewUpgrade(config)
		upgrade.Namespace, upgrade.ServerSideApply, upgrade.ForceConflicts = namespace, "true", r.Force
		upgrade.WaitStrategy, upgrade.DisableHooks, upgrade.DisableOpenAPIValidation = kube.HookOnlyStrategy, true, true
		_, err = upgrade.RunWithContext(context.Background(), name, charted(text), nil)
		return err
	})
}

func charted(manifest []byte) *chart.Chart {
	return &chart.Chart{
		Metadata:  &chart.Metadata{APIVersion: chart.APIVersionV2, Name: name, Version: "1.0.0"},
		Templates: []*common.File{{Name: "templates/object.yaml", Data: manifest}},
	}
}

// method is how the release that is upgraded was applied: only client-side apply leaves a field
// manager helm that updates.
func method(live *unstructured.Unstructured) release.ApplyMethod {
	if live != nil && slices.ContainsFunc(live.GetManagedFields(), func(e metav1.ManagedFieldsEntry) bool {
		return e.Manager == kube.ManagedFieldsManager && e.Operation == metav1.ManagedFieldsOperationUpdate
	}) {
		return release.ApplyMethodClientSideApply
	}
	return release.ApplyMethodServerSideApply
}
