package release

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/krm-fields/krm-fields/e2e/harness"
)

// withSchema is a module that has the schema of SARIF 2.1.0 among its test data.
const (
	withSchema = "github.com/securego/gosec/v2@v2.26.1"
	sarif      = "report/sarif/testdata/sarif-schema-2.1.0.json"
)

// TestSARIF validates what is written for a review with the schema of the standard.
func TestSARIF(t *testing.T) {
	var downloaded struct{ Dir string }
	text := succeed(t, exec.Command("go", "mod", "download", "-json", withSchema))
	if err := json.Unmarshal([]byte(text), &downloaded); err != nil {
		t.Fatal(err)
	}
	schema, err := jsonschema.NewCompiler().Compile(filepath.Join(downloaded.Dir, sarif))
	if err != nil {
		t.Fatal(err)
	}
	folder := harness.CopyPackage(t, filepath.Join(harness.Root(), "examples", "first-rule"), harness.Tree{
		"two words: more.yaml": "apiVersion: fn.kpt.dev/v1alpha1\nkind: IgnoreFields\nmetadata: {name: none}\nignoreFields:\n- jsonPointers: [/spec/none]\n",
		"faulty.yaml":          "apiVersion: fn.kpt.dev/v1alpha1\nkind: IgnoreFields\nmetadata: {name: faulty}\nignoreFields:\n- jsonPointers: [none]\n",
	})
	for name, args := range map[string][]string{
		"results":          {"--config", "rules.yaml", "--config", "two words: more.yaml", "deployment.yaml"},
		"none":             {"--config", "rules.yaml", "--quiet", "deployment.yaml"},
		"fault":            {"--config", "faulty.yaml", "deployment.yaml"},
		"about no file":    {"--pointer", "/spec/none", "deployment.yaml"},
		"error of reading": {"--config", "missing.yaml", "deployment.yaml"},
	} {
		run := exec.Command(binary(t), append([]string{"run", "--dry-run", "--results", "results.sarif", "-o", "sarif"}, args...)...)
		run.Dir = folder
		_ = run.Run() // whose exit code is that of the results
		file, err := os.Open(filepath.Join(folder, "results.sarif"))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		log, err := jsonschema.UnmarshalJSON(file)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if err := schema.Validate(log); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if err := os.Remove(file.Name()); err != nil {
			t.Fatal(err)
		}
	}
}
