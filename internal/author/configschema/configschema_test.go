package configschema_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/krm-fields/krm-fields/e2e/golden"
	"github.com/krm-fields/krm-fields/fn"
	"github.com/krm-fields/krm-fields/internal/author/configschema"
	"github.com/krm-fields/krm-fields/internal/krm/manifests"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/krm/resourcelist"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

func TestCommitted(t *testing.T) {
	for _, kind := range configschema.Kinds() {
		text, err := configschema.Of(kind).Text()
		if err != nil {
			t.Fatal(err)
		}
		golden.ExpectFile(t, filepath.Join("../../../schema", configschema.FileName(kind)), string(text))
	}
}

func TestExamples(t *testing.T) {
	accepted := 0
	err := filepath.WalkDir("../../../examples", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".yaml" {
			return err
		}
		files, err := manifests.Read([]string{path}, nil)
		if err != nil {
			return err
		}
		for _, o := range manifests.Objects(files) {
			if !slices.Contains(configschema.Kinds(), tree.GetString(o.Root(), "kind")) {
				continue
			}
			accepted++
			if err := golden.Validate(t, configschema.Of(tree.GetString(o.Root(), "kind")), o.Root()); err != nil {
				t.Errorf("%s must be accepted, but %v", path, err)
			}
			line := "# yaml-language-server: $schema=" + configschema.Of(tree.GetString(o.Root(), "kind")).ID + "\n"
			if !strings.HasPrefix(string(read(t, path)), line) {
				t.Errorf("%s must name its schema for editors in its first line:\n%s", path, line)
			}
		}
		return nil
	})
	if err != nil || accepted == 0 {
		t.Fatalf("there must be functionConfigs in the examples, found %d, %v", accepted, err)
	}
}

// TestGolden accepts the functionConfig of each golden case, unless the results say that the
// functionConfig is faulty: then the schema must refuse it. Where a schema can't know the fault,
// the setting "schema" of the case says why.
func TestGolden(t *testing.T) {
	for _, c := range golden.Lists(t, "../../../testdata") {
		list, err := resourcelist.Read(c.List(t))
		if err != nil || !slices.Contains(configschema.Kinds(), tree.GetString(list.FunctionConfig, "kind")) {
			continue
		}
		refused := golden.Validate(t, configschema.Of(tree.GetString(list.FunctionConfig, "kind")), list.FunctionConfig)
		faulty, beyond := saysFaulty(c), c.Setting("schema") != ""
		if faulty && !beyond != (refused != nil) || beyond && !faulty {
			t.Errorf("%s: the run says that the functionConfig is faulty: %v; the schema says: %v, and is said not to know: %v",
				c.Name, faulty, refused, beyond)
		}
	}
}

// saysFaulty tells whether results of a golden case name faults of the functionConfig: the case
// writes no resourceRef then.
func saysFaulty(c *golden.Case) bool {
	faulty, ofConfig := false, false
	for line := range strings.Lines(string(c.File("results"))) {
		switch {
		case !strings.HasPrefix(line, "  "):
			ofConfig = true
		case strings.HasPrefix(line, "  resourceRef: "):
			ofConfig = false
		default:
			faulty = faulty || ofConfig && strings.Contains(line, "reason: "+report.ReasonInvalidFunctionConfig)
		}
	}
	return faulty || strings.Contains(string(c.File("changes")), report.ReasonInvalidFunctionConfig)
}

const objectA = "object: {apiVersion: v1, kind: A, metadata: {name: a}}"

