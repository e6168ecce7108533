package engine

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/words"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// exportRequest asks for a functionConfig as a host takes it.
type exportRequest struct {
	Config string `json:"config"`
	// As is file, kpt or kustomize.
	As string `json:"as"`
}

// exportAnswer is a text to copy.
type exportAnswer struct {
	// Name is that of the file that the text is for, and Command runs it; both are "" where the
	// text is a command.
	Name    string `json:"name"`
	Text    string `json:"text"`
	Command string `json:"command"`
}

// exports are the forms of export.
var exports = map[string]func(config *object.Object, text string) (exportAnswer, error){
	"file":      asFile,
	"kpt":       asKpt,
	"kustomize": asKustomize,
}

func export(q exportRequest) (exportAnswer, error) {
	as, known := exports[q.As]
	if !known {
		names := []string{"file", "kpt", "kustomize"}
		return exportAnswer{}, fmt.Errorf("as must be %s, found %q%s", words.List(names), q.As, words.DidYouMean(q.As, names))
	}
	t, fault := read(inConfig, q.Config)
	if fault != nil {
		return exportAnswer{}, fmt.Errorf("line %d: %s", fault.Line, fault.Message)
	}
	if len(t.objects) != 1 {
		return exportAnswer{}, errors.New(oneConfig(len(t.objects)))
	}
	return as(t.copies()[0], q.Config)
}

func asFile(config *object.Object, text string) (exportAnswer, error) {
	name := fileName(config)
	return exportAnswer{Name: name, Text: text, Command: "krm-fields run --config " + name + " --diff ."}, nil
}

// fileName is the name of a file for a functionConfig, by its kind: ignore-fields.yaml.
func fileName(config *object.Object) string {
	kind := tree.GetString(config.Root(), "kind")
	var name strings.Builder
	for i, r := range kind {
		if unicode.IsUpper(r) && i > 0 {
			name.WriteByte('-')
		}
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			name.WriteRune(r)
		}
	}
	return strings.ToLower(name.String()) + ".yaml"
}

const image = "ghcr.io/krm-fields/krm-fields:v0.1.0"

// asKpt is a command that writes the file and runs it.
func asKpt(config *object.Object, text string) (exportAnswer, error) {
	end := "EOF"
	for slices.Contains(strings.Split(text, "\n"), end) {
		end += "_"
	}
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	name := fileName(config)
	command := fmt.Sprintf("cat >%s <<'%s'\n%s%s\nkpt fn eval . --image %s --fn-config %s -o unwrap\n", name, end, text, end, image, name)
	return exportAnswer{Text: command}, nil
}

// annotations are those that a transformer needs. Those that are there stay.
var annotations = []struct{ key, value string }{
	{"config.kubernetes.io/local-config", "true"}, // keeps the file off the cluster
	{"config.kubernetes.io/function", "exec:\n  path: krm-fields\n"},
}

const kustomizeBuild = "kustomize build --enable-alpha-plugins --enable-exec ."

// asKustomize is the file with what tells kustomize how to run it.
func asKustomize(config *object.Object, _ string) (exportAnswer, error) {
	at := location.Location{location.Key("metadata"), location.Key("annotations")}
	var err error
	flushed := config.Use(func() {
		for i := range at {
			if err == nil && tree.Type(location.At(config.Root(), at[:i+1])) != tree.Map {
				err = config.Set(at[:i+1], &tree.Node{Kind: tree.MappingNode, Tag: tree.MapTag})
			}
		}
		for _, a := range annotations {
			if l := at.With(location.Key(a.key)); err == nil && location.At(config.Root(), l) == nil {
				value := tree.NewString(a.value)
				if strings.Contains(a.value, "\n") {
					value.Style = tree.LiteralStyle
				}
				err = config.Set(l, value)
			}
		}
	})
	if err != nil || flushed != nil {
		return exportAnswer{}, fmt.Errorf("the annotations can't be added: %w", cmp.Or(err, flushed))
	}
	text, err := textOf([]*object.Object{config})
	if err != nil {
		return exportAnswer{}, err
	}
	name := fileName(config)
	head := fmt.Sprintf("# A transformer: kustomization.yaml has it as\n#   transformers:\n#   - %s\n"+
		"# %s\n", name, kustomizeBuild)
	return exportAnswer{Name: name, Text: head + text, Command: kustomizeBuild}, nil
}
