package main

import (
	"encoding/base64"
	"fmt"
	"strings"
)

type texts = map[string]string

var dimensions = []dimension{
	{"objects", 1000, func(n int) texts {
		return texts{
			"package.yaml": each(n, func(i int) string { return deployment(i, "", container(0, "v1")) }),
			"live.yaml": each(n, func(i int) string {
				return deployment(i, owned("apps/v1", "hpa", `f:spec: {f:replicas: {}}`), container(0, "v2"))
			}),
			"error.txt": each(n, func(i int) string {
				return fmt.Sprintf("The Deployment \"d%d\" is invalid\nconflict with \"hpa\" using apps/v1: .spec.replicas\n", i)
			}),
		}
	}},
	{"objects with a rule of their own", 1000, func(n int) texts {
		return texts{
			"package.yaml": each(n, func(i int) string { return configMap(i, "", fmt.Sprintf("k%d: a\n", i)) }),
			"live.yaml": each(n, func(i int) string {
				return configMap(i, owned("v1", "op", fmt.Sprintf("f:data: {f:k%d: {}}", i)), fmt.Sprintf("k%d: b\n", i))
			}),
			"rules.yaml": rules(n, func(i int) string {
				return fmt.Sprintf("jsonPointers: [/data/k%d]\n  selectors: [{kind: ConfigMap, name: o%d}]", i, i)
			}),
			"argocd.yaml": argocd(each(n, func(i int) string {
				return fmt.Sprintf("  - {kind: ConfigMap, name: o%d, jsonPointers: [/data/k%d]}\n", i, i)
			})),
			"error.txt": each(n, func(i int) string {
				return fmt.Sprintf("The ConfigMap \"o%d\" is invalid\nconflict with \"op\" using v1: .data.k%d\n", i, i)
			}),
		}
	}},
	{"files", 500, func(n int) texts {
		files := texts{"rules.yaml": ignoreFields("jsonPointers: [/spec/replicas]")}
		for i := range n {
			files[fmt.Sprintf("folder/%d.yaml", i)] = deployment(i, "", container(0, "v1"))
		}
		return files
	}},
	{"patterns of .krmignore", 1000, func(n int) texts {
		files := texts{"rules.yaml": ignoreFields("jsonPointers: [/spec/replicas]"), "folder/.krmignore": each(n, func(i int) string {
			return fmt.Sprintf("a%d.yaml\n/b/*%d\n!c%d/\n**/d/*.%d\n", i, i, i, i)
		})}
		for i := range 50 {
			files[fmt.Sprintf("folder/%d.yaml", i)] = deployment(i, "", container(0, "v1"))
		}
		return files
	}},
	{"keys of a map", 10_000, func(n int) texts {
		return texts{
			"package.yaml": configMap(0, "", each(n, func(i int) string { return fmt.Sprintf("k%d: a\n", i) })),
			"live.yaml": configMap(0, owned("v1", "op", "f:data: {"+each(n, func(i int) string { return fmt.Sprintf("f:k%d: {}, ", i) })+"}"),
				each(n, func(i int) string { return fmt.Sprintf("k%d: b\n", i) })),
			"rules.yaml": ignoreFields("jsonPointers: [/data/*]"),
			"error.txt": "The ConfigMap \"o0\" is invalid\n" +
				each(n, func(i int) string { return fmt.Sprintf("conflict with \"op\" using v1: .data.k%d\n", i) }),
		}
	}},
	{"keys that only the cluster has", 10_000, func(n int) texts {
		return texts{
			"package.yaml": configMap(0, "", "a: b\n"),
			"live.yaml": configMap(0, owned("v1", "op", "f:data: {"+each(n, func(i int) string { return fmt.Sprintf("f:k%d: {}, ", i) })+"}"),
				each(n, func(i int) string { return fmt.Sprintf("k%d: b\n", i) })),
		}
	}},
	{"annotations", 5000, func(n int) texts {
		widget := func(managed, value string) string {
			return "---\napiVersion: e.io/v1\nkind: Widget\nmetadata:\n  name: o0\n  namespace: d\n" + managed + "  annotations:\n" +
				each(n, func(i int) string { return fmt.Sprintf("    k%d: %s\n", i, value) })
		}
		return texts{
			"package.yaml": widget("", "a"), "rules.yaml": ignoreFields("jsonPointers: [/metadata/annotations/*]"),
			"live.yaml": widget(owned("e.io/v1", "op", "f:metadata: {f:annotations: {"+
				each(n, func(i int) string { return fmt.Sprintf("f:k%d: {}, ", i) })+"}}"), "b"),
		}
	}},
	{"elements of a list with a key", 2000, func(n int) texts {
		return texts{
			"package.yaml": deployment(0, "", each(n, func(i int) string { return container(i, "v1") })),
			"live.yaml": deployment(0, owned("apps/v1", "op", "f:spec: {f:template: {f:spec: {f:containers: {"+each(n, func(i int) string {
				return fmt.Sprintf("'k:{\"name\":\"c%d\"}': {.: {}, f:name: {}, f:image: {}}, ", i)
			})+"}}}}"), each(n, func(i int) string { return container(i, "v2") })),
			"rules.yaml": ignoreFields(`jqPathExpressions: ['.spec.template.spec.containers[] | select(.name != "c0")']`),
			"error.txt": "The Deployment \"d0\" is invalid\n" + each(n, func(i int) string {
				return fmt.Sprintf("conflict with \"op\" using apps/v1: .spec.template.spec.containers[name=\"c%d\"].image\n", i)
			}),
		}
	}},
	{"elements in another order", 2000, func(n int) texts {
		return texts{
			"package.yaml": deployment(0, "", each(n, func(i int) string { return container(i, "v1") })),
			"live.yaml": deployment(0, owned("apps/v1", "kubectl", "f:spec: {f:template: {f:spec: {f:containers: {"+each(n, func(i int) string {
				return fmt.Sprintf("'k:{\"name\":\"c%d\"}': {.: {}, f:name: {}, f:image: {}}, ", i)
			})+"}}}}"), each(n, func(i int) string { return container(n-1-i, "v1") })),
		}
	}},
	{"elements that only the cluster has", 2000, func(n int) texts {
		return texts{
			"package.yaml": deployment(0, "", container(-1, "v1")),
			"live.yaml": deployment(0, owned("apps/v1", "op", "f:spec: {f:template: {f:spec: {f:containers: {"+each(n, func(i int) string {
				return fmt.Sprintf("'k:{\"name\":\"c%d\"}': {.: {}, f:name: {}, f:image: {}}, ", i)
			})+"}}}}"), each(n, func(i int) string { return container(i, "v2") })+container(-1, "v1")),
		}
	}},
	{"elements of a set", 2000, func(n int) texts {
		finalizers := func(managed, prefix string) string {
			return "---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: o0\n  namespace: d\n" + managed + "  finalizers:\n" +
				each(n, func(i int) string { return fmt.Sprintf("  - e.io/%s%d\n", prefix[i%len(prefix):][:1], i) })
		}
		return texts{
			"package.yaml": finalizers("", "a"), "rules.yaml": ignoreFields("jsonPointers: [/metadata/finalizers/*]"),
			"live.yaml": finalizers(owned("v1", "op", "f:metadata: {f:finalizers: {"+
				each(n, func(i int) string { return fmt.Sprintf("'v:\"e.io/b%d\"': {}, ", i) })+"}}"), "ab"),
		}
	}},
	{"elements of a list without a key", 2000, func(n int) texts { return lists(n, "{a: %d, b: x}", "{a: %d, b: y}") }},
	{"elements of a list of texts", 5000, func(n int) texts { return lists(n, "x%d", "y%d") }},
	{"elements on one line", 5000, func(n int) texts {
		of := func(managed, value string) string {
			return fmt.Sprintf(`{"apiVersion":"e.io/v1","kind":"Widget","metadata":{"name":"o0","namespace":"d"%s},"spec":{"l":[%s{"k":0}]}}`, managed,
				each(n, func(i int) string { return fmt.Sprintf(`{"name":"n%d","v":"%s"},`, i, value) })) + "\n"
		}
		managed := `,"managedFields":[{"manager":"op","operation":"Apply","apiVersion":"e.io/v1","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{"f:l":{}}}}]`
		return texts{"package.yaml": of("", "a"), "live.yaml": of(managed, "b"), "rules.yaml": ignoreFields("jsonPaths: ['.spec.l[*].v']")}
	}},
	{"managers of an object", 250, func(n int) texts {
		managed := each(n, func(i int) string {
			return owned("apps/v1", fmt.Sprintf("m%d", i), "f:metadata: {f:labels: {f:a: {}, f:b: {}}}, f:spec: {f:replicas: {}}")
		})
		managed = "  managedFields:\n" + strings.ReplaceAll(managed, "  managedFields:\n", "")
		return texts{"package.yaml": deployment(0, "", container(0, "v1")), "live.yaml": deployment(0, managed, container(0, "v2"))}
	}},
	{"managers with a field each", 1000, func(n int) texts {
		managed := each(n, func(i int) string { return owned("v1", fmt.Sprintf("m%d", i), fmt.Sprintf("f:data: {f:k%d: {}}", i)) })
		managed = "  managedFields:\n" + strings.ReplaceAll(managed, "  managedFields:\n", "")
		data := func(value string) string {
			return each(n, func(i int) string { return fmt.Sprintf("k%d: %s\n", i, value) })
		}
		return texts{
			"package.yaml": configMap(0, "", data("a")), "live.yaml": configMap(0, managed, data("b")),
			"error.txt": "The ConfigMap \"o0\" is invalid\n" +
				each(n, func(i int) string { return fmt.Sprintf("conflict with \"m%d\" using v1: .data.k%d\n", i, i) }),
		}
	}},
	{"JSON Pointers", 5000, func(n int) texts { return expressions(n, "jsonPointers", "/data/k%d", "a") }},
	{"JSONPaths", 5000, func(n int) texts { return expressions(n, "jsonPaths", ".data.k%d", "a") }},
	{"jq expressions", 2000, func(n int) texts { return expressions(n, "jqPathExpressions", ".data.k%d", "a") }},
	{"jq expressions that are compiled", 1000, func(n int) texts { return expressions(n, "jqPathExpressions", `.data | select(has("k%d")) | .x`, "a") }},
	{"rules", 5000, func(n int) texts {
		return texts{
			"package.yaml": configMap(0, "", each(n, func(i int) string { return fmt.Sprintf("k%d: a\n", i) })),
			"live.yaml":    configMap(0, owned("v1", "op", "f:data: {}"), each(n, func(i int) string { return fmt.Sprintf("k%d: b\n", i) })),
			"rules.yaml":   rules(n, func(i int) string { return fmt.Sprintf("jsonPointers: [/data/k%d]", i) }),
		}
	}},
	{"selectors", 5000, func(n int) texts {
		return texts{
			"package.yaml": each(100, func(i int) string { return deployment(i, "", container(0, "v1")) }),
			"live.yaml": each(100, func(i int) string {
				return deployment(i, owned("apps/v1", "hpa", `f:spec: {f:replicas: {}}`), container(0, "v2"))
			}),
			"rules.yaml": ignoreFields("jsonPointers: [/spec/replicas]\n  selectors:\n" + each(n, func(i int) string {
				return fmt.Sprintf("  - {kind: Deployment, name: d%d}\n", i)
			})),
		}
	}},
	{"properties of a CRD", 5000, func(n int) texts {
		properties := each(n, func(i int) string { return fmt.Sprintf("p%d: {type: string, default: x}, ", i) })
		return texts{"package.yaml": widget("", "a: b"), "live.yaml": widget("", "a: c"), "crds.yaml": widgets("properties: {" + properties + "}")}
	}},
	{"required properties of a CRD", 5000, func(n int) texts {
		names := each(n, func(i int) string { return fmt.Sprintf("p%d, ", i) })
		properties := each(n, func(i int) string { return fmt.Sprintf("p%d: {type: string}, ", i) })
		return texts{
			"package.yaml": widget("", "a: b"), "live.yaml": widget("", "a: b"),
			"crds.yaml": widgets("required: [" + names + "], properties: {" + properties + "}"),
		}
	}},
	{"elements with defaults of a CRD", 500, func(n int) texts {
		defaults := each(50, func(i int) string { return fmt.Sprintf("e%d: {type: object, default: {k: v, w: x}}, ", i) })
		elements := each(n, func(int) string { return "{}, " })
		return texts{
			"package.yaml": widget("", "l: ["+elements+"]"), "live.yaml": widget("", "l: ["+elements+"{}]"),
			"crds.yaml": widgets("properties: {l: {type: array, items: {type: object, properties: {" + defaults + "}}}}"),
		}
	}},
	{"kinds with a CRD", 200, func(n int) texts {
		of := func(value string) string {
			return each(n, func(i int) string {
				return strings.ReplaceAll(widget("", "a: "+value), "Widget", fmt.Sprintf("Widget%d", i))
			})
		}
		return texts{"package.yaml": of("b"), "live.yaml": of("c"), "crds.yaml": each(n, func(i int) string {
			crd := strings.ReplaceAll(widgets("properties: {a: {type: string}}"), "Widget", fmt.Sprintf("Widget%d", i))
			return strings.ReplaceAll(crd, "widgets", fmt.Sprintf("widget%ds", i))
		})}
	}},
	{"maps in each other", 200, func(n int) texts { return nested(n, "a") }},
	{"lists in each other", 200, func(n int) texts {
		of := func(value string) string { return "l: " + strings.Repeat("[", n) + value + strings.Repeat("]", n) }
		return texts{"package.yaml": widget("", of("a")), "live.yaml": widget("", of("b")), "rules.yaml": ignoreFields("jsonPaths: [..x]")}
	}},
	{"documents in a string", 1000, func(n int) texts {
		of := func(value string) string {
			return each(n, func(i int) string { return fmt.Sprintf("---\na: %s%d\nb: c\n", value, i) })
		}
		return documents(of("x"), of("y"), "/a")
	}},
	{"fields of a document in a string", 5000, func(n int) texts {
		of := func(value string) string {
			return each(n, func(i int) string { return fmt.Sprintf("k%d: %s\n", i, value) })
		}
		return documents(of("x"), of("y"), "/*")
	}},
	{"strings with a document", 2000, func(n int) texts {
		of := func(value string) string {
			return each(n, func(i int) string { return fmt.Sprintf("k%d: |\n  a: %s\n", i, value) })
		}
		rule := "within: {jsonPointers: [/data/*]}\n  jsonPointers: [/a]"
		return texts{"package.yaml": configMap(0, "", of("x")), "live.yaml": configMap(0, owned("v1", "op", "f:data: {}"), of("y")),
			"rules.yaml": ignoreFields(rule)}
	}},
	{"values of a Secret", 2000, func(n int) texts {
		return secret(each(n, func(i int) string {
			return fmt.Sprintf("k%d: %s\n", i, base64.StdEncoding.EncodeToString(fmt.Appendf(nil, "value-%d", i)))
		}))
	}},
	{"KiB in a Secret", 1000, func(n int) texts {
		text := each(n*16, func(i int) string { return fmt.Sprintf("%064d", i*7919) })
		return secret("k1: " + base64.StdEncoding.EncodeToString([]byte(text)) + "\n")
	}},
	{"lines of a string", 5000, func(n int) texts {
		of := func(value string) string {
			return "k1: |\n" + each(n, func(i int) string { return fmt.Sprintf("  %s line %d\n", value, i) })
		}
		return texts{"package.yaml": configMap(0, "", of("old")), "live.yaml": configMap(0, owned("v1", "op", "f:data: {f:k1: {}}"), of("new"))}
	}},
	{"KiB on a line", 500, func(n int) texts {
		of := func(value string) string { return "k1: " + strings.Repeat(value+" ", n*200) + "\n" }
		return texts{"package.yaml": configMap(0, "", of("olde")), "live.yaml": configMap(0, owned("v1", "op", "f:data: {f:k1: {}}"), of("newe"))}
	}},
	{"lines of comments", 20_000, func(n int) texts {
		comments := each(n, func(i int) string { return fmt.Sprintf("# comment %d\n", i) })
		of := func(value string) string { return configMap(0, "", comments+"k1: "+value+"\n") }
		return texts{"package.yaml": of("a"), "live.yaml": of("b")}
	}},
	{"aliases", 2000, func(n int) texts {
		of := func(value string) string {
			return "x: &x {a: " + value + "}\n" + each(n, func(i int) string { return fmt.Sprintf("k%d: *x\n", i) })
		}
		return texts{
			"package.yaml": configMap(0, "", of("1")), "live.yaml": configMap(0, owned("v1", "op", "f:data: {}"), of("2")),
			"rules.yaml": ignoreFields("jsonPointers: [/data/*/a]"),
		}
	}},
	{"autoscalers of one target", 500, func(n int) texts {
		autoscalers := each(n, func(i int) string { return autoscaler(i, 0) })
		return texts{
			"package.yaml": autoscalers + deployment(0, "", container(0, "v1")), "rules.yaml": ignoreFields("fromOwners: true"),
			"live.yaml": autoscalers + deployment(0, owned("apps/v1", "m", "f:spec: {f:replicas: {}}"), container(0, "v2")),
		}
	}},
	{"autoscalers and targets", 500, func(n int) texts {
		autoscalers := each(n, func(i int) string { return autoscaler(i, i) })
		return texts{
			"package.yaml": autoscalers + each(n, func(i int) string { return deployment(i, "", container(0, "v1")) }),
			"live.yaml": autoscalers + each(n, func(i int) string {
				return deployment(i, owned("apps/v1", "m", "f:spec: {f:replicas: {}}"), container(0, "v2"))
			}),
			"rules.yaml": ignoreFields("fromOwners: true"),
		}
	}},
	{"names of a path", 20_000, func(n int) texts {
		return texts{"package.yaml": configMap(0, "", "a: b\n"), "rules.yaml": ignoreFields("jsonPointers: [" + strings.Repeat("/a", min(n, 5000)) + "]"),
			"error.txt": "conflict with \"a\" using v1: .a" + strings.Repeat(".b", n) + "\n"}
	}},
	{"keys of objects that kubectl prints", 200, func(n int) texts {
		of := func(value string) string {
			return each(50, func(i int) string {
				return configMap(i, "", each(n, func(k int) string { return fmt.Sprintf("k%d: %s\n", k, value) }))
			})
		}
		items := strings.TrimPrefix(strings.ReplaceAll(indent(of("b"), "  "), "  ---\n  ", "- "), "---\n")
		return texts{
			"kubectl.yaml": of("a"), "kubectl.json": "apiVersion: v1\nkind: List\nitems:\n" + items,
			"rules.yaml": ignoreFields("jsonPointers: [/data/k1]"), "crds.yaml": widgets(""),
		}
	}},
	{"lines of an error", 20_000, func(n int) texts {
		return texts{"package.yaml": configMap(0, "", "a: b\n"),
			"error.txt": each(n, func(i int) string { return fmt.Sprintf("I1128 line %d of a log: retrying\n", i) }) +
				"conflict with \"a\" using v1: .data.a\n"}
	}},
	{"conflicts that an error repeats", 20_000, func(n int) texts {
		return texts{"package.yaml": configMap(0, "", "a: b\n"),
			"error.txt": "The ConfigMap \"o0\" is invalid\n" + strings.Repeat("conflict with \"a\" using v1: .data.a\n", n)}
	}},
	{"keys with elements that an error calls duplicate", 250, func(n int) texts {
		return texts{"package.yaml": deployment(0, "", each(2*n, func(i int) string { return container(i/2, fmt.Sprintf("v%d", i)) })),
			"error.txt": "The Deployment \"d0\" is invalid\n" + each(n, func(i int) string {
				return fmt.Sprintf(".spec.template.spec.containers: duplicate entries for key [name=\"c%d\"]\n", i)
			})}
	}},
	{"operations", 1000, func(n int) texts {
		return operations(n, n, func(i int) string {
			return fmt.Sprintf("- {operation: MergePatch, kind: ConfigMap, namespace: d, name: o%d, mergePatch: {data: {a: c}}}\n", i)
		})
	}},
	{"merges into one object", 1000, func(n int) texts {
		return operations(1, n, func(i int) string {
			return fmt.Sprintf("- operation: CreateOrUpdate\n  object: {apiVersion: v1, kind: ConfigMap, "+
				"metadata: {name: o0, namespace: d}, data: {k%d: c}}\n", i)
		})
	}},
	{"JSON Patches of one object", 1000, func(n int) texts {
		return operations(1, n, func(i int) string {
			return fmt.Sprintf("- {operation: JSONPatch, kind: ConfigMap, namespace: d, name: o0, jsonPatch: [{op: add, path: /data/k%d, value: c}]}\n", i)
		})
	}},
	{"patches", 1000, func(n int) texts {
		return config(n, "kind: ApplyPatches\nmetadata: {name: c}\npatches:\n"+each(n, func(i int) string {
			return fmt.Sprintf("- target: {name: o%d}\n  operations: [{op: add, path: /data/b, value: c}]\n", i)
		}))
	}},
	{"elements that forEach makes", 1000, func(n int) texts {
		return config(1, "kind: ApplyPatches\nmetadata: {name: c}\nparameters: {p: ["+each(n, func(i int) string { return fmt.Sprintf("k%d, ", i) })+
			"]}\npatches:\n- target: {kind: ConfigMap}\n  forEach: ${parameters.p}\n  operations: [{op: add, path: '/data/${item}', value: '${item}'}]\n")
	}},
}