// TestRefused has one fault a case.
func TestRefused(t *testing.T) {
	tests := map[string]struct{ kind, text string }{
		"no rule":                    {"IgnoreFields", "metadata: {}"},
		"rule without expressions":   {"IgnoreFields", "ignoreFields: [{condition: OnSpokePresent}]"},
		"empty list of expressions":  {"IgnoreFields", "ignoreFields: [{jsonPaths: []}]"},
		"rule that is null":          {"IgnoreFields", "ignoreFields: [null]"},
		"unknown field":              {"IgnoreFields", "ignoreFields: [{jsonPaths: [.a]}]\nselector: []"},
		"unknown field of a rule":    {"IgnoreFields", "ignoreFields: [{jsonPaths: [.a], jsonPath: .b}]"},
		"condition":                  {"IgnoreFields", "ignoreFields: [{jsonPaths: [.a], condition: Never}]"},
		"pointer without a slash":    {"IgnoreFields", "ignoreFields: [{jsonPointers: [spec]}]"},
		"empty pointer":              {"IgnoreFields", `ignoreFields: [{jsonPointers: [""]}]`},
		"tilde in a pointer":         {"IgnoreFields", "ignoreFields: [{jsonPointers: [/a~2]}]"},
		"string for a list":          {"IgnoreFields", "ignoreFields: [{jsonPointers: /a}]"},
		"number for a string":        {"IgnoreFields", "ignoreFields: [{jsonPaths: [.a]}]\nselectors: [{version: 1}]"},
		"group with its version":     {"IgnoreFields", "ignoreFields: [{jsonPaths: [.a]}]\nselectors: [{group: apps/v1}]"},
		"selector without a field":   {"IgnoreFields", "ignoreFields: [{jsonPaths: [.a]}]\nselectors: [{}]"},
		"blank label selector":       {"IgnoreFields", `ignoreFields: [{jsonPaths: [.a], selectors: [{labelSelector: " "}]}]`},
		"string for a boolean":       {"IgnoreFields", "ignoreFields: [{jsonPaths: [.a]}]\nobjectHash: {emit: \"true\"}"},
		"duration without a unit":    {"IgnoreFields", "ignoreFields: [{jsonPaths: [.a]}]\njq: {timeout: 1}"},
		"unit of memory":             {"IgnoreFields", "ignoreFields: [{jsonPaths: [.a]}]\njq: {memoryLimit: 256MiB}"},
		"no memory":                  {"IgnoreFields", "ignoreFields: [{jsonPaths: [.a]}]\njq: {memoryLimit: 0}"},
		"within that is empty":       {"IgnoreFields", "ignoreFields: [{jsonPaths: [.a], within: []}]"},
		"within without expressions": {"IgnoreFields", "ignoreFields: [{jsonPaths: [.a], within: {format: JSON}}]"},
		"within off the root":        {"IgnoreFields", "ignoreFields: [{jsonPaths: [.a], within: [{jsonPointers: [data]}]}]"},
		"JSONPath without a dot":     {"IgnoreFields", "ignoreFields: [{jsonPaths: [spec]}]"},
		"blank jq":                   {"IgnoreFields", `ignoreFields: [{jqPathExpressions: [" "]}]`},
		"hash without a name":        {"IgnoreFields", "ignoreFields: [{jsonPaths: [.a]}]\nobjectHash: {annotation: a/b/c}"},
		"limit that is too large":    {"IgnoreFields", "ignoreFields: [{jsonPaths: [.a]}]\nresults: {limit: 2147483648}"},
		"template in a target":       {"ApplyPatches", `patches: [{target: {labels: {a: "${b}"}}, operations: [{op: remove, path: /a}]}]`},
		"where that is blank":        {"ApplyPatches", `patches: [{target: {kind: A, where: " "}, operations: [{op: remove, path: /a}]}]`},
		"forEach of plain text":      {"ApplyPatches", "removes: [{target: {kind: A}, forEach: a}]"},
		"var with a dash":            {"ApplyPatches", `removes: [{target: {kind: A}, forEach: "${[1]}", var: a-b}]`},
		"metadata that is a list":    {"ApplyOperations", "operations: [{operation: Create, object: {apiVersion: v1, kind: A, metadata: []}}]"},
		"object of plain text":       {"ApplyOperations", "operations: [{operation: Create, object: a}]"},
		"filter that is blank":       {"ApplyOperations", `operations: [{operation: JQPatch, kind: A, name: a, jqFilter: " "}]`},
		"patch of plain text":        {"ApplyOperations", "operations: [{operation: MergePatch, kind: A, name: a, mergePatch: a}]"},
		"no patch":                   {"ApplyPatches", "parameters: {}"},
		"patch with both forms":      {"ApplyPatches", "patches: [{op: remove, path: /a, operations: [{op: remove, path: /a}]}]"},
		"patch without a path":       {"ApplyPatches", "patches: [{op: remove}]"},
		"patch without a value":      {"ApplyPatches", "patches: [{op: add, path: /a}]"},
		"target without a field":     {"ApplyPatches", "patches: [{target: {}, operations: [{op: remove, path: /a}]}]"},
		"patch without operations":   {"ApplyPatches", "patches: [{target: {kind: A}}]"},
		"unknown op":                 {"ApplyPatches", "patches: [{target: {kind: A}, operations: [{op: move, path: /a}]}]"},
		"add without a value":        {"ApplyPatches", "patches: [{target: {kind: A}, operations: [{op: add, path: /a}]}]"},
		"null selector":              {"IgnoreFields", "ignoreFields: [{jsonPaths: [.a]}]\nselectors: [{kind: , labels: {}}]"},
		"record and expressions":     {"IgnoreFields", "ignoreFields: [{fromAnnotation: true, jsonPaths: [.a]}]"},
		"owners and expressions":     {"IgnoreFields", "ignoreFields: [{fromOwners: true, jsonPaths: [.a]}]"},
		"owners and record":          {"IgnoreFields", "ignoreFields: [{fromOwners: true, fromAnnotation: true}]"},
		"no time":                    {"IgnoreFields", "ignoreFields: [{jsonPaths: [.a]}]\njq: {timeout: 0ms}"},
		"no memory in text":          {"IgnoreFields", "ignoreFields: [{jsonPaths: [.a]}]\njq: {memoryLimit: 0Mi}"},
		"blank path":                 {"ApplyPatches", `patches: [{target: {kind: A}, operations: [{op: remove, path: ""}]}]`},
		"path without a slash":       {"ApplyPatches", "patches: [{target: {kind: A}, operations: [{op: remove, path: spec}]}]"},
		"ensure without a key":       {"ApplyPatches", "patches: [{target: {kind: A}, operations: [{op: ensure, path: /a, value: {a: b}}]}]"},
		"ensure with an odd key":     {"ApplyPatches", "patches: [{target: {kind: A}, operations: [{op: ensure, path: /a, key: 1, value: {a: b}}]}]"},
		"ensure of a list":           {"ApplyPatches", "patches: [{target: {kind: A}, operations: [{op: ensure, path: /a, key: a, value: [b]}]}]"},
		"key of an add":              {"ApplyPatches", "patches: [{target: {kind: A}, operations: [{op: add, path: /a, key: a, value: b}]}]"},
		"mergeShallow of a string":   {"ApplyPatches", "patches: [{target: {kind: A}, operations: [{op: mergeShallow, path: /a, value: b}]}]"},
		"var without forEach":        {"ApplyPatches", "patches: [{target: {kind: A}, var: a, operations: [{op: remove, path: /a}]}]"},
		"var of removes":             {"ApplyPatches", "removes: [{target: {kind: A}, var: a}]"},
		"removal of anything":        {"ApplyPatches", "removes: [{target: {where: }}]"},
		"no operation":               {"ApplyOperations", "operations: []"},
		"nameless operation":         {"ApplyOperations", "operations: [{kind: A, name: a}]"},
		"unknown operation":          {"ApplyOperations", "operations: [{operation: Drop, kind: A, name: a}]"},
		"create without an object":   {"ApplyOperations", "operations: [{operation: Create}]"},
		"create without a name":      {"ApplyOperations", "operations: [{operation: Create, object: {apiVersion: v1, kind: A, metadata: {}}}]"},
		"create without metadata":    {"ApplyOperations", "operations: [{operation: CreateIfNotExists, object: {apiVersion: v1, kind: A}}]"},
		"create at a version":        {"ApplyOperations", `operations: [{operation: Create, resourceVersion: "1", ` + objectA + "}]"},
		"create of a status":         {"ApplyOperations", "operations: [{operation: CreateOrUpdate, statusPatch: true, " + objectA + "}]"},
		"object and spec":            {"ApplyOperations", "operations: [{operation: Create, spec: \"{}\", object: {apiVersion: v1, kind: A, metadata: {name: a}}}]"},
		"delete without a name":      {"ApplyOperations", "operations: [{operation: Delete, kind: A}]"},
		"delete without a kind":      {"ApplyOperations", "operations: [{operationType: EnsureDeleted, name: a}]"},
		"delete with a patch":        {"ApplyOperations", "operations: [{operation: Delete, kind: A, name: a, mergePatch: {a: b}}]"},
		"filter that is missing":     {"ApplyOperations", "operations: [{operation: JQPatch, kind: A, name: a}]"},
		"filter that is a map":       {"ApplyOperations", "operations: [{operation: JQPatch, kind: A, name: a, jqFilter: {a: b}}]"},
		"patch of another kind":      {"ApplyOperations", "operations: [{operation: MergePatch, kind: A, name: a, jqFilter: .}]"},
		"merge patch that is a list": {"ApplyOperations", "operations: [{operation: MergePatch, kind: A, name: a, mergePatch: [a]}]"},
		"JSON Patch that is a map":   {"ApplyOperations", "operations: [{operation: JSONPatch, kind: A, name: a, jsonPatch: {op: remove}}]"},
		"JSON Patch without a path":  {"ApplyOperations", "operations: [{operation: JSONPatch, kind: A, name: a, jsonPatch: [{op: remove}]}]"},
		"JSON Patch with our op":     {"ApplyOperations", "operations: [{operation: JSONPatch, kind: A, name: a, jsonPatch: [{op: ensure, path: /a}]}]"},
		"JSON Patch without value":   {"ApplyOperations", "operations: [{operation: JSONPatch, kind: A, name: a, jsonPatch: [{op: add, path: /a}]}]"},
		"JSON Patch without from":    {"ApplyOperations", "operations: [{operation: JSONPatch, kind: A, name: a, jsonPatch: [{op: copy, path: /a}]}]"},
		"JSON Patch off the root":    {"ApplyOperations", "operations: [{operation: JSONPatch, kind: A, name: a, spec: [{op: remove, path: a}]}]"},
		"lock without a version":     {"ApplyOperations", "operations: [{operation: FilterPatchOptimistic, kind: A, name: a, jqFilter: .}]"},
		"another subresource":        {"ApplyOperations", "operations: [{operation: JQPatch, kind: A, name: a, jqFilter: ., subresource: scale}]"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			root, err := tree.Parse([]byte("apiVersion: fn.kpt.dev/v1alpha1\nkind: " + test.kind + "\n" + test.text))
			if err != nil {
				t.Fatal(err)
			}
			if _, ok := errors.AsType[*jsonschema.ValidationError](golden.Validate(t, configschema.Of(test.kind), root)); !ok {
				t.Errorf("must be refused:\n%s", test.text)
			}
			if !isRefusedByRun(root) {
				t.Errorf("is refused by the schema alone; a run takes it:\n%s", test.text)
			}
		})
	}
}

