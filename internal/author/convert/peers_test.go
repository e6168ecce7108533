package convert

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	jsonpatch "github.com/evanphx/json-patch/v5"
	"github.com/itchyny/gojq"
	"k8s.io/apimachinery/pkg/labels"
	k8sjson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/client-go/util/jsonpath"
	"sigs.k8s.io/yaml"

	"github.com/krm-fields/krm-fields/internal/words"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// A peer does to an object what a program does that reads the rules of a document: it returns the
// object without what is ignored, as JSON. Each is written after the program's own code, with the
// libraries that it uses. An error is one of the program itself.
type peer func(rules any, object []byte) ([]byte, error)

var peers = map[string]peer{
	"argocd":             argoPeer,
	"argocd-annotations": argoAnnotationPeer,
	"ocm":                ocmPeer,
	"flux":               fluxPeer,
	"kapp":               kappPeer,
	"fleet":              fleetPeer,
	"sveltos":            sveltosPeer,
	"greenhouse":         greenhousePeer,
}

// decode decodes a part of a document into a struct.
func decode(from any, into any) {
	text, _ := json.Marshal(from)
	_ = json.Unmarshal(text, into)
}

func valueOf(root *tree.Node) any {
	text, err := tree.MarshalJSON(root)
	if err != nil {
		panic(err)
	}
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		panic(err)
	}
	return v
}

func at(v any, keys ...string) any {
	for _, key := range keys {
		m, _ := v.(map[string]any)
		v = m[key]
	}
	return v
}

// identityOf are the fields by which the programs choose objects.
type identityOf struct {
	APIVersion, Kind, Group, Version string
	Metadata                         struct {
		Name, Namespace     string
		Labels, Annotations map[string]string
	}
}

func identify(object []byte) identityOf {
	var o identityOf
	_ = json.Unmarshal(object, &o)
	o.Group, o.Version, _ = strings.Cut(o.APIVersion, "/")
	if o.Version == "" {
		o.Group, o.Version = "", o.Group
	}
	return o
}

func removeBy(object []byte, paths []string, allowMissing bool) ([]byte, error) {
	var operations []map[string]string
	for _, path := range paths {
		operations = append(operations, map[string]string{"op": "remove", "path": path})
	}
	text, err := json.Marshal(operations)
	if err != nil {
		return nil, err
	}
	patch, err := jsonpatch.DecodePatch(text)
	if err != nil {
		return nil, err
	}
	options := jsonpatch.NewApplyOptions()
	options.AllowMissingPathOnRemove = allowMissing
	return patch.ApplyWithOptions(object, options)
}

// argoEntry is ResourceIgnoreDifferences of argo-cd.
type argoEntry struct {
	Group, Kind, Name, Namespace    string
	JSONPointers, JQPathExpressions []string
}

// argoPeer is util/argo/normalizers/diff_normalizer.go of https://github.com/argoproj/argo-cd, with
// the settings of util/settings/settings.go. What is still a template is left out, as the
// Application that it makes is not known.
func argoPeer(document any, object []byte) ([]byte, error) {
	o := identify(object)
	for _, e := range peerEntries(document) {
		if isTemplate(e.Group + e.Kind + e.Name + e.Namespace) {
			continue
		}
		if !globFits(e.Group, o.Group) || !globFits(e.Kind, o.Kind) || e.Name != "" && e.Name != o.Metadata.Name ||
			e.Namespace != "" && e.Namespace != o.Metadata.Namespace {
			continue
		}
		for _, path := range e.JSONPointers {
			if removed, err := removeBy(object, []string{path}, false); err == nil && !isTemplate(path) {
				object = removed
			}
		}
		for _, text := range e.JQPathExpressions {
			if removed, err := deleteByJQ(text, object, json.Unmarshal); err == nil && !isTemplate(text) {
				object = removed
			}
		}
	}
	return object, nil
}

// deleteByJQ is what Argo CD and OCM do with a jq expression. They differ in what a whole number is
// in Go.
func deleteByJQ(text string, object []byte, unmarshal func([]byte, any) error) (out []byte, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	var data map[string]any
	if err := unmarshal(object, &data); err != nil {
		return nil, err
	}
	query, err := gojq.Parse("del(" + text + ")")
	if err != nil {
		return nil, err
	}
	code, err := gojq.Compile(query)
	if err != nil {
		return nil, err
	}
	first, ok := code.Run(data).Next()
	if !ok {
		return nil, errors.New("no data")
	}
	if err, isError := first.(error); isError {
		return nil, errors.New(err.Error())
	}
	return json.Marshal(first)
}

