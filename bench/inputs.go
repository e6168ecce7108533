package main

import (
	"fmt"
	"strings"
)

// each joins what is made for 0 to n-1.
func each(n int, text func(i int) string) string {
	var all strings.Builder
	for i := range n {
		all.WriteString(text(i))
	}
	return all.String()
}

// owned is the managedFields of one manager, as a member of metadata.
func owned(apiVersion, manager, fields string) string {
	return fmt.Sprintf("  managedFields:\n  - {manager: %s, operation: Apply, apiVersion: %s, fieldsType: FieldsV1, fieldsV1: {%s}}\n",
		manager, apiVersion, fields)
}

func configMap(i int, managed, data string) string {
	return fmt.Sprintf("---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: o%d\n  namespace: d\n%sdata:\n%s", i, managed, indent(data, "  "))
}

func container(i int, version string) string {
	return fmt.Sprintf("      - name: c%d\n        image: app:%s\n", i, version)
}

// deployment has the replicas that the last character of its containers says.
func deployment(i int, managed, containers string) string {
	replicas := containers[len(containers)-2:]
	return fmt.Sprintf("---\napiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: d%d\n  namespace: d\n%sspec:\n  replicas: %s"+
		"  selector: {matchLabels: {app: d}}\n  template:\n    metadata: {labels: {app: d}}\n    spec:\n      containers:\n%s",
		i, managed, replicas, containers)
}

func autoscaler(i, target int) string {
	return fmt.Sprintf("---\napiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {name: h%d, namespace: d}\n"+
		"spec: {maxReplicas: 9, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: d%d}}\n", i, target)
}

func widget(managed, spec string) string {
	return "---\napiVersion: e.io/v1\nkind: Widget\nmetadata:\n  name: o0\n  namespace: d\n" + managed + "spec: {" + spec + "}\n"
}

// widgets is the CustomResourceDefinition of Widget with more about its spec.
func widgets(spec string) string {
	return "---\napiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: widgets.e.io}\nspec:\n  group: e.io\n" +
		"  names: {kind: Widget, plural: widgets}\n  scope: Namespaced\n  versions:\n  - name: v1\n    served: true\n    storage: true\n    schema:\n" +
		"      openAPIV3Schema: {type: object, properties: {spec: {type: object, x-kubernetes-preserve-unknown-fields: true, " + spec + "}}}\n"
}

// ignoreFields is a functionConfig with a rule.
func ignoreFields(rule string) string { return rules(1, func(int) string { return rule }) }

func rules(n int, rule func(i int) string) string {
	return "apiVersion: fn.kpt.dev/v1alpha1\nkind: IgnoreFields\nmetadata:\n  name: c\nignoreFields:\n" +
		each(n, func(i int) string { return "- " + rule(i) + "\n" })
}

func argocd(differences string) string {
	return "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: a}\nspec:\n  ignoreDifferences:\n" + differences
}

// lists are inputs with a list of elements without a key, which differ.
func lists(n int, here, there string) texts {
	of := func(element string) string {
		return "l: [" + each(n, func(i int) string { return fmt.Sprintf(element, i) + ", " }) + "]"
	}
	return texts{
		"package.yaml": widget("", of(here)), "live.yaml": widget(owned("e.io/v1", "op", "f:spec: {f:l: {}}"), of(there)),
		"rules.yaml": ignoreFields("jsonPaths: ['.spec.l[*]']"),
	}
}

// nested are inputs with maps in each other.
func nested(n int, key string) texts {
	of := func(open, value string) string { return strings.Repeat(open, n) + value + strings.Repeat("}", n) }
	live := widget(owned("e.io/v1", "op", "f:spec: {"+of("f:"+key+": {", "f:x: {}")+"}"), of(key+": {", "x: 2"))
	return texts{"package.yaml": widget("", of(key+": {", "x: 1")), "live.yaml": live, "rules.yaml": ignoreFields("jsonPaths: [..x]")}
}

// expressions are inputs with a rule of n expressions, each of which finds a key.
func expressions(n int, field, expression, value string) texts {
	all := each(n, func(i int) string { return "  - '" + fmt.Sprintf(expression, i) + "'\n" })
	return texts{
		"package.yaml": configMap(0, "", each(n, func(i int) string { return fmt.Sprintf("k%d: %s\n", i, value) })),
		"rules.yaml":   ignoreFields(field + ":\n" + all),
		"argocd.yaml":  argocd("  - kind: ConfigMap\n    " + field + ":\n" + indent(all, "  ")),
	}
}

// documents are inputs with documents in a string, of which a rule names fields.
func documents(here, there, pointer string) texts {
	of := func(text string) string { return "k1: |\n" + indent(text, "  ") }
	return texts{
		"package.yaml": configMap(0, "", of(here)), "live.yaml": configMap(0, owned("v1", "op", "f:data: {f:k1: {}}"), of(there)),
		"rules.yaml": ignoreFields("within: {jsonPointers: [/data/k1]}\n  jsonPointers: [" + pointer + "]"),
	}
}

// secret are inputs with a Secret.
func secret(data string) texts {
	of := func(managed string) string {
		return strings.Replace(configMap(0, managed, data), "ConfigMap", "Secret", 1)
	}
	return texts{
		"package.yaml": of(""), "live.yaml": strings.ReplaceAll(of(owned("v1", "op", "f:data: {}")), ": dm", ": Zm"),
		"rules.yaml": ignoreFields("jsonPointers: [/data/*]"),
	}
}

// operations are inputs with operations on ConfigMaps, which only a run carries out.
func operations(objects, n int, operation func(i int) string) texts {
	return config(objects, "kind: ApplyOperations\nmetadata: {name: c}\noperations:\n"+each(n, operation))
}

// config are inputs of ConfigMaps with a functionConfig, which only run and explain carry out.
func config(objects int, text string) texts {
	return texts{
		"package.yaml": each(objects, func(i int) string { return configMap(i, "", "a: b\nb: c\n") }),
		"rules.yaml":   "apiVersion: fn.kpt.dev/v1alpha1\n" + text,
	}
}