// TestAccepted has what is allowed and looks as if it were not.
func TestAccepted(t *testing.T) {
	tests := map[string]struct{ kind, text string }{
		"fields that are left empty": {"IgnoreFields", "ignoreFields: [{jsonPaths: [.a], selectors: , condition: }]\naction:\nselectors:\njq: {timeout: }"},
		"forms of a JSONPath":        {"IgnoreFields", "ignoreFields: [{jsonPaths: ['{.a}', ' $.a', '@.a', '[0]', '..a']}]"},
		"within in both forms": {"IgnoreFields", "ignoreFields: [{jsonPaths: [.a], within: {jsonPaths: [.a]}}, " +
			"{jsonPaths: [.a], within: [{jsonPaths: [.a]}]}]"},
		"core group":             {"IgnoreFields", "ignoreFields: [{jsonPaths: [.a]}]\nselectors: [{group: \"\"}]"},
		"rules of ManifestWorks": {"IgnoreFields", "manifestWorks: Validate"},
		"owners":                 {"IgnoreFields", "ignoreFields: [{fromOwners: true, jsonPaths: []}]"},
		"recorded fields":        {"IgnoreFields", "ignoreFields: [{fromAnnotation: true, jsonPaths: []}]"},
		"memory in bytes":        {"IgnoreFields", "ignoreFields: [{jsonPaths: [.a]}]\njq: {memoryLimit: 268435456}"},
		"limits":                 {"IgnoreFields", "ignoreFields: [{jsonPaths: [.a]}]\njq: {memoryLimit: 1.5Gi, timeout: 1m30.5s}"},
		"small limits":           {"IgnoreFields", "ignoreFields: [{jsonPaths: [.a]}]\njq: {memoryLimit: 0.5Gi, timeout: 0m0.5s}"},
		"any metadata":           {"IgnoreFields", "ignoreFields: [{jsonPaths: [.a]}]\nmetadata: {finalizers: [a]}"},
		"escapes of a pointer":   {"IgnoreFields", "ignoreFields: [{jsonPointers: [/a~1b/~0/*/]}]"},
		"null as a value":        {"ApplyPatches", "patches: [{target: {kind: A}, operations: [{op: add, path: /a, value: }]}]"},
		"expression for a map":   {"ApplyPatches", `patches: [{target: {where: "true"}, operations: [{op: mergeShallow, path: /a, value: "${parameters.a}"}]}]`},
		"several keys":           {"ApplyPatches", "patches: [{target: {kind: A}, operations: [{op: ensure, path: /a, key: [a, b], value: {a: 1, b: 2}}]}]"},
		"removal alone":          {"ApplyPatches", `removes: [{target: {where: "x == 1"}, forEach: "${[1]}", var: x}]`},
		"object as text":         {"ApplyOperations", `operations: [{operation: Create, spec: "{apiVersion: v1, kind: A, metadata: {name: a}}"}]`},
		"name beside an object":  {"ApplyOperations", "operations: [{operation: CreateOrUpdate, namespace: b, name: b, " + objectA + "}]"},
		"patch as text": {"ApplyOperations", "operations: [{operationType: JSONPatch, kind: A, name: a, subresource: /status, " +
			"jsonPatch: '[{op: remove, path: /a}]'}]"},
		"both names":           {"ApplyOperations", "operations: [{operation: Delete, operationType: Delete, kind: A, name: a, jqFilter: }]"},
		"operations of a hook": {"ApplyOperations", `operationsJSON: '{"operation": "Delete", "kind": "A", "name": "a"}'`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			root, err := tree.Parse([]byte("apiVersion: fn.kpt.dev/v1alpha1\nkind: " + test.kind + "\n" + test.text))
			if err != nil {
				t.Fatal(err)
			}
			if err := golden.Validate(t, configschema.Of(test.kind), root); err != nil {
				t.Error(err)
			}
			if isRefusedByRun(root) {
				t.Errorf("a run refuses it:\n%s", test.text)
			}
		})
	}
}

// isRefusedByRun tells whether a run finds a fault in a functionConfig.
func isRefusedByRun(functionConfig *tree.Node) bool {
	_, results := fn.Items(functionConfig, nil)
	return slices.ContainsFunc(results, func(r report.Result) bool { return r.Tags["reason"] == report.ReasonInvalidFunctionConfig })
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
