package manifestwork

import (
	"fmt"
	"slices"
	"strings"

	"github.com/krm-fields/krm-fields/internal/expr"
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/krm/redact"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/lists"
	"github.com/krm-fields/krm-fields/internal/rules"
	"github.com/krm-fields/krm-fields/internal/ssa/owners"
	"github.com/krm-fields/krm-fields/internal/ssa/schema"
	"github.com/krm-fields/krm-fields/internal/words"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// trial tries the rules of one work on its manifests.
type trial struct {
	options   Options
	work      *work
	root      *tree.Node // the work as it came in
	ref       report.Ref
	file      report.File
	shown     redact.Object
	manifests []workManifest
	schemas   *schema.Schemas // once they are asked for
	// found has what the rules found in each manifest, by its ordinal, and failed the first reason
	// why a rule failed on it.
	found   map[int][]rules.Found
	failed  map[int]error
	results []report.Result
}

func newTrial(options Options, w *work, item *object.Object) *trial {
	root := item.Original()
	return &trial{
		options: options, work: w, root: root, ref: report.RefOf(root), file: item.File(), shown: redact.Of(root),
		manifests: w.manifests(root), found: map[int][]rules.Found{}, failed: map[int]error{},
	}
}

// run tries all rules. The error is that of an expression that hit a limit.
func (t *trial) run() error {
	t.reportUnknown()
	for i, c := range t.work.configs {
		if len(c.rules) == 0 {
			continue
		}
		if err := t.tryConfig(i, c); err != nil {
			return err
		}
	}
	t.reportFields()
	if t.options.FromOwners {
		t.reportOwned()
	}
	return nil
}

// tryConfig tries the rules of the config with an index on the manifests that it names.
func (t *trial) tryConfig(index int, c workConfig) error {
	named := slices.DeleteFunc(slices.Clone(t.manifests), func(m workManifest) bool { return !c.identifier.names(m) })
	t.noteConfig(index, c, named)
	if len(named) == 0 {
		t.reportUnnamed(c)
		return nil
	}
	o := configOutcome{
		missing: map[string][]rules.Failure{}, found: map[string][]rules.Found{}, dotted: map[string]bool{},
		failed: map[string]bool{}, hints: map[int]rules.Hint{},
	}
	for _, m := range named {
		r := rules.Resolver{Reporter: trialOn{t, m}, IsForeign: true, KeepsMissing: true}
		r.Resolve(object.JSON(m.root), c.rules, t.kind(m))
		t.reportManifest(m, r.Resolution)
		o.add(r.Resolution)
		if r.Fatal != nil && !t.options.Report {
			return r.Fatal
		}
	}
	t.reportMissing(c, named, o)
	t.noteExpressions(c, o)
	return nil
}

// configOutcome is what the expressions of a config found in all manifests that it names, by the
// path of the expression.
type configOutcome struct {
	missing map[string][]rules.Failure
	found   map[string][]rules.Found
	dotted  map[string]bool
	failed  map[string]bool
	hints   map[int]rules.Hint // by the number of the expression
}

func (o *configOutcome) add(r rules.Resolution) {
	for _, f := range r.Missing {
		o.missing[f.Path] = append(o.missing[f.Path], f)
	}
	for _, f := range r.Found {
		o.found[f.By.Path] = append(o.found[f.By.Path], f)
	}
	for _, f := range slices.Concat(r.Dotted, r.Quoted) {
		o.dotted[f.Path] = true
	}
	for _, f := range r.Failures {
		o.failed[f.Path] = true
	}
	for _, h := range r.Hints {
		if best, ok := o.hints[h.Number]; !ok || h.Depth > best.Depth {
			o.hints[h.Number] = h
		}
	}
}

// reportManifest reports the outcome for one manifest, and records it for the status and for the
// summary of the manifest.
func (t *trial) reportManifest(m workManifest, r rules.Resolution) {
	t.found[m.ordinal] = append(t.found[m.ordinal], r.Found...)
	failures := r.Failures
	switch t.options.Missing {
	case report.SeverityError:
		failures = append(failures, r.Missing...)
	case report.SeverityWarning:
		t.addAll(report.SeverityWarning, report.ReasonNoMatch, m, r.Missing)
	}
	severity := report.SeverityError
	if t.options.Report {
		severity = report.SeverityWarning
	}
	t.addAll(severity, report.ReasonSSAIgnoreFieldError, m, failures)
	t.addAll(report.SeverityInfo, report.ReasonDottedKey, m, r.Dotted)
	if len(failures) > 0 && t.failed[m.ordinal] == nil {
		t.failed[m.ordinal] = failures[0].Err
	}
}

// addAll adds a result for each of the outcomes of expressions on a manifest.
func (t *trial) addAll(severity, reason string, m workManifest, outcomes []rules.Failure) {
	for _, f := range outcomes {
		t.results = append(t.results, trialOn{t, m}.result(severity, reason, f))
	}
}

// trialOn is the trial on one manifest.
type trialOn struct {
	*trial
	manifest workManifest
}

func (t trialOn) result(severity, reason string, f rules.Failure) report.Result {
	result := t.expressionResult(severity, reason, f.Source, f.Condition, t.manifest.String()+": "+t.options.Mask.Error(f.Err, t.shown.HasSecret()))
	result.Field = report.Field{Path: t.manifest.at.String()}
	return result
}

// ReportFailure implements rules.Reporter.
func (t trialOn) ReportFailure(f rules.Failure) report.Result {
	return t.result(report.SeverityError, report.ReasonSSAIgnoreFieldError, f)
}

// result returns a result about the work.
func (t *trial) result(severity, path, message string, tags map[string]string) report.Result {
	return report.Result{Message: path + ": " + message, Severity: severity, Tags: tags}.Of(t.ref, t.file).At(path)
}

// expressionResult returns a result about an expression of the work.
func (t *trial) expressionResult(severity, reason string, s *rules.Source, condition, message string) report.Result {
	return t.result(severity, s.Path, message, s.Tags(reason, condition))
}

// reportUnnamed reports a config that names none of the manifests.
func (t *trial) reportUnnamed(c workConfig) {
	if t.options.NoMatch == "" {
		return
	}
	message := fmt.Sprintf("the work has no manifest %s", c.identifier)
	for _, m := range t.manifests {
		if difference := c.identifier.difference(m); difference != "" {
			message += fmt.Sprintf("; for %s, %s", m, difference)
			break
		}
	}
	t.results = append(t.results, t.result(t.options.NoMatch, c.path+".resourceIdentifier", message, map[string]string{"reason": report.ReasonNoMatch}))
}

// reportMissing reports the expressions of a config that found nothing in any manifest that it
// names, unless onMissing has reported that for each manifest.
func (t *trial) reportMissing(c workConfig, named []workManifest, o configOutcome) {
	if t.options.NoMatch == "" || t.options.Missing != "" {
		return
	}
	where := named[0].String()
	if len(named) > 1 {
		where = fmt.Sprintf("each of the %d manifests that %s names", len(named), c.path)
	}
	for _, r := range c.rules {
		for _, e := range r.Expressions() {
			missing := o.missing[e.Path]
			if len(missing) < len(named) {
				continue
			}
			what := fmt.Sprintf("the expression '%s' matched nothing", e)
			if h, ok := o.hints[e.Number]; ok {
				what += "; " + words.WithQuoted(t.options.Mask, h.Text, h.Quotes)
			}
			if d, _ := expr.ByName(e.Dialect().Name); d.MissFails {
				what = missing[0].Err.Error() // the form that is in wide use
			}
			if h, ok := o.hints[e.Number]; ok && len(r.Within) == 0 {
				what += t.kind(named[0]).Needless(h.Missing)
			}
			t.results = append(t.results, t.expressionResult(t.options.NoMatch, report.ReasonNoMatch, e.Source, r.Condition, where+": "+what))
		}
	}
}

// reportFields reports for each manifest, on which no rule failed, the fields that are ignored in
// it.
func (t *trial) reportFields() {
	for _, m := range t.manifests {
		fields := rules.Recordable(t.found[m.ordinal])
		if len(fields) == 0 || t.failed[m.ordinal] != nil {
			continue
		}
		names := lists.Map(fields, func(f rules.Found) string { return fmt.Sprintf("%s (%s, %s)", f.Location, f.Condition, f.By.Path) })
		first := fields[0]
		at := slices.Concat(m.at, first.Location)
		message := m.String() + ": " + words.Count(len(fields), "field") + " ignored: " + strings.Join(names, ", ")
		result := report.New(report.SeverityInfo, "", message).Of(t.ref, t.file)
		result.Field = report.Field{Path: at.String(), HasCurrent: true, Current: t.shown.Value(at, tree.Value(location.At(t.root, at)))}
		result.Tags = first.By.Tags(report.ReasonFieldsIgnored, first.Condition)
		t.results = append(t.results, result)
	}
}

// kind returns the schema of the kind of a manifest, of which the work may have the definition.
func (t *trial) kind(m workManifest) *schema.Kind {
	if t.schemas == nil {
		t.schemas = &schema.Schemas{}
		for _, m := range t.manifests {
			_, _ = t.schemas.Define(m.root) // the API server refuses an invalid definition, and other tools say why
		}
	}
	return t.schemas.Kind(schema.ParseGVK(m.APIVersion, m.Kind))
}

// reportOwned reports the fields of the manifests that have owners among the other manifests of the
// work, and that no rule of the work leaves to them.
func (t *trial) reportOwned() {
	index := owners.Empty()
	for _, m := range t.manifests {
		index.Add(m.root, "", t.file, false)
	}
	for _, m := range t.manifests {
		kind := t.kind(m)
		for _, c := range index.Of(m.Candidate, "", "") {
			for _, f := range owners.WithoutAtomic(c.Locate(m.root, kind), kind) {
				t.reportOwnedField(m, f)
			}
		}
	}
}

func (t *trial) reportOwnedField(m workManifest, f owners.Ownership) {
	isLeft := func(found rules.Found) bool { return found.Location.Contains(f.Location) }
	if f.Left != "" || slices.ContainsFunc(t.found[m.ordinal], isLeft) {
		return
	}
	at := slices.Concat(m.at, f.Location)
	message := fmt.Sprintf("%s: %s is owned by %s, and no ignoreFields of the work cover it; "+
		"for %s, write the JSON Pointer '%s' in ignoreFields", m, f.Location, f.Claim.Name(), m.Candidate, f.Pointer)
	result := report.New(report.SeverityInfo, report.ReasonFromOwners, message).Of(t.ref, t.file).At(at.String())
	result.Tags["owner"] = f.Claim.Name()
	t.results = append(t.results, result)
}
