package cli_test

import (
	"encoding/base64"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// fakeKubectl puts a kubectl on the PATH that has these live objects, and fails at all else with a
// text on stdout and stderr.
func fakeKubectl(t *testing.T, live, says string) {
	t.Helper()
	folder := t.TempDir()
	for name, text := range map[string]string{"live.yaml": live, "says": says} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	script := fmt.Sprintf("#!/bin/sh\ncat >/dev/null\nif [ \"$1\" = get ]; then cat %[1]s/live.yaml; exit 0; fi\ncat %[1]s/says; cat %[1]s/says >&2; exit 1\n", folder)
	if err := os.WriteFile(filepath.Join(folder, "kubectl"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", folder+string(os.PathListSeparator)+os.Getenv("PATH"))
}

// clusterCommands are those that speak of live objects, in all of their formats.
func clusterCommands(live string) [][]string {
	return [][]string{
		{"plan", "--live", live}, {"plan", "--live", live, "-o", "json"}, {"plan", "--live", live, "-o", "markdown"},
		{"plan", "--live", live, "--force-conflicts"}, {"plan", "--from-cluster", "--field-manager", "other"},
		{"diff", "--live", live}, {"diff", "--live", live, "-o", "json"}, {"diff", "--verbose"},
		{"apply", "--verbose"}, {"apply", "-o", "json"}, {"apply", "--prune"}, {"apply", "--quiet", "--dry-run=server"},
	}
}

// TestClusterCommandsShowNoSecrets looks for values of Secrets in what is printed of live objects,
// and of what kubectl says.
func TestClusterCommandsShowNoSecrets(t *testing.T) {
	entry := "  managedFields:\n" +
		"  - {manager: other, operation: Apply, apiVersion: v1, fieldsType: FieldsV1, fieldsV1: {\"f:data\": {\"f:password\": {}, \"f:dsn\": {}}}}\n"
	manifest := secrets()["v1"]
	manifest = manifest[:strings.Index(manifest, "  list: ")] // which no Secret can have
	changed := manifest
	for _, value := range marked {
		changed = strings.ReplaceAll(changed, base64.StdEncoding.EncodeToString([]byte(value)), "YQ==")
	}
	lives := map[string]string{
		"ours":        strings.Replace(manifest, "  labels:", entry+"  labels:", 1),
		"with a note": strings.Replace(manifest, "  labels: {app: web}", entry+fmt.Sprintf("  labels: {app: web, note: %q}", marked["pin"]), 1),
		"other":       strings.Replace(changed, "  labels:", entry+"  labels:", 1),
	}
	for name, live := range lives {
		for _, desired := range []string{manifest, changed, strings.Replace(changed, "name: db", "name: new", 1)} {
			path, livePath := write(t, "secret.yaml", desired), write(t, "live.yaml", live)
			fakeKubectl(t, live, strings.Join(slices.Sorted(maps.Values(marked)), "\n")+"\n"+manifest)
			for _, args := range clusterCommands(livePath) {
				out, errOut := run(t, "", append(args, path)...)
				if out+errOut == "" && args[0] != "diff" {
					t.Errorf("%s: %q must print something", name, args)
				}
				checkRedacted(t, name+": "+strings.Join(args, " "), out+errOut)
			}
		}
	}
}

// TestClusterCommandsAreNotForged has texts of others in live objects and in what kubectl says.
func TestClusterCommandsAreNotForged(t *testing.T) {
	for name, text := range forged {
		manifest := forgedManifest(text)
		live := strings.Replace(strings.ReplaceAll(manifest, "value: a", "value: b"), "  labels:", fmt.Sprintf(
			"  managedFields:\n  - {manager: %[1]q, operation: Apply, apiVersion: v1, fieldsType: FieldsV1, fieldsV1: {\"f:data\": {%[2]q: {}, \"f:gone\": {}}}}\n"+
				"  - {manager: kubectl, operation: Apply, apiVersion: v1, fieldsType: FieldsV1, fieldsV1: {\"f:data\": {%[2]q: {}, \"f:mine\": {}}}}\n  labels:",
			text, "f:"+text), 1)
		live = strings.Replace(live, "  list:", fmt.Sprintf("  gone: %[1]q\n  mine: %[1]q\n  list:", text), 1)
		t.Run(name, func(t *testing.T) {
			path, livePath := write(t, "object.yaml", strings.Replace(manifest, "data:\n", "data:\n  new: x\n", 1)), write(t, "live.yaml", live)
			fakeKubectl(t, live, text+"\n"+text)
			for kind, config := range forgedConfigs(text) {
				configPath := write(t, "rules.yaml", config)
				for _, args := range clusterCommands(livePath) {
					if kind != "found" && !slices.Contains(args, livePath) {
						continue // what kubectl says is the same with every configuration
					}
					args = append(args, "-c", configPath)
					out, errOut := run(t, "", append(args, path)...)
					if slices.Contains(args, "markdown") {
						checkMarkdown(t, strings.Join(args, " "), out)
					} else {
						checkLines(t, strings.Join(args, " "), out)
					}
					checkLines(t, strings.Join(args, " ")+", stderr", errOut)
				}
			}
		})
	}
}
