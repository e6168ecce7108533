package corpus

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Large are CustomResourceDefinitions of 20,000 lines, ConfigMaps of 500 kB and Grafana dashboards.
var Large = Kind{objects: []template{
	{"apiextensions.k8s.io/v1", "CustomResourceDefinition", "widgets-{i}.example.com", largeDefinition()},
	{"v1", "ConfigMap", "prices-{i}", largeConfigMap()},
	{"v1", "ConfigMap", "dashboard-{i}", dashboardConfigMap()},
}}

const (
	definitionSections = 80
	sectionFields      = 16
	priceLines         = 9000
	certificateLines   = 1600
	blobSize           = 60_000
	panels             = 150
)

// largeDefinition is a definition as controller-gen writes it, of two versions.
func largeDefinition() string {
	var text strings.Builder
	text.WriteString(`apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: widgets-{i}.example.com
  labels:
    team: team-{team}
  annotations:
    cert-manager.io/inject-ca-from: widgets/serving-{i}
    controller-gen.kubebuilder.io/version: v0.17.2
spec:
  group: example.com
  names:
    kind: Widget{i}
    listKind: Widget{i}List
    plural: widgets-{i}
    singular: widget-{i}
  scope: Namespaced
  conversion:
    strategy: Webhook
    webhook:
      conversionReviewVersions:
      - v1
      clientConfig:
        caBundle: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0t
        service:
          name: widgets-{i}
          namespace: widgets
          path: /convert
  versions:
`)
	for _, version := range []string{"v1beta1", "v1"} {
		text.WriteString("  - name: " + version + "\n")
		if version == "v1beta1" {
			text.WriteString("    deprecated: true\n    deprecationWarning: widgets-{i} v1beta1 is deprecated\n")
		}
		fmt.Fprintf(&text, "    served: true\n    storage: %t\n", version == "v1")
		text.WriteString(`    subresources:
      status: {}
    schema:
      openAPIV3Schema:
        description: Widget is the Schema for the widgets API.
        type: object
        required:
        - spec
        properties:
          spec:
            description: WidgetSpec defines the desired state of Widget.
            type: object
            properties:
`)
		for section := range definitionSections {
			writeSection(&text, section)
		}
	}
	return text.String()
}

// writeSection writes one member of the spec with all kinds of fields.
func writeSection(text *strings.Builder, section int) {
	fmt.Fprintf(text, `              section%d:
                description: |-
                  Section%d holds the settings of one part of the widget.

                  It is applied as a whole: where a field is left out, its default
                  is taken and not what was there before.
                type: object
                properties:
`, section, section)
	for field := range sectionFields {
		fmt.Fprintf(text, `                  field%d:
                    description: Field%d of section %d; it must be set where the section is, and
                      is taken as it stands.
                    type: string
                    maxLength: 253
                    pattern: ^[a-z0-9]([-a-z0-9]*[a-z0-9])?$
                    enum:
                    - "on"
                    - "off"
`, field, field, section)
	}
}

// largeConfigMap has a table, certificates and a long line.
func largeConfigMap() string {
	var text strings.Builder
	text.WriteString(`apiVersion: v1
kind: ConfigMap
metadata:
  name: prices-{i}
  namespace: team-{team}
  labels:
    team: team-{team}
  annotations:
    reloader.example.com/checksum: c{i}
    description: Prices of shard {i}, read at start.
data:
  cluster-id: cluster-{i}
  currency: EUR
  prices.csv: |
`)
	for n := range priceLines {
		fmt.Fprintf(&text, "    %06d,article number %d,%d.%02d\n", n, n, n*7%1000, n%100)
	}
	text.WriteString("  ca-bundle.pem: |\n    -----BEGIN CERTIFICATE-----\n")
	for n := range certificateLines {
		fmt.Fprintf(&text, "    %s\n", letters(n, 64))
	}
	text.WriteString("    -----END CERTIFICATE-----\n  index.b64: " + letters(1, blobSize) + "\n")
	return text.String()
}

// letters returns a text of letters that looks random.
func letters(seed, length int) string {
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	text := make([]byte, length)
	state := uint32(seed)*2654435761 + 1
	for i := range text {
		state = state*1664525 + 1013904223
		text[i] = alphabet[state>>16%uint32(len(alphabet))]
	}
	return string(text)
}

// dashboardConfigMap is a Grafana dashboard as JSON in a literal scalar.
func dashboardConfigMap() string {
	dashboard := map[string]any{
		"title": "Shard {i}", "uid": "shard-{i}", "editable": true, "schemaVersion": 39, "version": 1,
		"refresh": "30s", "tags": []string{"shop", "team-{team}"}, "time": map[string]string{"from": "now-6h", "to": "now"},
	}
	var all []any
	for n := range panels {
		all = append(all, panel(n))
	}
	dashboard["panels"] = all
	text, err := json.MarshalIndent(dashboard, "    ", "  ")
	if err != nil {
		panic(err) // maps of strings and numbers can be written
	}
	return `apiVersion: v1
kind: ConfigMap
metadata:
  name: dashboard-{i}
  namespace: team-{team}
  labels:
    grafana_dashboard: "1"
    team: team-{team}
  annotations:
    reloader.example.com/checksum: c{i}
    grafana_folder: Shop
data:
  cluster-id: cluster-{i}
  dashboard-{i}.json: |-
    ` + string(text) + "\n"
}

// panel is a graph with two queries.
func panel(n int) any {
	query := func(ref, of string) any {
		return map[string]any{
			"refId": ref, "interval": "", "legendFormat": "{{pod}}",
			"expr": fmt.Sprintf(`sum by (pod) (rate(shop_%s_%d_total{namespace="team-{team}", shard="{i}"}[5m]))`, of, n),
		}
	}
	steps := []any{map[string]any{"color": "green", "value": nil}, map[string]any{"color": "red", "value": 80}}
	return map[string]any{
		"id": n, "type": "timeseries", "title": fmt.Sprintf("Requests of part %d", n),
		"datasource": map[string]string{"type": "prometheus", "uid": "${datasource}"},
		"gridPos":    map[string]int{"h": 8, "w": 12, "x": n % 2 * 12, "y": n / 2 * 8},
		"fieldConfig": map[string]any{"overrides": []any{}, "defaults": map[string]any{
			"unit": "reqps", "decimals": 2, "thresholds": map[string]any{"mode": "absolute", "steps": steps},
		}},
		"options": map[string]any{"legend": map[string]any{"displayMode": "table", "placement": "bottom", "showLegend": true}},
		"targets": []any{query("A", "requests"), query("B", "errors")},
	}
}
