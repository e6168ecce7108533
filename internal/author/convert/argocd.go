package convert

import (
	"slices"
	"strings"

	"github.com/krm-fields/krm-fields/internal/expr/jq"
	"github.com/krm-fields/krm-fields/internal/expr/jqpath"
	"github.com/krm-fields/krm-fields/internal/expr/jsonpointer"
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/krm/config"
	"github.com/krm-fields/krm-fields/internal/krm/selector"
	"github.com/krm-fields/krm-fields/internal/lists"
	"github.com/krm-fields/krm-fields/internal/rules"
	"github.com/krm-fields/krm-fields/internal/ssa/schema"
	"github.com/krm-fields/krm-fields/internal/words"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// fromArgoCD reads what Argo CD v3 reads (pkg/apis/application/v1alpha1/types.go and
// util/settings/settings.go), and the same lists in the values of charts that make it.
var fromArgoCD = Source{
	Name:  "argocd",
	Title: argoCD,
	Holds: "an Application, an ApplicationSet, an ArgoCD, the ConfigMap argocd-cm, or ignoreDifferences in a map or as a list alone",
	read:  readArgoCD,
}

const (
	argoCD    = "Argo CD"
	argoGroup = "argoproj.io"
)

// argoOverride are the fields that say what is ignored (OverrideIgnoreDiff).
type argoOverride struct {
	JSONPointers          []string `json:"jsonPointers"`
	JQPathExpressions     []string `json:"jqPathExpressions"`
	ManagedFieldsManagers []string `json:"managedFieldsManagers"`
}

// argoDifference is one entry of a list ignoreDifferences (ResourceIgnoreDifferences). Group and
// kind are globs; name and namespace must be equal, where they are given.
type argoDifference struct {
	Group     string `json:"group"`
	Kind      string `json:"kind" required:"true"`
	Name      string `json:"name"`
	Namespace string `json:"namespace"`
	argoOverride
}

func readArgoCD(root *tree.Node) []*source {
	if isBareList(root) {
		s := &source{}
		s.readArgoDifferences(root, "", true)
		return []*source{s}
	}
	o := selector.Of(root)
	w := argoWalk{seen: map[*tree.Node]bool{}, byKey: o.Kind == ""}
	if o.Group == argoGroup && slices.Contains([]string{"Application", "ApplicationSet", "ArgoCD"}, o.Kind) {
		w.objects(root, o)
	} else {
		if o.Kind == "ConfigMap" && o.APIVersion == "v1" && o.Name == argoSettings {
			w.sources = append(w.sources, &source{name: o.Name})
		}
		w.visit(root, "", o.Name)
	}
	return w.sources
}

// isBareList tells whether a document is the list under ignoreDifferences alone.
func isBareList(root *tree.Node) bool {
	entries := tree.Elements(root)
	return len(entries) > 0 && !slices.ContainsFunc(entries, func(n *tree.Node) bool {
		isThere := func(field string) bool { return tree.Lookup(n, field) != nil }
		names := []string{"jsonPointers", "jqPathExpressions", "managedFieldsManagers"}
		return !isThere("kind") || isThere("apiVersion") || !slices.ContainsFunc(names, isThere)
	})
}

// argoWalk finds what Argo CD ignores in a document.
type argoWalk struct {
	sources []*source
	// seen are the maps that were visited, as an alias may lead to one again.
	seen map[*tree.Node]bool
	// byKey names the places by their keys, as no object names them.
	byKey bool
}

// objects reads the objects that are made for Argo CD. There is a source for each, though it has no
// rules.
func (w *argoWalk) objects(root *tree.Node, o *selector.Candidate) {
	first := newSource(root)
	w.sources = append(w.sources, first)
	switch o.Kind {
	case "Application":
		w.application(first, tree.Get(root, "spec"), "spec", o.Name)
	case "ApplicationSet":
		w.application(first, tree.Get(root, "spec", "template", "spec"), "spec.template.spec", o.Name)
		first.noteApplicationSet(tree.Get(root, "spec"), "spec")
		w.visit(tree.Get(root, "spec", "generators"), "spec.generators", o.Name)
	case "ArgoCD":
		first.readArgoOperator(tree.Get(root, "spec", "resourceIgnoreDifferences"), "spec.resourceIgnoreDifferences")
		first.readArgoCustomizations(tree.GetString(root, "spec", "resourceCustomizations"), "spec.resourceCustomizations", nil)
		w.settings(first, tree.Get(root, "spec", "extraConfig"), "spec.extraConfig")
	}
}

func (w *argoWalk) application(s *source, spec *tree.Node, path, name string) {
	s.readArgoDifferences(tree.Lookup(spec, "ignoreDifferences"), path+".ignoreDifferences", true)
	isRespected := slices.Contains(oneOrMore(tree.Get(spec, "syncPolicy", "syncOptions")), "RespectIgnoreDifferences=true")
	if len(s.rules) > 0 && !isRespected {
		s.remark(path+".syncPolicy.syncOptions", "without RespectIgnoreDifferences=true, a sync of Argo CD still applies these fields")
	}
	w.children(spec, path, name)
}

// noteApplicationSet names what is left out of the spec of an ApplicationSet, also of one that a
// chart makes of its values.
func (s *source) noteApplicationSet(spec *tree.Node, path string) {
	if tree.IsList(tree.Lookup(spec, "ignoreApplicationDifferences")) {
		s.lose(config.Child(path, "ignoreApplicationDifferences"), "left out: it is about the generated Applications, which are in no package")
	}
	if strings.Contains(tree.GetString(spec, "templatePatch"), "ignoreDifferences") {
		s.lose(config.Child(path, "templatePatch"), "left out: it is a template, whose result is unknown, and names ignoreDifferences")
	}
}

// visit finds the maps that say what is ignored, at any depth. The name is that of the place.
func (w *argoWalk) visit(n *tree.Node, path, name string) {
	n = tree.Deref(n)
	switch {
	case n == nil || w.seen[n]:
	case strings.HasPrefix(tree.GetString(n, "apiVersion"), greenhouseGroup+"/"): // whose ignoreDifferences are for Flux
	case tree.IsList(n):
		w.seen[n] = true
		for i, e := range tree.Elements(n) {
			w.visit(e, config.Element(path, i), name)
		}
	case tree.IsMap(n):
		w.seen[n] = true
		w.place(n, path, name)
		w.children(n, path, name)
	case tree.Type(n) == tree.String:
		if text := n.Text(); strings.Contains(text, "ignoreDifferences") && strings.Contains(text, "\n") {
			if inner, err := tree.Parse([]byte(text)); err == nil { // YAML in a text
				w.visit(inner, path, name)
			}
		}
	}
}

func (w *argoWalk) children(n *tree.Node, path, name string) {
	for key, value := range tree.Entries(n) {
		below := name
		switch {
		case key == "ignoreDifferences" || strings.HasPrefix(key, argoCustomizations):
			continue
		case w.byKey && tree.IsMap(value) && !slices.Contains(commonKeys, key):
			below = key
		}
		w.visit(value, config.Child(path, key), below)
	}
}

// commonKeys say nothing about what a map is for.
var commonKeys = []string{"spec", "template", "metadata", "values", "data", "cm", "configs", "config", "server", "argocd", "sync", "syncPolicy"}

// place reads the rules of one map, which is a source of its own: the rules of one application are
// for its objects only.
func (w *argoWalk) place(n *tree.Node, path, name string) {
	isName := func(text string) bool { return text != "" && !isTemplate(text) }
	if own, ok := lists.Find([]string{tree.GetString(n, "metadata", "name"), tree.GetString(n, "name")}, isName); ok {
		name = own
	}
	if differences := tree.Lookup(n, "ignoreDifferences"); holdsDifferences(differences) {
		s := &source{name: name}
		s.readArgoDifferences(differences, config.Child(path, "ignoreDifferences"), false)
		w.sources = append(w.sources, s)
	}
	set := &source{name: name}
	if set.noteApplicationSet(n, path); len(set.notes) > 0 {
		w.sources = append(w.sources, set)
	}
	if hasSettings(n) {
		s := &source{name: name}
		if len(w.sources) == 1 && w.sources[0].name == argoSettings && len(w.sources[0].rules) == 0 {
			s = w.sources[0] // that of argocd-cm itself
		} else {
			w.sources = append(w.sources, s)
		}
		w.settings(s, n, path)
	}
}

// holdsDifferences tells whether a value is what Argo CD has under ignoreDifferences, and no schema
// and no customization as text.
func holdsDifferences(n *tree.Node) bool {
	isEntry := func(n *tree.Node) bool {
		return tree.Lookup(n, "kind") != nil || tree.Lookup(n, "group") != nil || isTemplate(tree.GetString(n))
	}
	return tree.IsList(n) && slices.ContainsFunc(tree.Elements(n), isEntry) || isTemplate(tree.GetString(n))
}

// readArgoDifferences reads a list of entries. Where Argo CD's own schema checks the list, what it
// refuses is a fault; elsewhere it is left out.
func (s *source) readArgoDifferences(list *tree.Node, path string, isChecked bool) {
	if isTemplate(tree.GetString(list)) {
		s.lose(path, "left out: it is a template, whose result is unknown")
		return
	}
	if list != nil && !tree.IsList(list) && tree.Type(list) != tree.Null {
		s.fault(path, "must be a list, found %s", config.Found(list))
		return
	}
	for i, n := range tree.Elements(list) {
		s.readArgoDifference(n, config.Element(path, i), isChecked)
	}
}

func (s *source) readArgoDifference(n *tree.Node, path string, isChecked bool) {
	r := newRule(path)
	if isTemplate(tree.GetString(n)) {
		s.rules = append(s.rules, r)
		r.leaveOut(path, "it is a template, whose result is unknown")
		return
	}
	n = r.withoutTemplates(n)
	var entry argoDifference
	faults := config.Decode(n, path, &entry)
	if isChecked && len(faults) > 0 {
		s.faults = append(s.faults, faults...)
		return
	}
	for _, fault := range faults {
		r.leaveOut(fault.Path, "%s", fault.Message)
	}
	if entry.Kind == "" {
		s.rules = append(s.rules, r)
		return
	}
	s.readArgoOverride(r, entry.argoOverride)
	for _, field := range []struct{ name, text string }{{"name", entry.Name}, {"namespace", entry.Namespace}} {
		switch {
		case isTemplate(field.text):
			r.drop(r.path, "%s is a template, whose result is unknown", config.Quote(field.text))
		case isGlob(field.text):
			r.drop(r.path+"."+field.name, "Argo CD compares a %s literally, so %s matches no object; in krm-fields * would match any characters",
				field.name, config.Quote(field.text))
		}
	}
	// Group left out is the core group, as in Argo CD.
	r.argoGroupKind(entry.Group, entry.Kind, words.Given(entry.Name), words.Given(entry.Namespace))
	s.rules = append(s.rules, r.oneByOne()...)
}

// withoutTemplates returns a map without the members that are a template where a list must be.
func (r *rule) withoutTemplates(n *tree.Node) *tree.Node {
	if !tree.IsMap(n) {
		return n
	}
	cleaned := tree.NewMap()
	for key, value := range tree.Entries(n) {
		if strings.HasSuffix(key, "s") && isTemplate(tree.GetString(value)) {
			r.leaveOut(r.path+"."+key, "it is a template, whose result is unknown")
			continue
		}
		cleaned.Content = append(cleaned.Content, tree.NewString(key), value)
	}
	return cleaned
}

// argoGroupKind gives the rule the selectors for two globs, a name and a namespace.
func (r *rule) argoGroupKind(group, kind string, name, namespace *string) {
	var globs [2][]*string
	for i, field := range []struct{ name, text string }{{"group", group}, {"kind", kind}} {
		switch {
		case isTemplate(field.text):
			r.drop(r.path, "%s is a template, whose result is unknown", config.Quote(field.text))
			return
		case strings.Contains(field.text, "/"):
			r.drop(r.path, "Argo CD has no %s with a slash, so %s matches no object", field.name, config.Quote(field.text))
			return
		}
		texts, err := fromArgoGlob(field.text)
		if err != nil {
			r.drop(r.path, "%s %s: %s", field.name, config.Quote(field.text), err)
			return
		}
		globs[i] = texts
	}
	if group == "core" {
		r.remark(r.path, `no object has the group "core"; the group of Services and ConfigMaps is ""`)
	}
	r.selectors = product([5][]*string{globs[0], {nil}, globs[1], {name}, {namespace}})
}

// readArgoOverride reads what an entry ignores.
func (s *source) readArgoOverride(r *rule, override argoOverride) {
	r.managers = override.ManagedFieldsManagers
	r.leaveOutGlobsOfManagers("Argo CD compares a manager literally, so %s matches none; in krm-fields * would match any characters")
	r.addPaths(argoCD, "jsonPointers", override.JSONPointers)
	for i, text := range override.JQPathExpressions {
		s.addArgoJQ(r, config.Element(r.path+".jqPathExpressions", i), text)
	}
}

// leaveOutGlobsOfManagers leaves out the managers that are not one name, as Argo CD compares names.
func (r *rule) leaveOutGlobsOfManagers(why string) {
	var names []string
	for i, name := range r.managers {
		path := config.Element(r.path+".managedFieldsManagers", i)
		switch {
		case isTemplate(name):
			r.leaveOut(path, "%s is a template, whose result is unknown", config.Quote(name))
		case isGlob(name):
			r.leaveOut(path, why, config.Quote(name))
		default:
			names = append(names, name)
		}
	}
	r.managers = names
}

// addArgoJQ adds an expression that Argo CD writes into del(…). Where that fails on an object, Argo
// CD goes on without it.
func (s *source) addArgoJQ(r *rule, path, text string) {
	_, err := jqpath.Dialect.Parse(text, jq.Limits{})
	switch {
	case isTemplate(text):
		r.leaveOut(path, "%s is a template, whose result is unknown", config.Quote(text))
		return
	case err != nil && jq.Compiles("del("+text+")"):
		r.leaveOut(path, "%s", err)
		return
	case err != nil:
		s.fault(path, "%s", err)
		return
	case !jq.Compiles("del(" + text + ")"):
		r.leaveOut(path, "Argo CD can't compile it inside del(…)")
		return
	case jq.IsProjection(text):
		instead := ""
		if strings.Contains(text, "fromjson") {
			instead = "; a rule with `within` reaches into a document in a string"
		}
		r.leaveOut(path, "%s computes a value and is not a path expression, so Argo CD removes nothing%s", config.Quote(text), instead)
		return
	}
	isNumber := func(segment string) bool { return segment == "-" || location.IsDigits(segment) || isOddNumber(segment) }
	if _, pointer, err := jqpath.Translate(text); err == nil && !slices.ContainsFunc(strings.Split(pointer, "/"), isNumber) {
		if r.add(expression{dialect: jsonpointer.Dialect.Name, text: pointer, path: path}) {
			r.remark(path, "was %s", text)
		}
		return
	}
	if r.leavesOutIdentity(expression{dialect: jqpath.Dialect.Name, text: text, path: path}) {
		return
	}
	total, _ := jq.WithoutErrors(text)
	if total.Text != text {
		r.remark(path, "was %s; Argo CD skips an expression that fails", text)
	}
	if total.MayFindMore {
		r.change(path, "if the expression fails on an element, Argo CD removes nothing from the object, but this removes what it finds in the other elements; "+
			"for the same behaviour write %s", total.Exact)
	}
	r.expressions = append(r.expressions, expression{dialect: jqpath.Dialect.Name, text: total.Text, path: path, exact: total.Exact})
}

// toArgoCD writes the part of an Application that says what is ignored: an entry of
// ignoreDifferences for each selector of a rule.
var toArgoCD = Form{Name: "argocd", Title: fromArgoCD.Title, Writes: "an Application", write: documents(func(s *source) *tree.Node {
	all := s.entries(argoEntries)
	spec := tree.NewMap("ignoreDifferences", all.list)
	return all.finish(newDocument("argoproj.io/v1alpha1", "Application", s.name, "spec", spec), s,
		"Copy spec.ignoreDifferences into the Application and "+argoSyncOption+".")
})}

const argoSyncOption = "set the sync option RespectIgnoreDifferences=true: without it, a sync still applies the fields"

func argoEntries(r *rule) []*tree.Node {
	r.leaveOutGlobsOfManagers("Argo CD has no globs in managedFieldsManagers, found %s")
	return r.entries(argoDialects, argoCD, func(t ruleSelector, expressions []expression) *tree.Node {
		s := t.selector
		if !r.plain(t, argoCD) || !r.literal("name", s.Name, argoCD) || !r.literal("namespace", s.Namespace, argoCD) {
			return nil
		}
		r.noteVersion(s, argoCD)
		r.noteRequired(s, expressions)
		return tree.NewMap("group", toArgoGlob(s.Group), "kind", toArgoGlob(s.Kind), "name", specific(s.Name), "namespace", specific(s.Namespace),
			"jsonPointers", textsOf(expressions, jsonpointer.Dialect.Name), "jqPathExpressions", textsOf(expressions, jqpath.Dialect.Name),
			"managedFieldsManagers", r.managers)
	})
}

// noteRequired warns of fields without which the API server refuses an object: Argo CD 3.6 compares
// by a dry run without the fields of its rules.
func (r *rule) noteRequired(s selector.Selector, expressions []expression) {
	builtIn := &schema.Schemas{}
	for _, e := range expressions {
		isRequired := func(gvk schema.GVK) bool { return e.findsRequired(builtIn.Kind(gvk)) }
		if slices.ContainsFunc(kindsOf(s), isRequired) {
			r.change(e.path, "the API server requires the field: with ServerSideApply=true, Argo CD 3.6 compares by a dry run without it, which fails")
		}
	}
}

// findsRequired tells whether an expression finds a field that the kind requires.
func (e expression) findsRequired(kind *schema.Kind) bool {
	paths, err := celSteps(e.dialect, e.text, []*schema.Type{kind.Type})
	return err == nil && slices.ContainsFunc(paths, func(steps []jq.Step) bool {
		place := placeOf(steps)
		return len(place) > 0 && kind.At(place).Required != nil
	})
}

// placeOf returns where names and conditions lead to, in the first elements of lists; nil for other
// steps.
func placeOf(steps []jq.Step) (place location.Location) {
	for _, step := range steps {
		switch step.Kind {
		case jq.FieldStep:
			place = append(place, location.Key(step.Text))
		case jq.EachStep, jq.IndexStep:
			place = append(place, location.Index(0))
		case jq.SelectStep:
		default:
			return nil
		}
	}
	return place
}

// noteChange says what becomes of the condition OnSpokeChange where there is only one condition.
func (r *rule) noteChange(target string) {
	if r.condition == rules.OnSpokeChange {
		r.change(r.path+".condition", "OnSpokeChange: %s leaves the field alone even if the package changes it", target)
	}
}

// plain tells whether a target has only group, version, kind, name and namespace, and nothing that
// excludes objects, and notes why not.
func (r *rule) plain(t ruleSelector, name string) bool {
	s := t.selector
	for _, field := range []struct {
		name    string
		isThere bool
	}{
		{"labels", len(s.Labels) > 0}, {"annotations", len(s.Annotations) > 0}, {"labelSelector", s.LabelSelector != nil},
		{"annotationSelector", s.AnnotationSelector != nil},
		{"apiVersion beside group or version", s.APIVersion != nil},
	} {
		if field.isThere {
			r.leaveOut(r.path+".selectors", "%s can't select by %s%s", name, field.name, forObjects(s))
			return false
		}
	}
	for _, exclude := range t.exclude {
		if _, isLocal := exclude.Annotations[localConfig]; isLocal { // which is not applied
			r.change(r.path+".exclude", "%s can't exclude objects with %s; those are not applied to a cluster", name, localConfig)
			continue
		}
		r.leaveOut(r.path+".exclude", "%s can't exclude objects%s", name, forObjects(s))
		return false
	}
	return true
}

// noteVersion notes that a program ignores versions.
func (r *rule) noteVersion(s selector.Selector, program string) {
	if !isAny(s.Version) {
		r.change(r.path+".selectors", "version %s: %s ignores versions", config.Quote(*s.Version), program)
	}
}

const localConfig = "config.kubernetes.io/local-config"

// literal tells whether a field of a selector is one text or any, and notes why not.
func (r *rule) literal(field string, text *string, name string) bool {
	switch {
	case isAny(text):
		return true
	case *text == "":
		r.leaveOut(r.path+".selectors", "%s can't select objects without a %s", name, field)
		return false
	case isGlob(*text):
		r.leaveOut(r.path+".selectors", "%s has no globs in %s, found %s", name, field, config.Quote(*text))
		return false
	}
	return true
}

// forObjects names the objects of a selector, after a message.
func forObjects(s selector.Selector) string {
	if isAny(s.Kind) {
		return ""
	}
	return ", for kind " + *s.Kind
}
