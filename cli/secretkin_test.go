package cli_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/krm-fields/krm-fields/cli"
)

// managed puts managers beside the name of an object: one that applies all keys and one more, and
// one that has written them since.
func managed(values map[string]string, field string) string {
	var keys []string
	for key := range maps.Keys(values) {
		keys = append(keys, fmt.Sprintf("%q: {}", "f:"+key))
	}
	slices.Sort(keys)
	entry := func(manager, operation string, keys []string) string {
		return fmt.Sprintf("{apiVersion: v1, fieldsType: FieldsV1, manager: %s, operation: %s, fieldsV1: {\"f:%s\": {%s}}}",
			manager, operation, field, strings.Join(keys, ", "))
	}
	return fmt.Sprintf("metadata: {name: in, namespace: shop, resourceVersion: \"7\", uid: u, managedFields: [%s, %s]}",
		entry("kubectl", "Apply", append(keys, `"f:gone": {}`)), entry("rotator", "Update", keys))
}

// secretKin are what commands read that has values in one way each: the package, the live objects
// and the functionConfigs.
type secretKin struct {
	here, there string
	configs     []string
	// isCopied is true if only the functionConfigs tell that a value is a Secret's.
	isCopied bool
}

const copyValue = "kind: ApplyPatches\nmetadata: {name: copy}\npatches:\n- target: {kind: ConfigMap}\n  operations:\n" +
	"  - {op: add, path: /data/url, value: 'pg://${object(\"v1\", \"Secret\", \"in\", \"shop\").value().stringData.plain}@db'}\n" +
	"  - {op: add, path: '/data/${object(\"v1\", \"Secret\", \"in\", \"shop\").value().stringData.plain}', value: x}\n"

// secretKins are the kin of Secrets, by name.
func secretKins(here, there map[string]string) map[string]secretKin {
	kins := map[string]secretKin{}
	metadata := "metadata: {name: in, namespace: shop}"
	for name, form := range secretForms {
		live := there
		if name == "Secret" || name == "stringData" {
			live = maps.Clone(there)
			live["gone"] = there["plain"] + "q"
		}
		kins[name] = secretKin{here: form(here), there: strings.Replace(form(live), metadata, managed(there, "data"), 1)}
	}
	secret := secretOf(here, "stringData", "Secret") + "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: c, namespace: shop}\ndata: {a: b}\n"
	copied := strings.Replace("apiVersion: v1\nkind: ConfigMap\n"+managed(map[string]string{"a": "", "url": ""}, "data"), "name: in", "name: c", 1) +
		fmt.Sprintf("\ndata: {a: b, url: 'pg://%s@db'}\n", there["plain"])
	for name, rule := range map[string]string{
		"copied":          "",
		"copied, taken":   "kind: IgnoreFields\nmetadata: {name: r}\naction: TakeLive\nignoreFields:\n- jsonPointers: [/data/url]\n",
		"copied, removed": "kind: IgnoreFields\nmetadata: {name: r}\nignoreFields:\n- jsonPointers: [/data/url]\n",
		"copied, all":     "kind: IgnoreFields\nmetadata: {name: r}\nignoreFields:\n- jqPathExpressions: ['.data[]']\n",
		"copied, patched": "kind: ApplyPatches\nmetadata: {name: r}\npatches:\n- target: {kind: ConfigMap}\n  operations: [{op: remove, path: /data}]\n",
		"copied, marked":  "kind: IgnoreFields\nmetadata: {name: r}\naction: Annotate\nignoreFields:\n- jsonPointers: [/data/url]\n",
	} {
		kin := secretKin{here: secret, there: copied, configs: []string{copyValue}, isCopied: true}
		if rule != "" {
			kin.configs = append(kin.configs, rule)
		}
		kins[name] = kin
	}
	patch := fmt.Sprintf("{op: replace, path: /data/plain, value: %q}", there["plain"])
	for name, operation := range map[string]string{
		"written": "{operation: CreateOrUpdate, object: {apiVersion: v1, kind: Secret, metadata: {name: in, namespace: shop}, stringData: {plain: " +
			there["plain"] + "}}}",
		"merged":       "{operation: MergePatch, kind: Secret, name: in, namespace: shop, mergePatch: {stringData: {plain: " + there["plain"] + "}}}",
		"patched":      "{operation: JSONPatch, kind: Secret, name: in, namespace: shop, jsonPatch: [" + patch + "]}",
		"filtered":     "{operation: JQPatch, kind: Secret, name: in, namespace: shop, jqFilter: '.stringData.plain = \"" + there["plain"] + "\"'}",
		"failing test": "{operation: JSONPatch, kind: Secret, name: in, namespace: shop, jsonPatch: [{op: test, path: /stringData/plain, value: " + there["plain"] + "}]}",
	} {
		config := "kind: ApplyOperations\nmetadata: {name: r}\noperations:\n- " + operation + "\n"
		kins["operation "+name] = secretKin{here: secretOf(here, "stringData", "Secret"), there: secretOf(there, "data", "Secret"), configs: []string{config}}
	}
	return kins
}

