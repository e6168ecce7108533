package owners

import (
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/krm-fields/krm-fields/e2e/golden"
	"github.com/krm-fields/krm-fields/internal/krm/selector"
	"github.com/krm-fields/krm-fields/internal/ssa/schema"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// TestCases finds the owners of the objects of each file in testdata, and what they own.
func TestCases(t *testing.T) {
	golden.Run(t, "testdata/*.txtar", func(t *testing.T, c *golden.Case) {
		t.Parallel()
		input := c.Files()[0]
		c.Expect(t, []string{input.Name}, txtar.File{Name: "want", Data: []byte(describe(t, string(input.Data)))})
	})
}

// describe writes a line for each field that an owner has, each target that is not there, and each
// note.
func describe(t *testing.T, text string) string {
	t.Helper()
	var items []*object.Object
	var schemas schema.Schemas
	for document := range strings.SplitSeq(text, "---\n") {
		o, err := object.ParseDocument([]byte(document))
		if err != nil {
			t.Fatal(err)
		}
		items = append(items, o)
		if crd, ok := tree.Value(o.Root()).(map[string]any); ok {
			_ = schemas.AddCRD(crd)
		}
	}
	isLive := func(o *object.Object) bool {
		return tree.GetString(o.Root(), "metadata", "annotations", "fn.kpt.dev/live") == "true"
	}
	index := NewIndex(items, isLive)
	var out strings.Builder
	for _, o := range items {
		if isLive(o) {
			continue
		}
		id := selector.Of(o.Root())
		kind := schemas.Kind(schema.ParseGVK(id.APIVersion, id.Kind))
		for _, c := range index.Of(id, "", "default") {
			fields := c.Locate(o.Root(), kind)
			for i, f := range WithoutAtomic(fields, kind) {
				fmt.Fprintf(&out, "%s has %s of %s", c.Owner, fields[i].Location, id)
				if len(f.Location) < len(fields[i].Location) {
					fmt.Fprintf(&out, " in %s", f.Location)
				}
				if f.Left != "" {
					fmt.Fprintf(&out, ", but %s", f.Left)
				}
				fmt.Fprintf(&out, " (%s)\n", c.Entry.Owner)
			}
		}
	}
	for _, c := range index.Missing() {
		fmt.Fprintf(&out, "%s is not there for %s (%s)\n", c.Targets(), c.Owner, c.Entry.Owner)
	}
	for _, n := range index.Notes {
		fmt.Fprintf(&out, "%s and %d more: %s\n", n.Owner, n.More, n.Entry.Note)
	}
	return out.String()
}

var (
	version   = regexp.MustCompile(`^v?\d+(\.\d+)+$`)
	versioned = regexp.MustCompile(`^https://github\.com/[^/]+/[^/]+/blob/([0-9a-f]{40}|[^/]*\d+\.\d+[^/]*)/`)
)

// TestCatalogue holds each entry to what all have, and to a case of its own.
func TestCatalogue(t *testing.T) {
	entries, err := readCatalogue(files)
	if err != nil {
		t.Fatal(err)
	}
	var cases string
	names, _ := filepath.Glob("testdata/*.txtar")
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		cases += string(text)
	}
	for _, e := range entries {
		if link, err := url.Parse(e.Source); err != nil || link.Scheme != "https" {
			t.Errorf("%s: source must be a link, found %q", e.Owner, e.Source)
		}
		if isSource := strings.HasPrefix(e.Source, "https://github.com/"); isSource && !versioned.MatchString(e.Source) {
			t.Errorf("%s: source must be at a version or commit, found %q", e.Owner, e.Source)
		}
		if !version.MatchString(e.Since) {
			t.Errorf("%s: since must be a version, found %q", e.Owner, e.Since)
		}
		if err := e.compiled(); err != nil {
			t.Errorf("%s: %v", e.Owner, err)
		}
		if mark := e.Owner; e.Note == "" && !strings.Contains(cases, "("+mark+")\n") || !strings.Contains(cases, e.Note) {
			t.Errorf("%s: no case in testdata has it", e.Owner)
		}
	}
	if !slices.IsSortedFunc(entries, func(a, b *CatalogueEntry) int { return strings.Compare(a.Owner, b.Owner) }) {
		t.Error("the entries are not sorted")
	}
}

