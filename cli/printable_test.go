package cli_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"go.yaml.in/yaml/v3"
)

// forged are texts that are more than text to who reads the output: a terminal, a CI system, a
// browser, another program.
var forged = map[string]string{
	"line":      "x\nerror: FORGED",
	"return":    "x\rerror: FORGED",
	"separator": "x\u2028error: FORGED",
	"diff":      "x\n-FORGED\n+FORGED\n@@ -1,1 +1,1 @@ FORGED",
	"command":   "::error::FORGED",
	"command 2": "x\n  ::error::FORGED",
	"command 3": "x ##[error]FORGED",
	"escape":    "\x1b[31mFORGED\x1b]0;FORGED\x07",
	"C1":        "\u009b31mFORGED",
	"bidi":      "\u202eFORGED\u2066",
	"tag":       "FORGED\U000e0041\ufeff",
	"HTML":      "<img src=FORGED onerror=x></details><h1>FORGED",
	"markup":    "x](https://FORGED.example) ![](https://FORGED.example) | FORGED |\n# FORGED\n```\n**FORGED**",
	"mention":   "@FORGED #1 https://FORGED.example www.FORGED.example",
}

// checkLines looks for what no line of output may have: a text that can't be seen, a command of a
// CI system, and a line that begins as no line of ours does.
func checkLines(t *testing.T, what, text string) {
	t.Helper()
	for line := range strings.SplitSeq(text, "\n") {
		bare := strings.TrimLeftFunc(line, unicode.IsSpace)
		switch {
		case strings.ContainsFunc(line, isUnseen):
			t.Errorf("%s: a character that can't be seen in %q", what, line)
		case strings.HasPrefix(bare, "::"), strings.Contains(line, "##["):
			t.Errorf("%s: a command in %q", what, line)
		case isForged.MatchString(line):
			t.Errorf("%s: a line that nobody wrote: %q", what, line)
		}
	}
}

func isUnseen(r rune) bool {
	return r != '\t' && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp)
}

// isForged are lines that the forged texts would start.
var isForged = regexp.MustCompile(`^(error: |[-+ ]|@@ -1,1 \+1,1 @@ |# )?FORGED`)

var (
	// markup is what makes markup of a text outside of code.
	markup = regexp.MustCompile("<[a-z/]|]\\(|[^`]https?://|@[A-Z]|#[0-9]|www\\.")
	// spans and blocks of code are shown as they are.
	blocks = regexp.MustCompile("(?s)\n(```+)diff\n.*?\n```+\n")
	spans  = regexp.MustCompile("`[^`]+`|``.+?``|\\\\.")
)

func checkMarkdown(t *testing.T, what, text string) {
	t.Helper()
	checkLines(t, what, text)
	text = strings.NewReplacer("<details><summary>Changes</summary>", "", "</details>", "", "&#8203;", "\u200b").Replace(blocks.ReplaceAllString(text, "\n"))
	if found := markup.FindString(spans.ReplaceAllString(text, "")); found != "" {
		t.Errorf("%s: markup %q in\n%s", what, found, text)
	}
}

// forgedManifest has a text in every place that output shows.
func forgedManifest(text string) string {
	return fmt.Sprintf(`apiVersion: v1
kind: ConfigMap
metadata:
  name: %[1]q
  namespace: %[1]q
  labels: {app: %[1]q}
  annotations: {%[1]q: %[1]q}
data:
  %[1]q: %[1]q
  list: [{name: %[1]q, value: a}, {name: b}]
  block: |
    ::error::a
    ##[error]b
`, text)
}

// forgedConfigs run on forgedManifest.
func forgedConfigs(text string) map[string]string {
	head := "apiVersion: fn.kpt.dev/v1alpha1\nmetadata: {name: " + fmt.Sprintf("%q", text) + "}\nkind: "
	quoted := func(format string) string { return fmt.Sprintf("%q", fmt.Sprintf(format, text)) }
	return map[string]string{
		"found": head + "IgnoreFields\nignoreFields:\n- {condition: OnSpokePresent, jqPathExpressions: [.data, .metadata.annotations], " +
			"jsonPointers: [/metadata/labels]}\n",
		"not found": head + "IgnoreFields\nonMissing: Error\nignoreFields:\n- {condition: OnSpokePresent, jqPathExpressions: [" +
			quoted(".x[%q]") + "], jsonPointers: [" + quoted("/data/x%s") + "], jsonPaths: [.data.x.y, '.data.list[?(@.name==\"z\")]']}\n",
		"raised": head + "IgnoreFields\nignoreFields:\n- {condition: OnSpokePresent, jqPathExpressions: [.data[] | error]}\n",
		"faulty": head + "IgnoreFields\nignoreFields:\n- {condition: " + quoted("%s") + ", jqPathExpressions: [" + quoted("|%s") + "], " +
			quoted("%s") + ": 1}\n",
		"selectors": head + "IgnoreFields\nselectors: [{name: " + quoted("%s") + "}, {kind: " + quoted("%s") + "}]\nexclude: [{name: x}]\n" +
			"ignoreFields:\n- {condition: OnSpokePresent, jsonPointers: [/data]}\n",
		"patches": head + "ApplyPatches\npatches:\n- target: {kind: ConfigMap}\n  operations:\n" +
			"  - {op: add, path: '/metadata/annotations/${resource.metadata.name}', value: '${resource.metadata.name}'}\n",
		"patch error": head + "ApplyPatches\npatches:\n- target: {kind: ConfigMap}\n  operations:\n" +
			"  - {op: add, path: /data/a, value: '${resource.data[resource.metadata.name + \"x\"]}'}\n",
		"operations": head + "ApplyOperations\noperations:\n- {operation: Delete, kind: ConfigMap, name: " + quoted("%s") + ", namespace: x}\n" +
			"- {operation: MergePatch, kind: ConfigMap, name: " + quoted("%s") + ", mergePatch: {}}\n",
	}
}

