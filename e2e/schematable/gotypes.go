package main

import (
	"go/ast"
	goparser "go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"

	"github.com/krm-fields/krm-fields/internal/ssa/schema"
)

// addGoTypes adds what only the types in Go say of fields: which are written, and which are left
// out.
func addGoTypes(table *schema.Table) error {
	types := named(table)
	for _, where := range []struct{ module, pattern, prefix string }{
		{"k8s.io/api", "*/v*/types.go", ""},
		{"k8s.io/apimachinery", "pkg/apis/meta/v1/types.go", ""},
		{"k8s.io/apiextensions-apiserver", "pkg/apis/apiextensions/v1/types*.go", "io.k8s.apiextensions-apiserver.pkg.apis."},
		{"k8s.io/kube-aggregator", "pkg/apis/apiregistration/v1/types.go", "io.k8s.kube-aggregator.pkg.apis."},
	} {
		_, folder, err := module(where.module)
		if err != nil {
			return err
		}
		files, err := filepath.Glob(filepath.Join(folder, where.pattern))
		if err != nil {
			return err
		}
		for _, file := range files {
			structs, err := structsOf(file)
			if err != nil {
				return err
			}
			folder := filepath.Dir(file)
			prefix := where.prefix + filepath.Base(filepath.Dir(folder)) + "." + filepath.Base(folder) + "."
			addGoStructs(types, prefix, structs)
		}
	}
	return nil
}

// addGoStructs adds what the structs of a file say of types whose names have a prefix.
func addGoStructs(types map[string]*schema.Type, prefix string, structs map[string]*ast.StructType) {
	for name, s := range structs {
		if t := types[prefix+name]; t != nil && t.Map != nil {
			addGoFields(t.Map, s, structs)
		}
	}
}

// structsOf are the structs that a file declares, by their names.
func structsOf(file string) (map[string]*ast.StructType, error) {
	parsed, err := goparser.ParseFile(token.NewFileSet(), file, nil, goparser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	structs := map[string]*ast.StructType{}
	ast.Inspect(parsed, func(n ast.Node) bool {
		if spec, ok := n.(*ast.TypeSpec); ok {
			if s, ok := spec.Type.(*ast.StructType); ok {
				structs[spec.Name.Name] = s
			}
		}
		return true
	})
	return structs, nil
}

func addGoFields(m *schema.Map, s *ast.StructType, structs map[string]*ast.StructType) {
	for _, field := range s.Fields.List {
		if field.Tag == nil {
			continue
		}
		tag, err := strconv.Unquote(field.Tag.Value)
		if err != nil {
			continue
		}
		name, options, _ := strings.Cut(reflect.StructTag(tag).Get("json"), ",")
		if embedded, ok := field.Type.(*ast.Ident); ok && name == "" && structs[embedded.Name] != nil {
			addGoFields(m, structs[embedded.Name], structs)
			continue
		}
		if declared := m.Field(name); declared != nil {
			_, isPointer := field.Type.(*ast.StarExpr)
			omits := strings.Contains(options, "omit")
			declared.OmitsZero, declared.IsWritten = omits && !isPointer, !omits
		}
	}
}