// TestBadEntries are files that the catalogue must refuse, with the reason.
func TestBadEntries(t *testing.T) {
	const good = "owner: A\nsource: https://example.com\nsince: v1.0\nsays: so\nobjects: [{kind: A}]\n"
	for text, want := range map[string]string{
		good: "must have either owns or note",
		good + "note: x\nowns: [{scale: true}]\n":                          "must have either owns or note",
		good + "owns: [{}]\n":                                              "owns must have one of scale, jsonPointers and jqPathExpressions",
		good + "owns: [{scale: true, unless: .a}]\n":                       "unless must have a because",
		good + "owns: [{jsonPointers: [a]}]\n":                             "must start with",
		good + "owns: [{jqPathExpressions: ['.a |']}]\n":                   "invalid JQ expression",
		good + "owns: [{scale: true, targets: '$nobody'}]\n":               "$nobody",
		good + "owns: [{scale: true, colour: red}]\n":                      "colour",
		"owner: A\nsource: b\nsince: v1\nsays: c\nowns: [{scale: true}]\n": "objects",
		good + "when: '.a ==='\nowns: [{scale: true}]\n":                   `unexpected token "="`,
		good + "owns: [{scale: true, unless: '.a (', because: b}]\n":       "(",
		"[": "yaml",
	} {
		entries, err := readCatalogue(fstest.MapFS{"catalogue/a.yaml": &fstest.MapFile{Data: []byte(text)}})
		if err == nil {
			err = entries[0].compiled()
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", text, err, want)
		}
	}
	if _, err := readCatalogue(fs.FS(fstest.MapFS{})); err != nil {
		t.Errorf("no files: %v", err)
	}
}

// TestPage holds the table of the documentation to the catalogue.
func TestPage(t *testing.T) {
	const head = "| owner | shown by | what it writes | as | since |\n| --- | --- | --- | --- | --- |\n"
	const path = "../../../docs/owners.md"
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, after, hasHead := strings.Cut(string(text), head)
	_, after, hasEnd := strings.Cut(after, "\n\n")
	if !hasHead || !hasEnd {
		t.Fatalf("%s must have a table with the head\n%s", path, head)
	}
	golden.ExpectFile(t, path, before+head+rows()+"\n"+after)
}

// rows are the lines of the table, sorted by the names of the owners in any case of letters.
func rows() string {
	entries := slices.Clone(Catalogue())
	slices.SortFunc(entries, func(a, b *CatalogueEntry) int {
		return strings.Compare(strings.ToLower(a.Owner), strings.ToLower(b.Owner))
	})
	var out strings.Builder
	for _, e := range entries {
		var kinds []string
		for _, o := range e.Objects {
			kinds = append(kinds, o.Kind)
		}
		what := e.Says
		if e.Note != "" {
			what += "; nothing of the package"
		}
		fmt.Fprintf(&out, "| [%s](%s) | %s | %s | %s | %s |\n",
			e.Owner, e.Source, strings.Join(kinds, ", "), what, strings.Join(e.Managers, ", "), e.Since)
	}
	return out.String()
}

func TestOfManager(t *testing.T) {
	for _, c := range []struct {
		manager string
		isScale bool
		want    string
	}{
		{"kube-controller-manager", true, "HorizontalPodAutoscaler"},
		{"kube-controller-manager", false, ""}, // several
		{"rollouts-controller", false, "Argo Rollouts"},
		{"kubectl-rollout", false, "kubectl rollout restart"},
		{"kubectl-patch", false, ""}, // anybody
		{"nobody", true, ""},
	} {
		got := ""
		if entry := OfManager(c.manager, c.isScale); entry != nil {
			got = entry.Owner
		}
		if got != c.want {
			t.Errorf("%s, scale %t: got %q, want %q", c.manager, c.isScale, got, c.want)
		}
	}
}
