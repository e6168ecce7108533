package selector

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/krm-fields/krm-fields/internal/krm/config"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// entries has the lists of a functionConfig that choose objects.
type entries struct {
	Selectors []Selector `json:"selectors"`
	Exclude   []Selector `json:"exclude"`
}

func parse(t testing.TB, text string) *tree.Node {
	t.Helper()
	n, err := tree.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func decode(t testing.TB, text string) entries {
	t.Helper()
	var e entries
	if faults := config.Decode(parse(t, text), "", &e); len(faults) > 0 {
		t.Fatal(faults)
	}
	return e
}

func selection(t testing.TB, text string) *Selection {
	t.Helper()
	e := decode(t, text)
	s, faults := NewSelection(e.Selectors, e.Exclude, "selectors", "exclude")
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	return s
}

// pkg is a package of objects.
const pkg = `
- apiVersion: apps/v1
  kind: Deployment
  metadata:
    name: web
    namespace: default
    labels: {tier: web, app: shop}
    annotations: {config.kubernetes.io/local-config: "true"}
- apiVersion: apps/v1beta1
  kind: Deployment
  metadata: {name: api, namespace: prod, labels: {tier: api, canary: yes}}
- apiVersion: v1
  kind: Service
  metadata: {name: web, namespace: default}
- apiVersion: v1
  kind: Namespace
  metadata: {name: default, namespace: ~, labels: {level: 1, off: }}
- apiVersion: kpt.dev/v1
  kind: Kptfile
  metadata: {name: shop}
- apiVersion: fn.kpt.dev/v1alpha1
  kind: IgnoreFields
  metadata: {name: rules}
- apiVersion: fn.kpt.dev/v1alpha1
  kind: SetLabels
  metadata: {name: labels}
- apiVersion: v1
  kind: ConfigMap
  metadata: {name: "wei*rd?"}
`

func objects(t testing.TB) []*Candidate {
	t.Helper()
	return candidates(tree.Elements(parse(t, pkg)))
}

func candidates(roots []*tree.Node) []*Candidate {
	objects := make([]*Candidate, len(roots))
	for i, root := range roots {
		objects[i] = Of(root)
	}
	return objects
}

func TestSelects(t *testing.T) {
	const web, api, service = "Deployment default/web", "Deployment prod/api", "Service default/web"
	const namespace, kptfile, rules = "Namespace default", "Kptfile shop", "IgnoreFields rules"
	const labels, configMap = "SetLabels labels", "ConfigMap wei*rd?"
	tests := map[string]struct {
		text string
		want []string
	}{
		"none":                     {"{}", []string{web, api, service, namespace, labels, configMap}},
		"empty lists":              {"{selectors: [], exclude: []}", []string{web, api, service, namespace, labels, configMap}},
		"group":                    {"selectors: [{group: apps}]", []string{web, api}},
		"core group":               {`selectors: [{group: ""}]`, []string{service, namespace, configMap}},
		"any group":                {`selectors: [{group: "*"}]`, []string{web, api, service, namespace, labels, configMap}},
		"version":                  {"selectors: [{version: v1}]", []string{web, service, namespace, configMap}},
		"version glob":             {`selectors: [{version: "v1beta*"}]`, []string{api}},
		"apiVersion":               {"selectors: [{apiVersion: v1}]", []string{service, namespace, configMap}},
		"apiVersion is exact":      {`selectors: [{apiVersion: "apps/*"}]`, nil},
		"kind":                     {"selectors: [{kind: Deployment}]", []string{web, api}},
		"kind in another case":     {"selectors: [{kind: deployment}]", nil},
		"kind glob":                {`selectors: [{kind: "*e*s*"}]`, []string{namespace, labels}},
		"name":                     {"selectors: [{name: web}]", []string{web, service}},
		"name glob":                {`selectors: [{name: "w*b"}]`, []string{web, service}},
		"other characters":         {`selectors: [{name: "w?b"}, {name: "[w]eb"}, {name: "w.b"}]`, nil},
		"question mark":            {`selectors: [{name: "wei*d?"}]`, []string{configMap}},
		"namespace":                {"selectors: [{namespace: default}]", []string{web, service}},
		"no namespace":             {`selectors: [{namespace: ""}]`, []string{namespace, labels, configMap}},
		"all fields of an entry":   {"selectors: [{kind: Deployment, name: web, group: apps}]", []string{web}},
		"one field does not hold":  {"selectors: [{kind: Deployment, name: web, namespace: prod}]", nil},
		"one of the entries":       {"selectors: [{kind: Service}, {kind: Deployment, name: api}]", []string{api, service}},
		"labels":                   {"selectors: [{labels: {tier: web}}]", []string{web}},
		"all labels":               {"selectors: [{labels: {tier: web, app: x}}]", nil},
		"label that is a number":   {`selectors: [{labels: {level: "1"}}]`, []string{namespace}},
		"label that is null":       {`selectors: [{labels: {off: ""}}]`, []string{namespace}},
		"label value is no glob":   {`selectors: [{labels: {tier: "*"}}]`, nil},
		"annotations":              {`selectors: [{annotations: {config.kubernetes.io/local-config: "true"}}]`, []string{web}},
		"labelSelector":            {`selectors: [{labelSelector: "tier in (web,api),!canary"}]`, []string{web}},
		"labelSelector that lacks": {`selectors: [{labelSelector: "tier notin (web)", group: apps}]`, []string{api}},
		"exclude":                  {"exclude: [{group: apps}, {kind: Service}]", []string{namespace, labels, configMap}},
		"exclude from selectors":   {"{selectors: [{group: apps}], exclude: [{kind: Deployment, name: api}]}", []string{web}},
		"Kptfile by its kind":      {"selectors: [{kind: Kptfile}]", []string{kptfile}},
		"Kptfile by a glob":        {`selectors: [{kind: "Kpt*"}]`, nil},
		"Kptfile by its name":      {"selectors: [{name: shop}]", nil},
		"another entry's kind":     {"selectors: [{kind: Kptfile, name: other}, {name: shop}]", nil},
		"our kind":                 {"selectors: [{kind: IgnoreFields}, {kind: Service}]", []string{service, rules}},
		"excluded Kptfile":         {"{selectors: [{kind: Kptfile}], exclude: [{name: shop}]}", nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			s := selection(t, test.text)
			var got []string
			for _, o := range objects(t) {
				if s.Selects(o) {
					got = append(got, o.String())
				}
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("selected (-want +got):\n%s", diff)
			}
		})
	}
}

