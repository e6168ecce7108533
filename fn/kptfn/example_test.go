package kptfn_test

import (
	"fmt"
	"strings"

	"github.com/kptdev/krm-functions-sdk/go/fn"

	"github.com/krm-fields/krm-fields/fn/kptfn"
)

// setTeam is a function of one's own.
func setTeam(list *fn.ResourceList) (bool, error) {
	for _, item := range list.Items {
		if err := item.SetLabel("team", "shop"); err != nil {
			return false, err
		}
	}
	return true, nil
}

// The function runs behind another one. In a program, "fn.AsMain(both)" takes the place of fn.Run.
func ExampleProcess() {
	both := fn.ChainFunctions(setTeam, kptfn.Process)
	out, err := fn.Run(both, []byte(`apiVersion: config.kubernetes.io/v1
kind: ResourceList
items:
- apiVersion: apps/v1
  kind: Deployment
  metadata:
    name: web
  spec:
    replicas: 3 # the autoscaler's
    paused: false
functionConfig:
  apiVersion: fn.kpt.dev/v1alpha1
  kind: IgnoreFields
  ignoreFields:
  - jsonPointers: [/spec/replicas]
  objectHash: {emit: false}
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	list, _, _ := strings.Cut(string(out), "functionConfig:") // and the results
	fmt.Print(list)
	// Output:
	// apiVersion: config.kubernetes.io/v1
	// kind: ResourceList
	// items:
	// - apiVersion: apps/v1
	//   kind: Deployment
	//   metadata:
	//     name: web
	//     labels:
	//       team: shop
	//   spec:
	//     paused: false
}