// perCommand are the commands that show something of a package and its live objects, except its
// manifests: with files in place of HERE, THERE, BASE and ERROR, and -c for each functionConfig in
// place of CONFIGS.
func perCommand() (all []string) {
	formats := func(command string, formats ...string) {
		for _, format := range formats {
			all = append(all, command+" -o "+format)
		}
	}
	formats("run --dry-run CONFIGS --live THERE HERE", "text", "json", "github", "sarif", "junit", "krm")
	formats("run --diff CONFIGS --live THERE HERE", "text")
	for _, results := range []string{"r.json", "r.sarif", "r.xml", "r.yaml"} {
		all = append(all, "run --dry-run CONFIGS --live THERE HERE --results "+results)
	}
	formats("plan CONFIGS --live THERE HERE", "text", "json", "markdown")
	for _, tool := range []string{"krm-fields", "argocd", "flux", "helm", "kpt"} {
		formats("plan --as "+tool+" CONFIGS --live THERE HERE", "json")
	}
	formats("plan --force-conflicts CONFIGS --live THERE HERE", "text")
	formats("plan --base BASE CONFIGS --live a=THERE --live b=BASE HERE", "text", "json", "markdown", "github")
	formats("diff CONFIGS --live THERE HERE", "text", "json")
	formats("suggest --live THERE HERE", "text", "json")
	formats("suggest --include-edits --live THERE HERE", "text", "json")
	formats("suggest --check --live THERE HERE", "text", "json", "github", "sarif", "junit")
	formats("suggest --error ERROR HERE", "text", "json")
	formats("locate --live THERE HERE", "text", "json")
	formats("audit --live THERE --fail-on conflict,drift", "text", "json")
	all = append(all, "audit --live THERE --suggest", "convert --to ignorefields HERE", "convert --to admission-policy HERE")
	for _, more := range []string{"", " --remove-stale --forget", " --force --remove-stale"} {
		formats("handover --from kubectl --to flux"+more+" CONFIGS --live THERE HERE", "text", "json", "yaml")
	}
	formats("apply --dry-run CONFIGS --live THERE HERE", "text", "json")
	return append(all, "apply -v CONFIGS HERE", "apply -v --results r.yaml CONFIGS HERE", "diff -v CONFIGS HERE", "plan -v --server CONFIGS HERE",
		"plan -v --from-cluster CONFIGS HERE", "suggest -v --from-cluster HERE", "locate --from-cluster HERE", "audit -v --from-cluster",
		"handover -v --from kubectl --to flux --save saved.json --force --remove-stale HERE",
		"handover -v --from kubectl --to argocd HERE")
}

// talkativeKubectl has what THERE has, and tells on stderr all that it gets and has.
const talkativeKubectl = `#!/bin/sh
case "$*" in
*--raw=/version*) echo '{}'; exit ;;
api-resources*) echo secrets; echo configmaps; exit ;;
get*) cat THERE; sed 's/^/Warning: /' THERE >&2; exit ;;
esac
sed 's/^/error when creating: /' >&2
sed 's/^/Error from server: /' THERE >&2
exit 1
`

// TestNoCommandShowsSecrets has every command that looks at objects look at the kin of Secrets.
func TestNoCommandShowsSecrets(t *testing.T) {
	random := rand.New(rand.NewPCG(52, 0))
	here, there := randomValues(random), randomValues(random)
	for _, values := range []map[string]string{here, there} {
		delete(values, "quoted") // which a shell would have to quote
		delete(values, "more")
	}
	for name, kin := range secretKins(here, there) {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			t.Chdir(folder)
			file := func(name, text string, mode os.FileMode) string {
				if err := os.WriteFile(name, []byte(text), mode); err != nil {
					t.Fatal(err)
				}
				return filepath.Join(folder, name)
			}
			files := []string{
				"HERE", file("here.yaml", kin.here, 0o600), "THERE", file("there.yaml", kin.there, 0o600),
				"BASE", file("base.yaml", strings.ReplaceAll(kin.here, here["plain"], there["plain"]), 0o600),
				"ERROR", file("error.txt", "error: Apply failed with 1 conflict: conflict with \"rotator\" using v1: .data.plain\n"+
					"The Secret \"in\" is invalid: data.plain: Invalid value: \""+here["plain"]+"\": field is immutable\n", 0o600),
			}
			file("kubectl", strings.ReplaceAll(talkativeKubectl, "THERE", filepath.Join(folder, "there.yaml")), 0o700)
			t.Setenv("PATH", folder+string(filepath.ListSeparator)+os.Getenv("PATH"))
			configs := ""
			for i, config := range kin.configs {
				configs += " -c " + file(fmt.Sprintf("rules%d.yaml", i), "apiVersion: fn.kpt.dev/v1alpha1\n"+config, 0o600)
			}
			commands := perCommand()
			for _, format := range cli.ExplanationFormats {
				if len(kin.configs) == 1 {
					commands = append(commands, "explain -o "+format+" CONFIGS --live THERE HERE")
				}
			}
			for _, command := range commands {
				if kin.isCopied && (strings.Contains(command, "-v ") || !strings.Contains(command, "CONFIGS")) {
					continue
				}
				args := strings.Fields(strings.NewReplacer(append(files, "CONFIGS", configs)...).Replace(command))
				out, errOut := run(t, "", args...)
				for _, written := range []string{"r.json", "r.sarif", "r.xml", "r.yaml"} {
					text, _ := os.ReadFile(written) // which most commands do not write
					out += string(text)
					_ = os.Remove(written)
				}
				if found := leaksOf(t, out+errOut, here, there); len(found) > 0 {
					t.Errorf("%s: no four characters of a value must be shown, found %q in\n%s%s", command, found, out, errOut)
				}
				if strings.Contains(errOut, "unknown") || strings.Contains(errOut, "must be given") || strings.Contains(errOut, "must not be given") {
					t.Errorf("%s: the command must be one that is carried out, found %s", command, errOut)
				}
			}
		})
	}
}
