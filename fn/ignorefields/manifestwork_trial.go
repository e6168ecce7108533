package ignorefields

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/krm-fields/krm-fields/fn/locate"
	"github.com/krm-fields/krm-fields/fn/object"
	"github.com/krm-fields/krm-fields/fn/report"
	"github.com/krm-fields/krm-fields/fn/tree"
	"github.com/krm-fields/krm-fields/internal/krm/redact"
)

// trial tries the rules of one work out on its manifests.
type trial struct {
	config    Config
	work      *work
	root      *yaml.Node // the work as it came in
	ref       report.Ref
	file      report.File
	mask      redact.Mask
	manifests []workManifest
	// found has what the rules found in each manifest, by its ordinal, and
	// failed why a rule failed on it, the first of the reasons.
	found   map[int][]found
	failed  map[int]error
	results []report.Result
}

func newTrial(config Config, w *work, item *object.Object) *trial {
	root := item.Original()
	return &trial{
		config: config, work: w, root: root, ref: report.RefOf(root), file: item.File(), mask: redact.New(root),
		manifests: w.manifests(root), found: map[int][]found{}, failed: map[int]error{},
	}
}

// reports tells whether the outcome goes into the status of the work. Then no
// failure ends the run.
func (t *trial) reports() bool {
	return t.config.ManifestWorks == worksReport
}

// run tries all rules. The error is that of an expression that hit a limit.
func (t *trial) run() error {
	for i, c := range t.work.configs {
		if len(c.rules) == 0 {
			continue
		}
		if err := t.tryConfig(i, c); err != nil {
			return err
		}
	}
	t.reportFields()
	return nil
}

// tryConfig tries the rules of the config with an index on the manifests that it
// names.
func (t *trial) tryConfig(index int, c workConfig) error {
	named := t.named(c)
	t.noteConfig(index, c, named)
	if len(named) == 0 {
		t.reportUnnamed(c)
		return nil
	}
	o := configOutcome{
		missing: map[string][]failure{}, found: map[string][]found{}, dotted: map[string]bool{},
		failed: map[string]bool{}, hints: map[int]hint{},
	}
	for _, m := range named {
		r := resolve(object.JSON(m.root), c.rules, true)
		t.reportManifest(m, r)
		o.add(r)
		if r.fatal != nil && !t.reports() {
			return r.fatal
		}
	}
	t.reportMissing(c, named, o)
	t.noteExpressions(c, named, o)
	return nil
}

// named returns the manifests that the config names.
func (t *trial) named(c workConfig) []workManifest {
	var named []workManifest
	for _, m := range t.manifests {
		if c.identifier.names(m) {
			named = append(named, m)
		}
	}
	return named
}

// configOutcome is what the expressions of a config found in all manifests that
// it names, by the path of the expression.
type configOutcome struct {
	missing map[string][]failure
	found   map[string][]found
	dotted  map[string]bool
	failed  map[string]bool
	hints   map[int]hint // by the number of the expression
}

func (o *configOutcome) add(r resolution) {
	for _, f := range r.missing {
		o.missing[f.path] = append(o.missing[f.path], f)
	}
	for _, f := range r.found {
		o.found[f.by.path] = append(o.found[f.by.path], f)
	}
	for _, f := range r.dotted {
		o.dotted[f.path] = true
	}
	for _, f := range r.failures {
		o.failed[f.path] = true
	}
	for _, h := range r.hints {
		if best, ok := o.hints[h.number]; !ok || h.depth > best.depth {
			o.hints[h.number] = h
		}
	}
}

// reportManifest reports the outcome for one manifest, and keeps what the status
// and the closing result about the manifest need.
func (t *trial) reportManifest(m workManifest, r resolution) {
	t.found[m.ordinal] = append(t.found[m.ordinal], r.found...)
	failures := r.failures
	switch t.config.OnMissing {
	case policyError:
		failures = append(failures, r.missing...)
	case policyWarn:
		t.addAll(report.Warning, report.NoMatch, m, r.missing)
	}
	severity := report.Error
	if t.reports() {
		severity = report.Warning
	}
	t.addAll(severity, report.SSAIgnoreFieldError, m, failures)
	t.addAll(report.Info, report.DottedKey, m, r.dotted)
	if len(failures) > 0 && t.failed[m.ordinal] == nil {
		t.failed[m.ordinal] = failures[0].err
	}
}