// peerEntries collects the entries of a document, and of the YAML in its texts.
func peerEntries(v any) []argoEntry {
	var entries []argoEntry
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			entries = append(entries, peerEntries(e)...)
		}
	case string:
		if root, err := tree.Parse([]byte(v)); err == nil && strings.Contains(v, "\n") && tree.IsMap(root) {
			return peerEntries(valueOf(root))
		}
	case map[string]any:
		entries = append(entries, argoSettingsEntries(v)...)
		for _, key := range slices.Sorted(maps.Keys(v)) {
			switch {
			case key == "ignoreDifferences":
				list, _ := v[key].([]any)
				for _, one := range list {
					var e argoEntry
					if decode(one, &e); e.Kind != "" {
						entries = append(entries, e)
					}
				}
			case key == "resourceIgnoreDifferences":
				entries = append(entries, argoOperatorEntries(v[key])...)
			case !strings.HasPrefix(key, "resource.customizations") && key != "ignoreApplicationDifferences" && key != "templatePatch":
				entries = append(entries, peerEntries(v[key])...)
			}
		}
	}
	return entries
}

func argoSettingsEntries(data map[string]any) []argoEntry {
	overrides := map[string]argoEntry{}
	set := func(key, text string) {
		root, err := tree.Parse([]byte(text))
		if err != nil || isTemplate(text) {
			return
		}
		var e argoEntry
		decode(valueOf(root), &e)
		e.Group, e.Kind, _ = strings.Cut(key, "/")
		if !strings.Contains(key, "/") {
			e.Group, e.Kind = "", key
		}
		overrides[key] = e
	}
	if text, _ := data["resource.customizations"].(string); text != "" {
		root, _ := tree.Parse([]byte(text))
		for key, value := range tree.Entries(root) {
			if text := tree.GetString(value, "ignoreDifferences"); text != "" {
				set(key, text)
			}
		}
	}
	for key, value := range data {
		text, _ := value.(string)
		if groupKind, ok := strings.CutPrefix(key, "resource.customizations.ignoreDifferences."); ok {
			key := strings.Replace(groupKind, "_", "/", 1)
			if groupKind == "all" {
				key = "*/*"
			}
			set(key, text)
		}
	}
	var entries []argoEntry
	for _, key := range slices.Sorted(maps.Keys(overrides)) {
		entries = append(entries, overrides[key])
	}
	return entries
}

func argoOperatorEntries(v any) []argoEntry {
	var entries []argoEntry
	if all := at(v, "all"); all != nil {
		e := argoEntry{}
		decode(all, &e)
		e.Group, e.Kind = "*", "*"
		entries = append(entries, e)
	}
	list, _ := at(v, "resourceIdentifiers").([]any)
	for _, one := range list {
		e := argoEntry{}
		decode(at(one, "customization"), &e)
		e.Group, _ = at(one, "group").(string)
		e.Kind, _ = at(one, "kind").(string)
		entries = append(entries, e)
	}
	return entries
}

// globFits matches as github.com/gobwas/glob without separators does.
func globFits(glob, text string) bool {
	var b strings.Builder
	depth := 0
	for _, c := range glob {
		switch {
		case c == '*':
			b.WriteString(".*")
		case c == '?':
			b.WriteString(".")
		case c == '{':
			b.WriteString("(?:")
			depth++
		case c == '}':
			b.WriteString(")")
			depth--
		case c == ',' && depth > 0:
			b.WriteString("|")
		default:
			b.WriteString(regexp.QuoteMeta(string(c)))
		}
	}
	matched, _ := regexp.MatchString("^(?:"+b.String()+")$", text)
	return matched
}

// argoAnnotationPeer is ExtractIgnoreDifferencesFromAnnotations of util/argo/diff/ignore.go of Argo
// CD 3.6.1: the rules are in the object itself.
func argoAnnotationPeer(_ any, object []byte) ([]byte, error) {
	o := identify(object)
	var parsed struct {
		JSONPointers []string `json:"jsonPointers"`
	}
	annotation := o.Metadata.Annotations["argocd.argoproj.io/ignore-differences"]
	if err := yaml.Unmarshal([]byte(annotation), &parsed); err != nil || len(parsed.JSONPointers) == 0 {
		return object, nil
	}
	var pointers []any
	for _, pointer := range parsed.JSONPointers {
		pointers = append(pointers, pointer)
	}
	entry := map[string]any{"group": o.Group, "kind": o.Kind, "name": o.Metadata.Name, "namespace": o.Metadata.Namespace, "jsonPointers": pointers}
	return argoPeer(map[string]any{"ignoreDifferences": []any{entry}}, object)
}

