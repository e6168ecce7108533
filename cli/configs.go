package cli

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/krm-fields/krm-fields/fn/applyoperations"
	"github.com/krm-fields/krm-fields/internal/author/explain"
	"github.com/krm-fields/krm-fields/internal/author/hostless"
	"github.com/krm-fields/krm-fields/internal/krm/manifests"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/krm/selector"
	"github.com/krm-fields/krm-fields/internal/words"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
)

// configAmong says that a functionConfig in the PATHs needs --config; nil if there is none.
func configAmong(paths []string) error {
	paths = slices.DeleteFunc(slices.Clone(paths), func(path string) bool { return path == manifests.Stdin })
	read, _ := manifests.ReadPackage(paths, nil, manifests.Options{SkipInvalid: true}) // a file with faults is not one
	return configIn(read.Files)
}

func configIn(files []*manifests.File) error {
	for _, file := range files {
		objects := manifests.Objects([]*manifests.File{file})
		config := slices.IndexFunc(objects, isFunctionConfig)
		switch {
		case config < 0:
		case len(objects) > 1:
			return fmt.Errorf("%s holds a functionConfig among %d objects; move %s into a file of its own and type --config FILE",
				file.Path, len(objects), report.RefOf(objects[config].Root()))
		default:
			return fmt.Errorf("%s is a functionConfig of kind %s; type --config %[1]s", file.Path, selector.Of(objects[0].Root()).Kind)
		}
	}
	return nil
}

func isFunctionConfig(o *object.Object) bool { return selector.Of(o.Root()).IsFunctionConfig() }

func readConfigs(paths []string, streams Streams) ([]hostless.ConfigStep, error) {
	var steps []hostless.ConfigStep
	for _, path := range paths {
		files, err := manifests.Read([]string{path}, streams.In)
		objects := manifests.Objects(files)
		if err != nil || len(objects) != 1 || !isFunctionConfig(objects[0]) {
			if text, _ := manifests.ReadText(path, streams.In); applyoperations.IsHook(text) { // a pipe has nothing more to read
				return nil, fmt.Errorf("%s has operations, not a functionConfig; type --operations %[1]s", path)
			}
		}
		if err != nil {
			return nil, err
		}
		if len(objects) != 1 {
			return nil, cmp.Or(configAmong([]string{path}), fmt.Errorf("%s must hold one functionConfig, found %d objects", path, len(objects)))
		}
		steps = append(steps, hostless.ConfigStep{FunctionConfig: objects[0].Root(), Path: nameOfFile(path), Source: objects[0]})
	}
	return steps, nil
}

// named returns the objects with the name of --object; all without one.
func named(text string, objects []*object.Object) (explain.Name, []*object.Object, error) {
	name, ok := explain.ParseName(text)
	if text == "" {
		return name, objects, nil
	}
	if !ok {
		return name, nil, fmt.Errorf("--object must be "+objectForms+", found %q", text)
	}
	var known []string
	var chosen []*object.Object
	near := ""
	for _, o := range objects {
		ref := report.RefOf(o.Root())
		if known = append(known, report.Ref{Kind: ref.Kind, Name: ref.Name}.Slashed()); name.Names(ref) {
			chosen = append(chosen, o)
		}
		if near == "" && ref.Name == text { // the name alone
			near = ref.Slashed()
		}
	}
	if chosen != nil {
		return name, chosen, nil
	}
	if near == "" {
		near, _ = words.Nearest(text, known)
	}
	hint := ""
	if near != "" {
		hint = fmt.Sprintf("; did you mean %s?", near)
	}
	return name, nil, fmt.Errorf("--object must name one of the %d objects, found %q%s", len(objects), text, hint)
}
