package docs

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/format"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/krm-fields/krm-fields/e2e/harness"
	"github.com/krm-fields/krm-fields/fn"
	"github.com/krm-fields/krm-fields/internal/author/configschema"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/krm/selector"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// checks are the checks of blocks by language.
var checks = map[string]func(text string) error{
	"yaml": checkYAML,
	"json": checkJSON,
	"sh":   checkShell,
	"go":   checkGo,
}

// unchecked are the languages of blocks without a check here: a session is run, a text is the
// output of a program, a diff shows changes.
var unchecked = []string{"console", "text", "diff"}

// TestBlocks checks every block of code.
func TestBlocks(t *testing.T) {
	for _, page := range harness.Pages(t) {
		for _, b := range page.Blocks() {
			check, known := checks[b.Language]
			if !known {
				if !slices.Contains(unchecked, b.Language) {
					t.Errorf("%s:%d: the language of a block must be known, found %q", page.Name, b.First, b.Language)
				}
				continue
			}
			if err := check(strings.Join(b.Lines, "\n") + "\n"); err != nil {
				t.Errorf("%s:%d: %v", page.Name, b.First+1, err)
			}
		}
	}
}

func checkJSON(text string) error {
	var v any
	return json.Unmarshal([]byte(text), &v)
}

// checkGo checks only the syntax; the examples of the packages are run.
func checkGo(text string) error {
	_, err := format.Source([]byte(text))
	return err
}

// checkShell checks only the syntax: the block needs what no test has.
func checkShell(text string) error {
	cmd := exec.Command("bash", "-n")
	cmd.Stdin = strings.NewReader(text)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
}

// checkYAML checks that each document is YAML, and if it is a functionConfig, or some fields of
// one, that the schema and a run accept it.
func checkYAML(text string) error {
	for document := range strings.SplitSeq("\n"+text, "\n---") {
		root, err := tree.Parse([]byte(document))
		if err != nil {
			return err
		}
		if functionConfig := functionConfigOf(root); functionConfig != nil {
			if err := checkFunctionConfig(functionConfig); err != nil {
				return err
			}
		}
	}
	return nil
}

// functionConfigOf returns the functionConfig in root, or the one whose fields root has.
func functionConfigOf(root *tree.Node) *tree.Node {
	switch {
	case selector.Of(root).IsFunctionConfig():
		return root
	case !tree.IsMap(root) || len(root.Content) == 0 || isKustomization(root):
		return nil
	}
	for _, kind := range configschema.Kinds() {
		fields := configschema.Of(kind).Properties
		isOfKind := true
		for key := range tree.Entries(root) {
			isOfKind = isOfKind && fields[key] != nil && !slices.Contains([]string{"apiVersion", "kind", "metadata"}, key)
		}
		if isOfKind {
			return completed(root, kind)
		}
	}
	return nil
}

// isKustomization tells whether the fields are those of a kustomization.yaml, whose patches have
// another form.
func isKustomization(fields *tree.Node) bool {
	return slices.ContainsFunc(tree.Elements(tree.Get(fields, "patches")), func(patch *tree.Node) bool {
		return tree.Get(patch, "patch") != nil || tree.Get(patch, "path") != nil
	})
}

// required are fields without which a functionConfig does nothing.
var required = map[string]string{
	"IgnoreFields":    "ignoreFields: [{jsonPointers: [/spec/replicas]}]",
	"ApplyPatches":    "removes: [{target: {kind: Job}}]",
	"ApplyOperations": "operations: [{operation: Delete, kind: Job, name: a}]",
}

// completed returns the fields as a complete functionConfig.
func completed(fields *tree.Node, kind string) *tree.Node {
	text := "apiVersion: " + fn.APIVersion + "\nkind: " + kind + "\n"
	name, _, _ := strings.Cut(required[kind], ":")
	if tree.Get(fields, name) == nil && tree.Get(fields, "patches") == nil && tree.Get(fields, "operationsJSON") == nil {
		text += required[kind] + "\n"
	}
	root, err := tree.Parse([]byte(text))
	if err != nil {
		panic(err) // the text is ours
	}
	root.Content = append(root.Content, fields.Content...)
	return root
}

// liveObject is a live object, which TakeLive needs.
const liveObject = `apiVersion: v1
kind: ConfigMap
metadata:
  name: live
  annotations:
    fn.kpt.dev/live: "true"
`

func checkFunctionConfig(functionConfig *tree.Node) error {
	if err := validate(functionConfig); err != nil {
		return err
	}
	live, err := object.ParseDocument([]byte(liveObject))
	if err != nil {
		return err
	}
	_, results := fn.Items(functionConfig, []*object.Object{live})
	for _, result := range results {
		if result.Tags["reason"] == report.ReasonInvalidFunctionConfig {
			return fmt.Errorf("a run refuses it: %s", result.Line())
		}
	}
	return nil
}

// validate validates a functionConfig with the schema of its kind.
func validate(functionConfig *tree.Node) error {
	text, err := configschema.Of(tree.GetString(functionConfig, "kind")).Text()
	if err != nil {
		return err
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return err
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("kind.json", document); err != nil {
		return err
	}
	compiled, err := compiler.Compile("kind.json")
	if err != nil {
		return err
	}
	instance, err := tree.MarshalJSON(functionConfig)
	if err != nil {
		return err
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(instance))
	if err != nil {
		return err
	}
	return compiled.Validate(value)
}