// ocmPeer is pkg/work/spoke/apply/server_side_apply.go of
// https://github.com/open-cluster-management-io/ocm, and FindManifestConfiguration of
// pkg/work/helper.
func ocmPeer(document any, object []byte) ([]byte, error) {
	spec := at(document, "spec")
	if template := at(spec, "manifestWorkTemplate"); template != nil {
		spec = template
	}
	var work struct {
		ManifestConfigs []struct {
			ResourceIdentifier struct{ Group, Resource, Namespace, Name string }
			UpdateStrategy     *struct {
				ServerSideApply struct {
					IgnoreFields []struct {
						Condition                                  string
						JSONPaths, JSONPointers, JQPathExpressions []string
					}
				}
			}
		}
	}
	decode(spec, &work)
	o := identify(object)
	for _, c := range work.ManifestConfigs {
		id := c.ResourceIdentifier
		if id.Group != o.Group || id.Resource != words.Plural(o.Kind) || c.UpdateStrategy == nil ||
			!starFits(id.Namespace, o.Metadata.Namespace) || !starFits(id.Name, o.Metadata.Name) {
			continue
		}
		var err error
		for _, field := range c.UpdateStrategy.ServerSideApply.IgnoreFields {
			if field.Condition == "OnSpokeChange" {
				continue
			}
			for _, path := range field.JSONPaths {
				object = removeAsAgent(object, path)
			}
			for _, pointer := range field.JSONPointers {
				removed, err := removeBy(object, []string{pointer}, false)
				switch {
				case errors.Is(err, jsonpatch.ErrMissing):
				case err != nil:
					return nil, err
				default:
					object = removed
				}
			}
			for _, text := range field.JQPathExpressions {
				if object, err = deleteByJQ(text, object, k8sjson.Unmarshal); err != nil {
					return nil, err
				}
			}
		}
		return object, nil
	}
	return object, nil
}

func starFits(glob, text string) bool {
	parts := strings.Split(glob, "*")
	for i, part := range parts {
		parts[i] = regexp.QuoteMeta(part)
	}
	matched, _ := regexp.MatchString("^"+strings.Join(parts, ".*")+"$", text)
	return matched
}

func removeAsAgent(object []byte, path string) []byte {
	var data map[string]any
	if err := k8sjson.Unmarshal(object, &data); err != nil {
		return object
	}
	last := path[strings.LastIndexByte(path, '.')+1:]
	finder := jsonpath.New("ignoreFields").AllowMissingKeys(true)
	_ = finder.Parse("{" + strings.TrimSuffix(path, "."+last) + "}")
	results, _ := finder.FindResults(data)
	for _, result := range results {
		for _, r := range result {
			if m, ok := r.Interface().(map[string]any); ok {
				delete(m, last)
			}
		}
	}
	text, _ := json.Marshal(data)
	return text
}

// pathsRule is a rule of Flux and of Sveltos.
type pathsRule struct {
	Paths  []string
	Target struct{ Group, Version, Kind, Name, Namespace, LabelSelector, AnnotationSelector string }
}

// fits is SelectorRegex of ssa/jsondiff/selector.go of https://github.com/fluxcd/pkg.
func (r pathsRule) fits(o identityOf) bool {
	for _, field := range [][2]string{
		{r.Target.Group, o.Group}, {r.Target.Version, o.Version}, {r.Target.Kind, o.Kind},
		{r.Target.Name, o.Metadata.Name}, {r.Target.Namespace, o.Metadata.Namespace},
	} {
		if matched, err := regexp.MatchString("^(?:"+field[0]+")$", field[1]); field[0] != "" && (!matched || err != nil) {
			return false
		}
	}
	for _, field := range []struct {
		text string
		set  map[string]string
	}{{r.Target.LabelSelector, o.Metadata.Labels}, {r.Target.AnnotationSelector, o.Metadata.Annotations}} {
		parsed, err := labels.Parse(field.text)
		if field.text != "" && (err != nil || !parsed.Matches(labels.Set(field.set))) {
			return false
		}
	}
	return true
}

