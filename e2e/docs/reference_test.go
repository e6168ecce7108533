package docs

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"testing"

	"github.com/krm-fields/krm-fields/fn"
	"github.com/krm-fields/krm-fields/internal/krm/config"
)

// pages are those of the kinds of functionConfig.
var pages = map[string]string{"IgnoreFields": "ignore-fields.md", "ApplyPatches": "apply-patches.md", "ApplyOperations": "apply-operations.md"}

// TestFields holds each field of a functionConfig to have a meaning, which the JSON Schema shows,
// and to be on the page of its kind.
func TestFields(t *testing.T) {
	for _, kind := range fn.Kinds() {
		page, err := os.ReadFile(filepath.Join("../../docs", pages[kind.Name]))
		if err != nil {
			t.Fatal(err)
		}
		known := map[reflect.Type]bool{}
		var visit func(path string, of reflect.Type)
		visit = func(path string, of reflect.Type) {
			for of.Kind() == reflect.Slice || of.Kind() == reflect.Pointer {
				of = of.Elem()
			}
			if of.Kind() != reflect.Struct || known[of] {
				return
			}
			known[of] = true
			for _, f := range config.Fields(of) {
				if f.Doc == "" {
					t.Errorf("%s: the doc tag of %s must not be empty", kind.Name, path+f.Name)
				}
				if !regexp.MustCompile(`\b` + regexp.QuoteMeta(f.Name) + `\b`).Match(page) {
					t.Errorf("docs/%s must have the field %s", pages[kind.Name], path+f.Name)
				}
				visit(path+f.Name+".", f.Type)
			}
		}
		visit("", kind.Config)
	}
}
