package convert

import (
	"slices"
	"strings"

	"github.com/krm-fields/krm-fields/internal/expr/jsonpath"
	"github.com/krm-fields/krm-fields/internal/krm/config"
	"github.com/krm-fields/krm-fields/internal/krm/selector"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// fromTerraform reads the computed_fields of the resources kubernetes_manifest, in Terraform's JSON
// syntax (github.com/hashicorp/terraform-provider-kubernetes, docs/resources/manifest.md).
var fromTerraform = Source{
	Name: "terraform", Title: "Terraform", Holds: "a .tf.json with computed_fields of kubernetes_manifest",
	read: readTerraform, isOne: true,
}

// terraformDefaults are what computed_fields has where it is not set, so most lists repeat them.
var terraformDefaults = []string{"metadata.annotations", "metadata.labels"}

func readTerraform(root *tree.Node) []*source {
	resources := tree.Get(root, "resource", "kubernetes_manifest")
	if tree.Lookup(root, "kind") != nil || !tree.IsMap(resources) {
		return nil
	}
	s := newSource(root)
	for name, resource := range tree.Entries(resources) {
		at := config.Child("resource.kubernetes_manifest", name)
		fields := tree.Elements(tree.Lookup(resource, "computed_fields"))
		if len(fields) == 0 {
			continue
		}
		r := newRule(at + ".computed_fields")
		for i, field := range fields {
			r.addTerraformField(config.Element(r.path, i), tree.GetString(field))
		}
		r.readTerraformManifest(at+".manifest", tree.Lookup(resource, "manifest"))
		s.rules = append(s.rules, r)
	}
	if len(s.rules) == 0 {
		return nil
	}
	return []*source{s}
}

// addTerraformField adds a field: names with dots between them, an index or a quoted key in
// brackets.
func (r *rule) addTerraformField(path, text string) {
	if slices.Contains(terraformDefaults, text) {
		r.remark(path, "left out: it lets others add to %s, as server-side apply does without a rule", text)
		return
	}
	ours := "." + quotedKey.ReplaceAllString(text, "['$1']")
	if _, err := jsonpath.Parse(ours); err != nil || text == "" {
		r.leaveOut(path, "%s must be a field of the manifest", config.Quote(text))
		return
	}
	r.add(expression{dialect: jsonpath.Dialect.Name, text: ours, path: path})
}

// readTerraformManifest selects the object of the manifest.
func (r *rule) readTerraformManifest(path string, manifest *tree.Node) {
	o := selector.Of(manifest)
	switch {
	case o.Kind == "" || o.Name == "":
		r.drop(path, "it must be a map with kind and metadata.name, which name the object")
		return
	case strings.Contains(o.Name+o.Namespace+o.Kind+o.APIVersion, "${"):
		r.drop(path, "its metadata is an expression, whose result is unknown")
		return
	}
	r.selectOnly(o)
}
