package suggest

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/krm-fields/krm-fields/e2e/golden"
	"github.com/krm-fields/krm-fields/internal/world"
)

// TestPackages holds what is found in public packages: nothing but what has been looked at, and has
// an owner besides the package.
func TestPackages(t *testing.T) {
	packages, fields := 0, 0
	for _, c := range golden.Cases(t, "testdata/packages/*.txtar") {
		var names []string
		var out strings.Builder
		for _, f := range c.Files() {
			if f.Name == "want" {
				continue
			}
			names = append(names, f.Name)
			found, _, err := Check(&world.World{Objects: read(t, c, f.Name)}, options)
			if err != nil {
				t.Fatal(f.Name, err)
			}
			for _, field := range found {
				fmt.Fprintf(&out, "%s: %s %s of %s\n", f.Name, field.Kind, field.Path, field.Owners[0].Name)
			}
			fields += len(found)
		}
		packages += len(names)
		c.Expect(t, names, txtar.File{Name: "want", Data: []byte(out.String())})
	}
	sentence := fmt.Sprintf("In %d public packages, it finds %d fields, all of them with another owner.", packages, fields)
	page, err := os.ReadFile("../../../docs/owners.md")
	if err != nil || !strings.Contains(string(page), sentence) {
		t.Errorf("docs/owners.md must say %q, %v", sentence, err)
	}
}