// TestNoOutputIsForged has texts of others in all that the commands print.
func TestNoOutputIsForged(t *testing.T) {
	for name, text := range forged {
		manifest := forgedManifest(text)
		dir := t.TempDir()
		file := filepath.Join(dir, strings.NewReplacer("/", "_", "\x00", "_").Replace(text)+".yaml")
		if err := os.WriteFile(file, []byte(manifest), 0o600); err != nil {
			t.Fatal(err)
		}
		for kind, config := range forgedConfigs(text) {
			t.Run(name+"/"+kind, func(t *testing.T) { checkForged(t, file, manifest, config) })
		}
		t.Run(name+"/locate", func(t *testing.T) {
			for line := range strings.Count(manifest, "\n") {
				checkOutput(t, "", "locate", file, "--line", fmt.Sprint(line+1))
				checkOutput(t, "", "locate", file, "--line", fmt.Sprint(line+1), "-o", "json")
				checkOutput(t, "", "locate", file, "--line", fmt.Sprint(line+1), "-o", "yaml")
			}
			checkOutput(t, "", "locate", file, "--field", "data.none")
		})
		t.Run(name+"/suggest", func(t *testing.T) {
			live := write(t, "live.yaml", strings.ReplaceAll(manifest, "value: a", "value: b"))
			_, errOut := run(t, "", "suggest", file, live)
			checkLines(t, "suggest, stderr", errOut)
		})
		t.Run(name+"/broken", func(t *testing.T) {
			broken := filepath.Join(t.TempDir(), filepath.Base(file))
			if err := os.WriteFile(broken, []byte("a: ["), 0o600); err != nil {
				t.Fatal(err)
			}
			checkOutput(t, "", "run", "-c", broken, broken)
			checkOutput(t, "", "run", "-c", write(t, "rules.yaml", forgedConfigs(text)["found"]), filepath.Dir(broken))
			checkOutput(t, "", text)
			checkOutput(t, "", "explain", "--object", text, "-c", file, file)
		})
	}
}

func checkForged(t *testing.T, file, manifest, config string) {
	configPath := write(t, "rules.yaml", config)
	_, errOut := run(t, "", "run", "-c", configPath, file)
	checkLines(t, "run, stderr", errOut)
	for _, format := range []string{"text", "json", "yaml"} {
		checkOutput(t, "", "explain", "-o", format, "-c", configPath, file)
	}
	checkOutput(t, "", "explain", "-o", "sarif", "-c", configPath, file)
	checkCommands(t, configPath, file)
	out, errOut := run(t, "", "explain", "-o", "markdown", "-c", configPath, file)
	checkLines(t, "explain -o markdown, stderr", errOut)
	checkMarkdown(t, "explain -o markdown", out)

	_, errOut = run(t, write(t, "list.yaml", "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n"+element(manifest)+
		"functionConfig:\n"+indented("  ", config)))
	checkLines(t, "function, stderr", errOut)
	copied := filepath.Join(t.TempDir(), filepath.Base(file))
	if err := os.WriteFile(copied, []byte(manifest), 0o600); err != nil {
		t.Fatal(err)
	}
	checkOutput(t, "", "run", "--in-place", "-c", configPath, copied)
}

// annotation is a line of -o github: a command whose properties are ours.
var annotation = regexp.MustCompile(`^::(error|warning|notice)( ((file|line|title)=[^:,]*,?)+)?::`)

// checkCommands checks that each line of -o github is one command, and one of ours.
func checkCommands(t *testing.T, configPath, file string) {
	t.Helper()
	out, errOut := run(t, "", "explain", "-o", "github", "-c", configPath, file)
	checkLines(t, "explain -o github, stderr", errOut)
	for line := range strings.Lines(out) {
		if line = strings.TrimSuffix(line, "\n"); !annotation.MatchString(line) || strings.ContainsFunc(line, isUnseen) {
			t.Errorf("explain -o github: each line must be an annotation, found %q", line)
		}
	}
}

// checkOutput runs a command, all of whose output is ours.
func checkOutput(t *testing.T, stdin string, args ...string) {
	t.Helper()
	out, errOut := run(t, stdin, args...)
	checkLines(t, strings.Join(args, " "), out)
	checkLines(t, strings.Join(args, " ")+", stderr", errOut)
}

// TestFormatsKeepTexts reads what explain writes as JSON and as YAML: names are exact in it.
func TestFormatsKeepTexts(t *testing.T) {
	for name, text := range forged {
		file := write(t, "object.yaml", forgedManifest(text))
		config := write(t, "rules.yaml", forgedConfigs(text)["found"])
		for format, unmarshal := range map[string]func([]byte, any) error{"json": json.Unmarshal, "yaml": yaml.Unmarshal} {
			out, _ := run(t, "", "explain", "-o", format, "-c", config, file)
			var explanation struct {
				FunctionConfig struct{ Name string } `yaml:"functionConfig"`
				Changes        []struct{ Object struct{ Name string } }
			}
			if err := unmarshal([]byte(out), &explanation); err != nil {
				t.Fatalf("%s: %s: %v\n%s", name, format, err, out)
			}
			if explanation.FunctionConfig.Name != text || len(explanation.Changes) != 1 || explanation.Changes[0].Object.Name != text {
				t.Errorf("%s: the names in %s must be %q, found %+v", name, format, text, explanation)
			}
		}
	}
}
