package golden

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/txtar"
	"go.yaml.in/yaml/v3"

	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/printable"
)

// Outcome is what a run on a ResourceList left behind, as the files of a case, without what needs
// no saying:
//
//   - changes: the unified diff from the list that came in to the one that came out, left out where nothing changed;
//   - results: the results, left out where there are none;
//   - stderr: left out where it has the line of each result if the run failed, and nothing if it did not;
//   - exit code: left out where it is 1 with results of severity error, and 0 without.
//
// Each byte of the run counts nevertheless. Results that are not written as YAML in the style of
// kpt, behind all else, are in the changes.
func Outcome(in, stdout []byte, stderr string, code int) []txtar.File {
	var files []txtar.File
	add := func(name, text string) {
		if text != "" {
			files = append(files, txtar.File{Name: name, Data: []byte(text)})
		}
	}
	list, results := cutResults(in, stdout)
	add("changes", diff(string(in), string(list)))
	add("results", describe(results, configRef(in)))
	usual := ""
	failed := slices.ContainsFunc(results, func(r result) bool { return r.Severity == "error" })
	if failed {
		for _, r := range results {
			usual += r.line(true) + "\n"
		}
	}
	if stderr != usual {
		add("stderr", stderr)
		if stderr == "" {
			add("stderr", "nothing\n")
		}
	}
	if (code != 0) != failed || code > 1 {
		add("exit code", fmt.Sprintln(code))
	}
	return files
}

// A result is an element of a list's results.
type result struct {
	Message     string    `yaml:"message"`
	Severity    string    `yaml:"severity"`
	ResourceRef yaml.Node `yaml:"resourceRef"`
	File        yaml.Node `yaml:"file"`
	Field       yaml.Node `yaml:"field"`
	Tags        yaml.Node `yaml:"tags"`
}

// cutResults returns the list without its results, and these, where they can be written again as
// they stand.
func cutResults(in, stdout []byte) ([]byte, []result) {
	start := bytes.LastIndex(stdout, []byte("\nresults:\n")) + 1
	if start == 0 || bytes.Contains(in, []byte("\nresults:\n")) {
		return stdout, nil
	}
	var root yaml.Node
	if err := yaml.Unmarshal(stdout[start:], &root); err != nil {
		return stdout, nil
	}
	var member struct{ Results []result }
	if err := root.Decode(&member); err != nil {
		return stdout, nil
	}
	setStyle(&root, 0)
	var again bytes.Buffer
	encoder := yaml.NewEncoder(&again)
	encoder.SetIndent(2)
	encoder.CompactSeqIndent()
	if err := encoder.Encode(&root); err != nil || !bytes.Equal(again.Bytes(), stdout[start:]) {
		return stdout, nil
	}
	return stdout[:start], member.Results
}

// line is the line of the result on stderr, with the reason or without.
func (r result) line(hasReason bool) string {
	var tags map[string]string
	var file report.File
	if hasReason {
		_ = r.Tags.Decode(&tags) // what can't be decoded is seen in the case
	}
	_ = r.File.Decode(&file)
	file.HasIndex = true
	return report.Result{Message: r.Message, Severity: r.Severity, Ref: refOf(r.ResourceRef), File: file, Tags: tags}.Line()
}

func refOf(node yaml.Node) report.Ref {
	var r struct {
		APIVersion            string `yaml:"apiVersion"`
		Kind, Namespace, Name string
	}
	_ = node.Decode(&r)
	return report.Ref(r)
}

// configRef names the functionConfig of a list.
func configRef(list []byte) report.Ref {
	var root struct {
		FunctionConfig struct {
			APIVersion string `yaml:"apiVersion"`
			Kind       string
			Metadata   struct{ Namespace, Name string }
		} `yaml:"functionConfig"`
	}
	if err := yaml.Unmarshal(list, &root); err != nil {
		return report.Ref{}
	}
	c := root.FunctionConfig
	return report.Ref{APIVersion: c.APIVersion, Kind: c.Kind, Namespace: c.Metadata.Namespace, Name: c.Metadata.Name}
}

// describe writes each result as its line on stderr, and below it the parts that the line does not
// have. A result without resourceRef is about the functionConfig.
func describe(results []result, config report.Ref) string {
	var b strings.Builder
	for _, r := range results {
		fmt.Fprintln(&b, r.line(false))
		switch {
		case r.ResourceRef.IsZero():
			fmt.Fprintln(&b, "  resourceRef: none")
		case refOf(r.ResourceRef) != config:
			writePart(&b, "resourceRef", r.ResourceRef)
		}
		writePart(&b, "file", r.File)
		writePart(&b, "field", r.Field)
		writePart(&b, "tags", r.Tags)
	}
	return b.String()
}

func writePart(b *strings.Builder, name string, node yaml.Node) {
	if node.IsZero() {
		return
	}
	setStyle(&node, yaml.FlowStyle)
	text, err := yaml.Marshal(&node)
	if err != nil {
		text = fmt.Appendln(nil, err)
	}
	fmt.Fprintf(b, "  %s: %s", name, text)
}

// setStyle gives a node and all in it a style.
func setStyle(n *yaml.Node, style yaml.Style) {
	n.Style = style
	if style == 0 && n.Value != "" && (strings.Contains(n.Value, "\n") || strings.ContainsAny(n.Value[:1], "-?:")) {
		n.Style = yaml.DoubleQuotedStyle // as results have such a text
	}
	for _, child := range n.Content {
		setStyle(child, style)
	}
}

// diff is the unified diff of two texts without the names of files.
func diff(before, after string) string {
	var out strings.Builder
	for _, hunk := range printable.CompareLines(whole(before), whole(after)) {
		fmt.Fprintf(&out, "@@ -%s +%s @@\n", lineRange(hunk.From, hunk.FromCount), lineRange(hunk.To, hunk.ToCount))
		for _, line := range hunk.Lines {
			out.WriteString(line)
		}
	}
	return out.String()
}

// lineRange is a range of lines as a hunk names it.
func lineRange(first, count int) string {
	switch count {
	case 0:
		return fmt.Sprintf("%d,0", first-1)
	case 1:
		return fmt.Sprint(first)
	}
	return fmt.Sprintf("%d,%d", first, count)
}

// whole returns a text whose last line has a line break.
func whole(text string) string {
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n\\ No newline at end of file\n"
	}
	return text
}