func TestFitsKnowsNoException(t *testing.T) {
	kptfile := Of(parse(t, "{apiVersion: kpt.dev/v1, kind: Kptfile, metadata: {name: shop}}"))
	tests := map[string]bool{
		"{}": true, "selectors: [{name: shop}]": true, "selectors: [{name: web}]": false, "exclude: [{name: shop}]": false,
	}
	for text, want := range tests {
		if got := selection(t, text).Fits(kptfile); got != want {
			t.Errorf("%s: fits is %v, want %v", text, got, want)
		}
	}
}

func TestKptfileOfAnotherGroupIsOrdinary(t *testing.T) {
	o := Of(parse(t, "{apiVersion: example.com/v1, kind: Kptfile, metadata: {name: shop}}"))
	if !selection(t, "{}").Selects(o) {
		t.Error("not selected")
	}
}

func TestFaults(t *testing.T) {
	const noField = "must have at least one field: apiVersion, group, version, kind, name, namespace, labels, annotations, " +
		"labelSelector or annotationSelector"
	const noSlash = "must not contain a slash, found "
	const noSelector = `must be a Kubernetes label selector such as "tier in (web,api),!canary", found `
	tests := map[string]struct {
		text string
		want []string
	}{
		"no field":    {"selectors: [{kind: A}, {}]", []string{"selectors[1]: " + noField}},
		"null fields": {"exclude: [{kind: , group: ~}]", []string{"exclude[0]: " + noField}},
		"empty maps":  {"selectors: [{labels: {}, annotations: {}}]", []string{"selectors[0]: " + noField}},
		"group": {"selectors: [{group: apps/v1}]", []string{
			`selectors[0].group: ` + noSlash + `"apps/v1"; write apiVersion: apps/v1`}},
		"core group": {"selectors: [{group: core/v1}]", []string{
			`selectors[0].group: ` + noSlash + `"core/v1"; write apiVersion: v1`}},
		"version": {"selectors: [{version: batch/v1beta1}]", []string{
			`selectors[0].version: ` + noSlash + `"batch/v1beta1"; write apiVersion: batch/v1beta1`}},
		"nothing known": {"selectors: [{group: a/b}, {kind: /}]", []string{
			`selectors[0].group: ` + noSlash + `"a/b"`,
			`selectors[1].kind: ` + noSlash + `"/"`}},
		"several": {"{selectors: [{group: a/, version: /b}], exclude: [{}]}", []string{
			`selectors[0].group: ` + noSlash + `"a/"`,
			`selectors[0].version: ` + noSlash + `"/b"`,
			"exclude[0]: " + noField}},
		"labelSelector": {`selectors: [{labelSelector: "tier in (web"}]`, []string{
			"selectors[0].labelSelector: " + noSelector +
				`"tier in (web": unable to parse requirement: found '', expected: ',' or ')'`}},
		"blank selector": {`selectors: [{labelSelector: " "}]`, []string{
			"selectors[0].labelSelector: " + noSelector + `" "`}},
		"slashes allowed": {"selectors: [{apiVersion: a/b/c, name: a/b, namespace: c/d}]", nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			e := decode(t, test.text)
			_, faults := NewSelection(e.Selectors, e.Exclude, "selectors", "exclude")
			if diff := cmp.Diff(test.want, texts(faults)); diff != "" {
				t.Errorf("faults (-want +got):\n%s", diff)
			}
		})
	}
}