// addAll adds a result for each of the outcomes of expressions on a manifest.
func (t *trial) addAll(severity, reason string, m workManifest, outcomes []failure) {
	for _, f := range outcomes {
		result := t.expressionResult(severity, reason, f.source, f.condition, m.String()+": "+t.mask.Error(f.err))
		result.Field = report.Field{Path: m.at.String()}
		t.results = append(t.results, result)
	}
}

// result returns a result about the work.
func (t *trial) result(severity, path, message string, tags map[string]string) report.Result {
	return report.Result{
		Message: path + ": " + message, Severity: severity, Ref: t.ref, File: t.file,
		Field: report.Field{Path: path}, Tags: tags,
	}.Redacted(t.mask)
}

// expressionResult returns a result about an expression of the work.
func (t *trial) expressionResult(severity, reason string, s *source, condition, message string) report.Result {
	return t.result(severity, s.path, message, s.tags(reason, condition))
}

// noMatchSeverity is that of results about what matches nothing, "" where there
// are to be none.
func (t *trial) noMatchSeverity() string {
	switch t.config.OnNoMatch {
	case policyIgnore:
		return ""
	case policyError:
		return report.Error
	}
	return report.Warning
}

// reportUnnamed reports a config that names none of the manifests.
func (t *trial) reportUnnamed(c workConfig) {
	severity := t.noMatchSeverity()
	if severity == "" {
		return
	}
	message := fmt.Sprintf("no manifest of the work is %s", c.identifier)
	for _, m := range t.manifests {
		if difference := c.identifier.difference(m); difference != "" {
			message += fmt.Sprintf("; for %s, %s", m, difference)
			break
		}
	}
	t.results = append(t.results, t.result(severity, c.path+".resourceIdentifier", message, map[string]string{"reason": report.NoMatch}))
}

// reportMissing reports the expressions of a config that found something in none
// of the manifests that it names. Where onMissing says so, that is reported for
// each manifest already.
func (t *trial) reportMissing(c workConfig, named []workManifest, o configOutcome) {
	severity := t.noMatchSeverity()
	if severity == "" || t.config.OnMissing != policyIgnore {
		return
	}
	where := named[0].String()
	if len(named) > 1 {
		where = fmt.Sprintf("each of the %d manifests that %s names", len(named), c.path)
	}
	for _, r := range c.rules {
		for _, e := range r.expressions() {
			missing := o.missing[e.path]
			if len(missing) < len(named) {
				continue
			}
			what := fmt.Sprintf("the expression '%s' matched nothing", e)
			if h, ok := o.hints[e.number]; ok {
				what += "; " + h.text
			}
			if e.Dialect() == locate.JSONPointer {
				what = missing[0].err.Error() // the form that operators know
			}
			t.results = append(t.results, t.expressionResult(severity, report.NoMatch, e.source, r.condition, where+": "+what))
		}
	}
}

// expressions returns the expressions of the rule in the order of their
// evaluation.
func (r rule) expressions() []expression {
	var all []expression
	for _, list := range r.lists {
		all = append(all, list...)
	}
	return all
}

// reportFields reports for each manifest, on which no rule failed, the fields
// that are ignored in it.
func (t *trial) reportFields() {
	for _, m := range t.manifests {
		fields := recordable(t.found[m.ordinal])
		if len(fields) == 0 || t.failed[m.ordinal] != nil {
			continue
		}
		names := make([]string, len(fields))
		for i, f := range fields {
			names[i] = fmt.Sprintf("%s (%s, %s)", f.location, f.condition, f.by.path)
		}
		count := "1 field"
		if len(fields) > 1 {
			count = fmt.Sprintf("%d fields", len(fields))
		}
		t.results = append(t.results, t.fieldsResult(m, fields[0], count+" ignored: "+strings.Join(names, ", ")))
	}
}

// fieldsResult returns the result about the ignored fields of a manifest, whose
// field is the first of them.
func (t *trial) fieldsResult(m workManifest, first found, message string) report.Result {
	at := append(m.at[:len(m.at):len(m.at)], first.location...)
	return report.Result{
		Message: t.mask.Text(m.String() + ": " + message), Severity: report.Info, Ref: t.ref, File: t.file,
		Field: report.Field{
			Path: at.String(), HasCurrent: true, Current: t.mask.Value(at, tree.Value(locate.At(t.root, at))),
		},
		Tags: first.by.tags(report.FieldsIgnored, first.condition),
	}
}
