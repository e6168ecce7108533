package selector

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestUnmatched(t *testing.T) {
	tests := map[string]struct {
		text string
		want []Unmatched
	}{
		"all match": {"{selectors: [{kind: Service}, {kind: Kptfile}], exclude: [{name: rules}]}", nil},
		"core": {"selectors: [{kind: Service}, {group: core}]", []Unmatched{{"selectors[1]",
			`no object matches the selector group: core; the core group is written group: ""`}}},
		"case of the kind": {"selectors: [{kind: deployment}]", []Unmatched{{"selectors[0]",
			`no object matches the selector kind: deployment; did you mean kind: Deployment?`}}},
		"plural": {"exclude: [{kind: deployments, name: web}]", []Unmatched{{"exclude[0]",
			`no object matches the exclude entry kind: deployments, name: web; did you mean kind: Deployment?`}}},
		"misspelt name": {"selectors: [{name: shopp, kind: Kptfile}]", []Unmatched{{"selectors[0]",
			`no object matches the selector kind: Kptfile, name: shopp; did you mean name: shop?`}}},
		"name that nothing is like": {"selectors: [{name: database}]", []Unmatched{{"selectors[0]",
			`no object matches the selector name: database; no object has the name database`}}},
		"namespace that nothing is like": {"selectors: [{namespace: staging}]", []Unmatched{{"selectors[0]",
			`no object matches the selector namespace: staging; no object has the namespace staging`}}},
		"other namespace": {"selectors: [{kind: Deployment, name: web, namespace: prod}]", []Unmatched{{"selectors[0]",
			`no object matches the selector kind: Deployment, name: web, namespace: prod; ` +
				`the nearest object, Deployment default/web, has namespace: default`}}},
		"no namespace": {"selectors: [{kind: Namespace, namespace: default}]", []Unmatched{{"selectors[0]",
			`no object matches the selector kind: Namespace, namespace: default; ` +
				`the nearest object, Namespace default, has no namespace`}}},
		"several fields differ": {
			`selectors: [{group: "", kind: Deployment, labels: {tier: api}, labelSelector: level}]`, []Unmatched{
				{"selectors[0]",
					`no object matches the selector group: "", kind: Deployment, labels: {"tier": "api"}, labelSelector: level; ` +
						`the nearest object, Deployment prod/api, has group: apps and other labels`}}},
		"label of another object": {
			"selectors: [{kind: Service, labels: {tier: api}}, {name: api, labels: {tier: web}}]", []Unmatched{
				{"selectors[0]", `no object matches the selector kind: Service, labels: {"tier": "api"}; ` +
					`the nearest object, Service default/web, has no label "tier"`},
				{"selectors[1]", `no object matches the selector name: api, labels: {"tier": "web"}; ` +
					`the nearest object, Deployment prod/api, has another value of the label "tier"`}}},
		"label value": {"selectors: [{labels: {tier: db}}]", []Unmatched{{"selectors[0]",
			`no object matches the selector labels: {"tier": "db"}; no object has this value of the label "tier"`}}},
		"misspelt annotation": {`selectors: [{annotations: {config.kubernetes.io/local-confg: "true"}}]`, []Unmatched{
			{"selectors[0]",
				`no object matches the selector annotations: {"config.kubernetes.io/local-confg": "true"}; ` +
					`no object has the annotation "config.kubernetes.io/local-confg"; ` +
					`did you mean "config.kubernetes.io/local-config"?`}}},
		"unknown label": {"selectors: [{labels: {owner: me}}]", []Unmatched{{"selectors[0]",
			`no object matches the selector labels: {"owner": "me"}; no object has the label "owner"`}}},
		"labelSelector": {"selectors: [{labelSelector: owner}]", []Unmatched{{"selectors[0]",
			`no object matches the selector labelSelector: owner; no object has labels that match the labelSelector`}}},
		"left alone": {`selectors: [{kind: "Kpt*"}]`, []Unmatched{{"selectors[0]",
			`no object matches the selector kind: Kpt*; Kptfile shop is skipped unless a selector has kind: Kptfile`}}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := selection(t, test.text).Unmatched(func() []*Candidate { return objects(t) })
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("unmatched (-want +got):\n%s", diff)
			}
		})
	}
}

func TestUnmatchedWithoutObjects(t *testing.T) {
	want := []Unmatched{{"selectors[0]", "no object matches the selector kind: Pod; there are no objects"}}
	if diff := cmp.Diff(want, selection(t, "selectors: [{kind: Pod}]").Unmatched(func() []*Candidate { return nil })); diff != "" {
		t.Errorf("unmatched (-want +got):\n%s", diff)
	}
	target, _ := NewTarget(Selector{}, "removes[0].target")
	want = []Unmatched{{"removes[0].target", "no object matches the selector"}}
	if diff := cmp.Diff(want, target.Unmatched(func() []*Candidate { return nil })); diff != "" {
		t.Errorf("unmatched (-want +got):\n%s", diff)
	}
}
