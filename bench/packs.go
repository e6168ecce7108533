package main

import (
	"fmt"

	"github.com/krm-fields/krm-fields/bench/corpus"
)

// A pack is a package to run on.
type pack struct {
	name    string
	kind    corpus.Kind
	objects int
	// allocated is how many MiB a run may allocate.
	allocated int64
	// rules are a functionConfig with the place %s for what is beside ignoreFields.
	rules string
	// tenth are selectors that select one object in ten.
	tenth string
	// kept says how often lines are in each list, and stripped in one whose fields are ignored.
	kept, stripped map[string]int
	// drift are pairs of a text of the objects and what live objects have in place of it.
	drift []string
	// yq removes those of the fields that have a pointer; what remains of them in files is a line
	// that begins so.
	yq, gone string
	// brief is true for a package that has only the tasks all and tenth.
	brief bool
}

const (
	teamByNamespace = "selectors:\n- namespace: team-0\n"
	teamByLabel     = "selectors:\n- labels: {team: team-0}\n"
)

// richGone begins a line of files of rich objects that is gone where their rules have run.
const richGone = "rollout.example.com/revision:"

var packs = []pack{
	{
		name: "mixed", allocated: 25, kind: corpus.Mixed, objects: 5000, rules: corpus.MixedRules, tenth: teamByNamespace,
		kept:     map[string]int{"  kind: VirtualService": 1250, "  type: Opaque": 1250},
		stripped: map[string]int{"    replicas: 3": 0, "        - name: proxy": 0, "    dynamic-token: dG9rZW4=": 0},
		drift:    []string{"replicas: 3", "replicas: 5", "weight: 90", "weight: 70", "2.7.1", "2.8.0"},
		yq:       `del(.metadata.annotations."prometheus.io/scrape", .data.dynamic-token)`, gone: "prometheus.io/scrape:",
	},
	{
		name: "rich", allocated: 34, kind: corpus.Rich, objects: 5000, rules: corpus.RichRules, tenth: teamByNamespace,
		kept:     map[string]int{"  kind: CronJob": 1000, "  kind: HTTPRoute": 1000},
		stripped: map[string]int{"    replicas: 3": 0, "        - name: mesh-proxy": 0, "        - name: vault-agent": 0},
		drift:    []string{"replicas: 3", "replicas: 5", "weight: 90", "weight: 70", "2.7.1", "2.8.0", "t-", "u-"},
		yq:       `del(.spec.replicas, .metadata.annotations."rollout.example.com/revision")`, gone: richGone,
	},
	{
		name: "large", allocated: 38, kind: corpus.Large, objects: 30, rules: corpus.LargeRules, tenth: teamByLabel,
		kept:     map[string]int{"  kind: CustomResourceDefinition": 10, "    currency: EUR": 10},
		stripped: map[string]int{"    cluster-id: cluster-10": 0, "          caBundle: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0t": 0},
		drift:    []string{"caBundle: LS0t", "caBundle: MS0t", "cluster-id: cluster", "cluster-id: live", "article number 7,", "article number seven,"},
		yq:       "del(.spec.conversion.webhook.clientConfig.caBundle, .data.cluster-id)", gone: "cluster-id:",
	},
	{
		name: "style", allocated: 34, kind: corpus.Style, objects: 5000, rules: corpus.StyleRules, tenth: teamByNamespace,
		kept:     map[string]int{"  kind: PrometheusRule": 1250},
		stripped: map[string]int{"      replicas: 2": 0, "                - name: linkerd-proxy": 0},
		drift:    []string{"replicas: 2", "replicas: 5", "10.96.0.1", "10.96.4.7", "2.14.10", "2.15.0", "token: t-", "token: u-"},
		yq:       `del(.spec.replicas, .spec.clusterIP, .data.token, .metadata.annotations."meta.helm.sh/release-name")`,
		gone:     "meta.helm.sh/release-name:",
	},
	untuned("pods", 14, corpus.Pods, 500, teamByNamespace, map[string]int{"  kind: Pod": 500},
		map[string]int{"      kubectl.kubernetes.io/restartedAt: \"2026-03-11T08:15:30Z\"": 0}),
	untuned("helm", 14, corpus.Helm, 2000, teamByNamespace, map[string]int{"  kind: NetworkPolicy": 500},
		map[string]int{"    replicas: 2": 0}),
	untuned("crds", 9, corpus.CRDs, 100, teamByLabel, map[string]int{"  kind: CustomResourceDefinition": 100},
		map[string]int{"      helm.sh/resource-policy: keep": 0}),
	untuned("crossplane", 19, corpus.Crossplane, 500, teamByLabel, map[string]int{"  kind: Composition": 500},
		map[string]int{"            - name: instance-3": 0}),
	untuned("dashboards", 51, corpus.Dashboards, 100, teamByLabel, map[string]int{"  kind: ConfigMap": 100}, nil),
	untuned("tiny", 205, corpus.Tiny, 50_000, teamByNamespace, map[string]int{"  kind: ConfigMap": 50_000},
		map[string]int{"      example.com/owner: team-1": 0}),
}

// untuned is a package whose costs the program was not made for.
func untuned(name string, allocated int64, kind corpus.Kind, objects int, tenth string, kept, stripped map[string]int) pack {
	return pack{name: name, allocated: allocated, kind: kind, objects: objects, rules: corpus.UntunedRules, tenth: tenth,
		kept: kept, stripped: stripped, brief: true}
}

func (p pack) String() string { return fmt.Sprintf("%d %s objects", p.objects, p.name) }

// config returns the rules with fields beside ignoreFields.
func (p pack) config(fields string) string { return fmt.Sprintf(p.rules, fields) }
