// Package owners finds the fields of objects that other actors write, from the objects of a list: a
// HorizontalPodAutoscaler names the workload whose replicas it sets. The catalogue of owners is
// data, one file each; the code is independent of them.
package owners

import (
	"embed"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"github.com/krm-fields/krm-fields/internal/expr"
	"github.com/krm-fields/krm-fields/internal/expr/jq"
	"github.com/krm-fields/krm-fields/internal/expr/jqpath"
	"github.com/krm-fields/krm-fields/internal/expr/jsonpointer"
	"github.com/krm-fields/krm-fields/internal/krm/config"
	"github.com/krm-fields/krm-fields/internal/krm/selector"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

//go:embed catalogue/*.yaml
var files embed.FS

// CatalogueEntry is an owner of the catalogue, or several with the same fields.
type CatalogueEntry struct {
	Owner    string               `json:"owner" required:"true" doc:"How pages name the owner."`
	Source   string               `json:"source" required:"true" doc:"The page where its project documents what it writes."`
	Since    string               `json:"since" required:"true" doc:"The version of its project from which on it is so."`
	Says     string               `json:"says" required:"true" doc:"What that page says, in a sentence."`
	Objects  []selector.GroupKind `json:"objects" required:"true" doc:"Kinds of objects that show the owner."`
	Mentions []string             `json:"mentions" doc:"Texts; each object that shows the owner contains one of them, besides its kind."`
	Managers []string             `json:"managers" doc:"The field managers under which it writes."`
	When     string               `json:"when" doc:"A jq condition that holds for the objects that show the owner; all of them by default."`
	Owns     []Owned              `json:"owns" doc:"What it owns."`
	Note     string               `json:"note" doc:"Why it owns nothing that an object of a package has."`

	compiled func() error
	when     *jq.Program
}

// Owned are fields of one object. In its expressions, $owner is the object that shows the owner,
// $ref what names the object that has the fields, and $value what is in the field.
type Owned struct {
	Targets    string   `json:"targets" doc:"A jq filter that yields for the owner's object references with apiVersion or group, kind, name (or labelSelector) and, where it is not the owner's, namespace, or isClusterScoped. Without it, the fields are the object's own."`
	IsOptional bool     `json:"isOptional" doc:"Whether it is usual that a target is not in the list."`
	Scale      bool     `json:"scale" doc:"The field that the target's scale subresource writes."`
	Pointers   []string `json:"jsonPointers" doc:"JSON Pointers, with * for every element of a list."`
	Paths      []string `json:"jqPathExpressions" doc:"jq path expressions."`
	Unless     string   `json:"unless" doc:"A jq condition under which the owner leaves the field alone."`
	Because    string   `json:"because" doc:"What the condition of unless means, to go on from the name of the field."`

	targets, unless *jq.Program
	pointers, paths []expr.Expression
}

// Catalogue returns the entries by their names.
var Catalogue = sync.OnceValue(func() []*CatalogueEntry {
	entries, err := readCatalogue(files)
	if err != nil {
		panic(err) // the files are part of the program, and a test reads them
	}
	return entries
})

// byKind has the entries that objects of a kind may show, of any group.
var byKind = sync.OnceValue(func() map[string][]*CatalogueEntry {
	kinds := map[string][]*CatalogueEntry{}
	for _, entry := range Catalogue() {
		for _, o := range entry.Objects {
			if !slices.Contains(kinds[o.Kind], entry) {
				kinds[o.Kind] = append(kinds[o.Kind], entry)
			}
		}
	}
	return kinds
})

// OfManager returns the only owner that writes a field under the name of a manager, or nil. Some
// write only through the scale subresource, and are meant before others if the field is written so.
func OfManager(manager string, isScale bool) *CatalogueEntry {
	var found [2][]*CatalogueEntry
	for _, entry := range Catalogue() {
		onlyScales := len(entry.Owns) > 0 && !slices.ContainsFunc(entry.Owns, func(o Owned) bool { return !o.Scale })
		switch {
		case !slices.Contains(entry.Managers, manager) || onlyScales && !isScale:
		case onlyScales:
			found[0] = append(found[0], entry)
		default:
			found[1] = append(found[1], entry)
		}
	}
	for _, entries := range found {
		if len(entries) > 0 {
			return only(entries)
		}
	}
	return nil
}

// SourceOf returns the page about the only owner that writes under the name of a manager, "" where
// there is none.
func SourceOf(manager string, isScale bool) string {
	if entry := OfManager(manager, isScale); entry != nil {
		return entry.Source
	}
	return ""
}

// only returns the entry of a list of one, or nil.
func only(entries []*CatalogueEntry) *CatalogueEntry {
	if len(entries) != 1 {
		return nil
	}
	return entries[0]
}

// CatalogueError is a file of the catalogue that can't be used.
type CatalogueError struct {
	File   string
	Reason string
}

func (e *CatalogueError) Error() string { return e.File + ": " + e.Reason }

func readCatalogue(files fs.FS) ([]*CatalogueEntry, error) {
	names, _ := fs.Glob(files, "catalogue/*.yaml") // the pattern is right
	var entries []*CatalogueEntry
	var decoder config.Decoder
	for _, name := range names {
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, err
		}
		entry, err := parseEntry(text, &decoder)
		if err != nil {
			return nil, &CatalogueError{File: name, Reason: err.Error()}
		}
		entries = append(entries, entry)
	}
	slices.SortStableFunc(entries, func(a, b *CatalogueEntry) int { return strings.Compare(a.Owner, b.Owner) })
	return entries, nil
}