func texts(faults []report.Fault) []string {
	var list []string
	for _, f := range faults {
		list = append(list, f.Path+": "+f.Message)
	}
	return list
}

func TestFlatSelection(t *testing.T) {
	e := decode(t, "{selectors: [{kind: Deployment}], exclude: [{name: api}]}")
	s, faults := NewFlatSelection(e.Selectors, e.Exclude, "data")
	if diff := cmp.Diff([]string(nil), texts(faults)); diff != "" {
		t.Errorf("faults (-want +got):\n%s", diff)
	}
	for _, o := range objects(t) {
		if got, want := s.Selects(o), o.String() == "Deployment default/web"; got != want {
			t.Errorf("%s: selected is %v, want %v", o, got, want)
		}
	}
}

func TestFlatSelectionFaults(t *testing.T) {
	e := decode(t, "{selectors: [{group: a/}], exclude: [{group: /b}]}")
	_, faults := NewFlatSelection(e.Selectors, e.Exclude, "data")
	want := []string{
		`data.group: must not contain a slash, found "a/"`,
		`data.excludeGroup: must not contain a slash, found "/b"`,
	}
	if diff := cmp.Diff(want, texts(faults)); diff != "" {
		t.Errorf("faults (-want +got):\n%s", diff)
	}
}

func TestFlatSelectionWithoutFieldsSelectsAll(t *testing.T) {
	s, _ := NewFlatSelection(nil, nil, "data")
	if !s.Selects(Of(parse(t, "{apiVersion: v1, kind: Pod}"))) {
		t.Error("not selected")
	}
}

func TestTarget(t *testing.T) {
	empty, _ := NewTarget(Selector{}, "patches[0].target")
	kptfile := "Kptfile"
	named, _ := NewTarget(Selector{Kind: &kptfile}, "patches[0].target")
	group := "apps/v1"
	_, faults := NewTarget(Selector{Group: &group}, "patches[0].target")
	want := []string{`patches[0].target.group: must not contain a slash, found "apps/v1"; write apiVersion: apps/v1`}
	if diff := cmp.Diff(want, texts(faults)); diff != "" {
		t.Errorf("faults (-want +got):\n%s", diff)
	}
	for _, o := range objects(t) {
		if got, want := named.Selects(o), o.Kind == "Kptfile"; got != want {
			t.Errorf("%s: selected by its kind is %v, want %v", o, got, want)
		}
		if got, want := empty.Selects(o), o.Kind != "Kptfile" && o.Kind != "IgnoreFields"; got != want {
			t.Errorf("%s: selected by the empty selector is %v, want %v", o, got, want)
		}
	}
}

func TestMalformedObjects(t *testing.T) {
	for _, text := range []string{
		"~", "3", "[]", "{}", "{kind: [a], metadata: []}", "{metadata: {labels: [a], annotations: x, name: {a: b}}}",
		"{metadata: {labels: {a: {b: c}}}}",
	} {
		o := Of(parse(t, text))
		if selection(t, `selectors: [{kind: Pod}, {labels: {a: b}}, {annotations: {a: b}}, {labelSelector: a}]`).Selects(o) {
			t.Errorf("%s: selected", text)
		}
		if o.String() != "" {
			t.Errorf("%s: its name is %q", text, o)
		}
	}
}

func FuzzSelector(f *testing.F) {
	for _, text := range []string{
		"selectors: [{kind: Deployment}]\nexclude: [{labelSelector: 'a in (b),!c'}]",
		"selectors: [{group: apps/v1, version: /, kind: A.b.c, name: '*a*'}]",
		"selectors: [{labels: {tier: '*'}, annotations: {a/b: c}}, {group: ''}]",
	} {
		f.Add(text, pkg)
	}
	f.Fuzz(func(t *testing.T, text, list string) {
		n, err := tree.Parse([]byte(text))
		if err != nil {
			return
		}
		roots, err := tree.Parse([]byte(list))
		if err != nil {
			return
		}
		var e entries
		config.Decode(n, "", &e)
		s, faults := NewSelection(e.Selectors, e.Exclude, "selectors", "exclude")
		objects := candidates(tree.Elements(roots))
		unmatched := s.Unmatched(func() []*Candidate { return objects })
		if len(faults) > 0 {
			return
		}
		for _, o := range objects {
			if s.Selects(o) && !s.Fits(o) {
				t.Errorf("%s is selected and does not fit", o)
			}
			if s.Selects(o) && len(e.Selectors) > 0 && len(unmatched) == len(e.Selectors)+len(e.Exclude) {
				t.Errorf("%s is selected and no entry matches", o)
			}
		}
	})
}
