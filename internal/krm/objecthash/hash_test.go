package objecthash

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"
)

const annotation = "open-cluster-management.io/object-hash"

// configMap is an object with all that is not hashed left out.
const configMap = `apiVersion: v1
kind: ConfigMap
metadata:
  name: test
  namespace: default
data:
  a: "1"
  b: x y
`

func TestComputeSHA256IsOfCanonicalJSON(t *testing.T) {
	json := `{"apiVersion":"v1","data":{"a":"1","b":"x y"},"kind":"ConfigMap",` +
		`"metadata":{"name":"test","namespace":"default"}}`
	sum := sha256.Sum256([]byte(json))
	if got, want := Compute(parse(t, configMap), SHA256, annotation), hex.EncodeToString(sum[:]); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestComputeIsEqual has ways to write configMap that leave the hash.
func TestComputeIsEqual(t *testing.T) {
	for name, text := range map[string]string{
		"key order": "data: {b: x y, a: '1'}\nmetadata: {namespace: default, name: test}\nkind: " +
			"ConfigMap\napiVersion: v1\n",
		"comments":     "# head\n" + strings.ReplaceAll(configMap, "\n", " # why\n"),
		"quoting":      strings.NewReplacer(`"1"`, `'1'`, "x y", `"\x78 y"`, "test", `"test"`).Replace(configMap),
		"indentation":  strings.ReplaceAll(configMap, "  ", "      "),
		"block scalar": strings.ReplaceAll(configMap, "x y", ">-\n    x\n    y"),
		"tag":          strings.ReplaceAll(configMap, `"1"`, "!!str 1"),
		"anchor":       strings.ReplaceAll(configMap, "default\n", "&ns default\n"),
		"alias": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: test, namespace: default}\ndata: {a: " +
			"&one '1', b: x y}\nstatus: *one\n",
		"merge key": "apiVersion: v1\nkind: ConfigMap\nstatus: &s {a: '1'}\nmetadata: {name: test, " +
			"namespace: default}\ndata: {<<: *s, b: x y}\n",
		"JSON": `{"kind":"ConfigMap","apiVersion":"v1",
"metadata":{"name":"test","namespace":"default"},"data":{"a":"1","b":"x y"}}`,
		"status":         configMap + "status: {ready: true}\n",
		"null timestamp": strings.ReplaceAll(configMap, "  name: test", "  creationTimestamp: null\n  name: test"),
		"own annotation": withMetadata("annotations: {" + annotation + ": abc}"),
		"kpt": withMetadata(`annotations:
    config.kubernetes.io/index: '0'
    config.kubernetes.io/path: cm.yaml
    internal.config.kubernetes.io/index: '0'
    internal.config.kubernetes.io/path: cm.yaml
    internal.config.kubernetes.io/seqindent: compact
    internal.config.k8s.io/kpt-resource-id: "3"`),
		"kustomize": withMetadata(`annotations:
    config.k8s.io/id: "1"
    internal.config.kubernetes.io/annotations-migration-resource-id: '0'
    kustomize.config.k8s.io/id: "1"`),
		"helm":              withMetadata("annotations: {postrenderer.helm.sh/postrender-filename: chart/templates/cm.yaml}"),
		"own rules":         withMetadata("annotations: {fn.kpt.dev/ignore-fields: '[]', fn.kpt.dev/ignored-fields: '[]'}"),
		"empty annotations": withMetadata("annotations: {}"),
		"null annotations":  withMetadata("annotations:"),
		"emptied labels":    withMetadata("labels: {}"),
	} {
		t.Run(name, func(t *testing.T) {
			for _, algorithm := range []string{SHA256, OCM} {
				want := Compute(parse(t, configMap), algorithm, annotation)
				if got := Compute(parse(t, text), algorithm, annotation); got != want {
					t.Errorf("%s: got %s, want %s for:\n%s", algorithm, got, want, text)
				}
			}
		})
	}
}

// withMetadata returns configMap with one more member of metadata.
func withMetadata(member string) string {
	return strings.ReplaceAll(configMap, "  name: test", "  "+member+"\n  name: test")
}

// TestComputeDiffers has objects that must not be taken for configMap, nor for each other.
func TestComputeDiffers(t *testing.T) {
	texts := map[string]string{
		"the object itself":   configMap,
		"a number":            strings.ReplaceAll(configMap, `"1"`, "1"),
		"a null":              strings.ReplaceAll(configMap, `"1"`, "null"),
		"an empty map":        configMap + "spec: {}\n",
		"an empty list":       configMap + "spec: []\n",
		"a null member":       configMap + "spec: null\n",
		"a status elsewhere":  configMap + "spec: {status: {}}\n",
		"empty labels inside": configMap + "spec: {metadata: {labels: {}}}\n",
		"a timestamp":         withMetadata("creationTimestamp: 2020-01-01T00:00:00Z"),
		"local-config":        withMetadata(`annotations: {config.kubernetes.io/local-config: "true"}`),
		"an annotation":       withMetadata("annotations: {example.com/config.kubernetes.io/path: x}"),
		"a label":             withMetadata("labels: {config.kubernetes.io/path: x}"),
		"a template's annotation": configMap +
			"spec: {template: {metadata: {annotations: {config.kubernetes.io/path: x}}}}\n",
		"large number": configMap + "spec: 9007199254740993\n",
		"its neighbor": configMap + "spec: 9007199254740992\n",
		"words":        configMap + "spec: {a: \"b c:d\"}\n",
		"members":      configMap + "spec: {a: b, c: d}\n",
	}
	seen := map[string]string{}
	for name, text := range texts {
		sum := Compute(parse(t, text), SHA256, annotation)
		if other, ok := seen[sum]; ok {
			t.Errorf("%q and %q have the same hash", name, other)
		}
		seen[sum] = name
	}
}

// TestComputeOfAbsentMetadata shows that an object which gets its metadata from the hash annotation
// alone keeps its hash.
func TestComputeOfAbsentMetadata(t *testing.T) {
	for _, algorithm := range []string{SHA256, OCM} {
		want := Compute(parse(t, "kind: A\n"), algorithm, annotation)
		got := Compute(parse(t, "kind: A\nmetadata: {annotations: {"+annotation+": "+want+"}}\n"), algorithm, annotation)
		if got != want {
			t.Errorf("%s: got %s, want %s", algorithm, got, want)
		}
	}
}

// TestComputeNullTimestamps shows that a null creationTimestamp goes at any depth, and the map that
// it leaves empty stays.
func TestComputeNullTimestamps(t *testing.T) {
	with := "spec:\n  template: {metadata: {creationTimestamp: null}}\n  claims: [{metadata: {name: a, " +
		"creationTimestamp: ~}}]\n"
	without := "spec:\n  template: {metadata: {}}\n  claims: [{metadata: {name: a}}]\n"
	for _, algorithm := range []string{SHA256, OCM} {
		got, want := Compute(parse(t, with), algorithm, annotation), Compute(parse(t, without), algorithm, annotation)
		if got != want {
			t.Errorf("%s: got %s, want %s", algorithm, got, want)
		}
	}
}