// parseEntry parses an entry. Its expressions are compiled when they are needed.
func parseEntry(text []byte, decoder *config.Decoder) (*CatalogueEntry, error) {
	root, err := tree.Parse(text)
	if err != nil {
		return nil, err
	}
	entry := &CatalogueEntry{}
	if faults := decoder.Decode(root, "", entry); len(faults) > 0 {
		return nil, fmt.Errorf("%s: %s", faults[0].Path, faults[0].Message)
	}
	if (len(entry.Owns) == 0) == (entry.Note == "") {
		return nil, fmt.Errorf("must have either owns or note")
	}
	entry.compiled = sync.OnceValue(entry.compile) // most of the owners are in no package
	return entry, nil
}

// The variables that expressions see.
const (
	asFilter    = ". as $owner | "
	asPath      = ".owner as $owner | .ref as $ref | .object | "
	asCondition = ".owner as $owner | .ref as $ref | .value as $value | .object | "
)

func (e *CatalogueEntry) compile() (err error) {
	if e.when, err = compileFilter("", e.When); err != nil {
		return err
	}
	for i := range e.Owns {
		if err := e.Owns[i].compile(); err != nil {
			return err
		}
	}
	return nil
}

func (o *Owned) compile() (err error) {
	if !o.Scale && len(o.Pointers)+len(o.Paths) == 0 {
		return fmt.Errorf("owns must have one of scale, jsonPointers and jqPathExpressions")
	}
	if (o.Unless == "") != (o.Because == "") {
		return fmt.Errorf("unless must have a because")
	}
	if o.targets, err = compileFilter(asFilter, o.Targets); err != nil {
		return err
	}
	if o.unless, err = compileFilter(asCondition, o.Unless); err != nil {
		return err
	}
	for _, text := range o.Pointers {
		pointer, err := jsonpointer.Parse(text)
		if err != nil {
			return err
		}
		o.pointers = append(o.pointers, pointer)
	}
	for _, text := range o.Paths {
		path, err := jqpath.Parse(asPath+"("+text+")", jq.Limits{})
		if err != nil {
			return err
		}
		o.paths = append(o.paths, path)
	}
	return nil
}

// compileFilter compiles a filter; nil for an empty one.
func compileFilter(variables, text string) (*jq.Program, error) {
	if text == "" {
		return nil, nil
	}
	return jq.Compile(variables+"("+text+")", jq.Limits{})
}