// fluxPeer is removeIgnoredFields of ssa/manager_apply.go of https://github.com/fluxcd/pkg: one
// patch with all paths.
func fluxPeer(document any, object []byte) ([]byte, error) {
	var rules []pathsRule
	decode(at(document, "spec", "ignore"), &rules)
	if list := at(document, "spec", "driftDetection", "ignore"); list != nil {
		decode(list, &rules)
	}
	o := identify(object)
	var paths []string
	for _, r := range rules {
		if r.fits(o) {
			paths = append(paths, r.Paths...)
		}
	}
	if slices.Contains(paths, "") {
		return nil, errors.New("the object is left out as a whole")
	}
	if len(paths) == 0 {
		return object, nil
	}
	return removeBy(object, paths, true)
}

// greenhousePeer is internal/controller/plugin/plugin_controller_flux.go of
// https://github.com/cloudoperators/greenhouse: each entry becomes one of Flux.
func greenhousePeer(document any, object []byte) ([]byte, error) {
	list := at(document, "spec", "ignoreDifferences")
	if preset := at(document, "spec", "plugin", "ignoreDifferences"); preset != nil {
		list = preset
	}
	entries, _ := list.([]any)
	var rules []any
	for _, e := range entries {
		rules = append(rules, map[string]any{"paths": at(e, "paths"), "target": e})
	}
	return fluxPeer(map[string]any{"spec": map[string]any{"ignore": rules}}, object)
}

// sveltosPeer is TransformDriftExclusionsToPatches of lib/deployer and lib/patcher of
// https://github.com/projectsveltos/libsveltos: a path that is not there is passed over.
func sveltosPeer(document any, object []byte) ([]byte, error) {
	var rules []pathsRule
	decode(at(document, "spec", "driftExclusions"), &rules)
	o := identify(object)
	for _, r := range rules {
		if !r.fits(o) {
			continue
		}
		for _, path := range r.Paths {
			if removed, err := removeBy(object, []string{path}, true); err == nil && path != "" {
				object = removed
			}
		}
	}
	return object, nil
}

// fleetPeer is internal/cmd/agent/deployer/desiredset/diff.go of https://github.com/rancher/fleet:
// jsonPointers as in Argo CD, and operations on the one object, none of which counts where one
// fails.
func fleetPeer(document any, object []byte) ([]byte, error) {
	options := document
	if spec := at(document, "spec"); spec != nil {
		options = spec
	}
	lists := []any{at(options, "diff", "comparePatches")}
	for _, key := range []string{"targetCustomizations", "targets"} {
		targets, _ := at(options, key).([]any)
		for _, target := range targets {
			lists = append(lists, at(target, "diff", "comparePatches"))
		}
	}
	o := identify(object)
	for _, list := range lists {
		entries, _ := list.([]any)
		for _, entry := range entries {
			var p struct {
				APIVersion, Kind, Name, Namespace string
				JSONPointers                      []string
				Operations                        []struct{ Op, Path string }
			}
			decode(entry, &p)
			group, version, hasGroup := strings.Cut(p.APIVersion, "/")
			if !hasGroup {
				group, version = "", group
			}
			if globFits(group, o.Group) && globFits(p.Kind, o.Kind) && (p.Name == "" || p.Name == o.Metadata.Name) &&
				(p.Namespace == "" || p.Namespace == o.Metadata.Namespace) {
				for _, path := range p.JSONPointers {
					if removed, err := removeBy(object, []string{path}, false); err == nil {
						object = removed
					}
				}
			}
			if group != o.Group || version != o.Version || p.Kind != o.Kind || p.Name != o.Metadata.Name || p.Namespace != o.Metadata.Namespace {
				continue
			}
			patched := object
			for _, operation := range p.Operations {
				if operation.Op == "ignore" || patched == nil {
					continue
				}
				removed, err := removeBy(patched, []string{operation.Path}, false)
				if patched = removed; err != nil {
					patched = nil
				}
			}
			if patched != nil {
				object = patched
			}
		}
	}
	return object, nil
}

