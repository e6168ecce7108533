//go:build unix

package hostile

import (
	"fmt"
	"strings"
)

const head = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\n"

// deployment is an item.
const deployment = `- apiVersion: apps/v1
  kind: Deployment
  metadata:
    name: web
  spec:
    replicas: 3
`

// replicas is a functionConfig that strips one field.
const replicas = `functionConfig:
  apiVersion: fn.kpt.dev/v1alpha1
  kind: IgnoreFields
  metadata:
    name: hostile
  ignoreFields:
  - jsonPointers: [/spec/replicas]
  objectHash: {emit: false}
  onNoMatch: Ignore
`

// list returns a ResourceList of items, as block list elements, and a functionConfig.
func list(items, functionConfig string) string {
	return head + "items:\n" + items + functionConfig
}

// with returns a list with an item that has more fields, indented by two, after those that are
// stripped.
func with(fields string) string {
	return list(deployment+fields, replicas)
}

// ignoring returns a list of a Deployment with rules for it, in flow style, and more fields of the
// functionConfig.
func ignoring(items, rule string, fields ...string) string {
	return list(items, `functionConfig:
  apiVersion: fn.kpt.dev/v1alpha1
  kind: IgnoreFields
  metadata:
    name: hostile
  objectHash: {emit: false}
  ignoreFields:
  - `+rule+"\n"+strings.Join(fields, ""))
}

// expression returns a rule with one expression.
func expression(field, text string) string {
	return fmt.Sprintf("%s: [%s]", field, quote(text))
}

// patching returns a list with patches of a Deployment, in flow style.
func patching(items, patches string) string {
	return list(items, `functionConfig:
  apiVersion: fn.kpt.dev/v1alpha1
  kind: ApplyPatches
  metadata:
    name: hostile
  patches:
  - target: {kind: Deployment}
`+patches)
}

// operating returns a list with operations, as lines indented by two.
func operating(items, operations string) string {
	return list(items, `functionConfig:
  apiVersion: fn.kpt.dev/v1alpha1
  kind: ApplyOperations
  metadata:
    name: hostile
`+operations)
}

// quote formats text as a single-quoted YAML scalar.
func quote(text string) string {
	return "'" + strings.ReplaceAll(text, "'", "''") + "'"
}
