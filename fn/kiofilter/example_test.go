package kiofilter_test

import (
	"fmt"
	"os"
	"strings"

	"sigs.k8s.io/kustomize/kyaml/kio"
	"sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/krm-fields/krm-fields/fn/kiofilter"
)

// The filter is in a pipeline between a reader, here of one text, and a writer.
func ExampleFilter() {
	filter := &kiofilter.Filter{FunctionConfig: yaml.MustParse(`
apiVersion: fn.kpt.dev/v1alpha1
kind: IgnoreFields
ignoreFields:
- jsonPointers: [/spec/replicas]
objectHash: {emit: false}
`)}
	err := kio.Pipeline{
		Inputs: []kio.Reader{&kio.ByteReader{OmitReaderAnnotations: true, Reader: strings.NewReader(`
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  replicas: 3 # the autoscaler's
  paused: false
`)}},
		Filters: []kio.Filter{filter},
		Outputs: []kio.Writer{kio.ByteWriter{Writer: os.Stdout}},
	}.Execute()
	if err != nil {
		fmt.Println(err)
	}
	for _, result := range filter.Results {
		fmt.Println(result)
	}
	// Output:
	// apiVersion: apps/v1
	// kind: Deployment
	// metadata:
	//   name: web
	// spec:
	//   paused: false
	// [info] apps/v1/Deployment/web spec.replicas: 1 field removed: spec.replicas (ignoreFields[0].jsonPointers[0])
}