// kappPeer is FieldCopyMod of pkg/kapp/resources/mod_field_copy.go of
// https://github.com/carvel-dev/kapp, with an object on the cluster that has what the package has:
// what would be copied from there is removed.
func kappPeer(document any, object []byte) ([]byte, error) {
	if text, _ := at(document, "data", "config.yml").(string); text != "" {
		root, err := tree.Parse([]byte(text))
		if err != nil {
			return nil, err
		}
		document = valueOf(root)
	}
	var config struct {
		RebaseRules []struct {
			Path             []any
			Paths            [][]any
			Type             string
			Sources          []string
			ResourceMatchers []map[string]any
			YTT              any
		}
	}
	decode(document, &config)
	var data, original any
	if err := errors.Join(json.Unmarshal(object, &data), json.Unmarshal(object, &original)); err != nil {
		return nil, err
	}
	for _, rule := range config.RebaseRules {
		fits := slices.ContainsFunc(rule.ResourceMatchers, func(m map[string]any) bool { return kappFits(m, object) })
		if !fits || rule.YTT != nil || rule.Type == "copy" && len(rule.Sources) == 0 {
			continue
		}
		for _, path := range append(rule.Paths, rule.Path) {
			if rule.Type == "copy" && rule.Sources[0] == "new" {
				kappPutBack(data, original, path)
				continue
			}
			if err := kappRemove(data, path); err != nil {
				return nil, err
			}
		}
	}
	return json.Marshal(data)
}

// kappPutBack copies what is at a path of names.
func kappPutBack(into, from any, path []any) {
	own, _ := into.(map[string]any)
	source, _ := from.(map[string]any)
	if len(path) == 0 || own == nil {
		return
	}
	name, _ := path[0].(string)
	if value, ok := source[name]; ok && len(path) == 1 {
		own[name] = value
	} else if ok {
		kappPutBack(own[name], value, path[1:])
	}
}

func kappFits(matcher map[string]any, object []byte) bool {
	o := identify(object)
	for kind, v := range matcher {
		text := func(key string) string { s, _ := at(v, key).(string); return s }
		list := func(key string) []map[string]any {
			var all []map[string]any
			decode(at(v, key), &all)
			return all
		}
		one := func(m map[string]any) bool { return kappFits(m, object) }
		switch kind {
		case "allMatcher":
			return true
		case "apiVersionKindMatcher":
			return text("apiVersion") == o.APIVersion && text("kind") == o.Kind
		case "apiGroupKindMatcher":
			return text("apiGroup") == o.Group && text("kind") == o.Kind
		case "kindNamespaceNameMatcher":
			return text("kind") == o.Kind && text("namespace") == o.Metadata.Namespace && text("name") == o.Metadata.Name
		case "hasNamespaceMatcher":
			var names []string
			decode(at(v, "names"), &names)
			return o.Metadata.Namespace != "" && (len(names) == 0 || slices.Contains(names, o.Metadata.Namespace))
		case "anyMatcher":
			return slices.ContainsFunc(list("matchers"), one)
		case "andMatcher":
			return !slices.ContainsFunc(list("matchers"), func(m map[string]any) bool { return !one(m) })
		case "notMatcher":
			var inner map[string]any
			decode(at(v, "matcher"), &inner)
			return !one(inner)
		}
	}
	return false
}

func kappRemove(v any, path []any) error {
	if len(path) == 0 {
		return nil
	}
	part, _ := path[0].(map[string]any)
	_, isMap := v.(map[string]any)
	list, isList := v.([]any)
	switch {
	case part == nil:
		if !isMap {
			return fmt.Errorf("unexpected %T", v)
		}
		return kappRemoveKey(v.(map[string]any), path[0].(string), path[1:])
	case part["regex"] != nil:
		if !isMap {
			return fmt.Errorf("unexpected %T", v)
		}
		for _, key := range slices.Collect(maps.Keys(v.(map[string]any))) {
			if regexp.MustCompile(part["regex"].(string)).MatchString(key) {
				if err := kappRemoveKey(v.(map[string]any), key, path[1:]); err != nil {
					return err
				}
			}
		}
		return nil
	case !isList:
		return fmt.Errorf("unexpected %T", v)
	case part["index"] != nil:
		if i := int(part["index"].(float64)); i < len(list) {
			return kappRemove(list[i], path[1:])
		}
		return nil
	}
	for _, e := range list {
		if err := kappRemove(e, path[1:]); err != nil {
			return err
		}
	}
	return nil
}

func kappRemoveKey(m map[string]any, key string, rest []any) error {
	if len(rest) == 0 {
		delete(m, key)
		return nil
	}
	value, found := m[key]
	if !found || value == nil {
		return nil
	}
	return kappRemove(value, rest)
}
