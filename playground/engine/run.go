package engine

import (
	"slices"
	"strings"

	"github.com/krm-fields/krm-fields/fn"
	"github.com/krm-fields/krm-fields/fn/ignorefields"
	"github.com/krm-fields/krm-fields/internal/author/explain"
	"github.com/krm-fields/krm-fields/internal/author/hostless"
	"github.com/krm-fields/krm-fields/internal/expr"
	"github.com/krm-fields/krm-fields/internal/expr/jq"
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/krm/redact"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// runRequest asks to run a functionConfig.
type runRequest struct {
	Manifests string `json:"manifests"`
	// Live are the objects of the cluster; "" for none.
	Live   string `json:"live"`
	Config string `json:"config"`
}

func (q runRequest) hasLive() bool { return strings.TrimSpace(q.Live) != "" }

// runAnswer is what a run does and why.
type runAnswer struct {
	// Output is what is to be applied, and Diff how the manifests change; both are empty where the
	// run fails.
	Output  string   `json:"output"`
	Diff    string   `json:"diff"`
	Failed  bool     `json:"failed"`
	Results []Result `json:"results"`
	// Summary counts what was found and changed, in a sentence.
	Summary     string       `json:"summary"`
	Matches     []Match      `json:"matches"`
	Expressions []Expression `json:"expressions"`
	Errors      []*Fault     `json:"errors"`
}

// Match is a field that an expression has found.
type Match struct {
	Rule       string `json:"rule"`       // ignoreFields[0]
	Expression string `json:"expression"` // ignoreFields[0].jsonPointers[1]
	// Owner is the owner that a rule with fromOwners leaves the field to.
	Owner  string `json:"owner,omitempty"`
	Object string `json:"object"`
	Path   string `json:"path"`
	Start  Place  `json:"start"`
	End    Place  `json:"end"`
}

// Expression is an expression of a rule, or a rule without one.
type Expression struct {
	Rule    string `json:"rule"`
	Path    string `json:"path"` // ignoreFields[0].jsonPointers[1]
	Dialect string `json:"dialect,omitempty"`
	Text    string `json:"expression"`
	// Matches counts the fields that it finds, and Objects the objects that have them.
	Matches int `json:"matches"`
	Objects int `json:"objects"`
	// Failed counts the objects in which it fails.
	Failed    int    `json:"failed,omitempty"`
	Line      int    `json:"line"`
	Column    int    `json:"column"`
	EndColumn int    `json:"endColumn"`
	Hint      string `json:"hint,omitempty"`
}

// runner is one run.
type runner struct {
	config, manifests, live *text
	// functionConfig is the object of the config.
	functionConfig *object.Object
	answer         runAnswer
}

func newRunner() *runner {
	return &runner{answer: runAnswer{
		Failed: true, Results: []Result{}, Matches: []Match{}, Expressions: []Expression{}, Errors: []*Fault{},
	}}
}

func run(q runRequest) (runAnswer, error) {
	r, trace := newRunner(), &ignorefields.Trace{FoundOnly: true}
	explanation, ran, err := r.run(q, trace)
	if explanation == nil || err != nil {
		return r.answer, err
	}
	r.expressions(explanation.Rules)
	r.matches(trace)
	if r.answer.Failed {
		return r.answer, nil
	}
	var diff strings.Builder
	if err := explanation.WriteDiff(&diff); err != nil {
		return r.answer, err
	}
	r.answer.Diff = diff.String()
	r.answer.Output, err = textOf(ran.ForCluster())
	return r.answer, err
}

// explainAnswer is what "krm-fields explain" prints, but for the diff.
type explainAnswer struct {
	Explain string `json:"explain"`
}

// explainRun tells of a run what run leaves out for the time that it takes: why expressions find
// nothing in objects, and why objects are not selected.
func explainRun(q runRequest) (explainAnswer, error) {
	explanation, _, err := newRunner().run(q, &ignorefields.Trace{})
	if explanation == nil || err != nil {
		return explainAnswer{}, err
	}
	explanation.Changes = nil
	var text strings.Builder
	err = explanation.WriteText(&text, false)
	return explainAnswer{text.String()}, err
}

// run runs the functionConfig, and explains what it does; nil where a text is invalid.
func (r *runner) run(q runRequest, trace *ignorefields.Trace) (*explain.Explanation, hostless.ChunkOutcome, error) {
	if ok, err := r.read(q); !ok || err != nil {
		return nil, hostless.ChunkOutcome{}, err
	}
	root, items := r.functionConfig.Root(), r.manifests.copies()
	settings := hostless.Settings{Options: fn.Options{Mask: &redact.Mask{}, IgnoreFields: ignorefields.Options{Trace: trace}}}
	if q.hasLive() {
		settings.Beside = hostless.MarkLive(r.live.copies())
	}
	ran := hostless.Run([]hostless.ConfigStep{{FunctionConfig: root, Path: fileOf(inConfig)}}, items, settings)
	results := report.Whole(ran.Results)
	explanation, err := explain.Of(explain.Run{
		FunctionConfig: root, ConfigFile: fileOf(inConfig),
		Items: slices.Concat(items, settings.Beside), Out: ran.Out, Results: results, Trace: trace, Mask: settings.Options.Mask,
	})
	if err != nil {
		return nil, ran, err
	}
	r.answer.Failed = fn.HasError(results)
	r.answer.Summary = explanation.Summary.String()
	r.results(results)
	return explanation, ran, nil
}

// readTexts parses the texts. It returns false, and tells the faults, if one is invalid.
func (r *runner) readTexts(q runRequest) (ok bool) {
	for _, t := range []struct {
		name, content string
		into          **text
	}{{inConfig, q.Config, &r.config}, {inManifests, q.Manifests, &r.manifests}, {inLive, q.Live, &r.live}} {
		parsed, fault := read(t.name, t.content)
		if *t.into = parsed; fault != nil {
			r.answer.Errors = append(r.answer.Errors, fault)
		}
	}
	return len(r.answer.Errors) == 0
}

// read parses the texts, one of which must be a functionConfig.
func (r *runner) read(q runRequest) (ok bool, err error) {
	if !r.readTexts(q) {
		return false, nil
	}
	return r.readConfig()
}

// readConfig takes the one object of the config as the functionConfig.
func (r *runner) readConfig() (ok bool, err error) {
	if n := len(r.config.objects); n != 1 {
		r.answer.Errors = append(r.answer.Errors, r.config.fault(r.config.lineRange(1), oneConfig(n)))
		return false, nil
	}
	r.functionConfig = r.config.objects[0]
	if kind := tree.GetString(r.functionConfig.Root(), "kind"); isMissing(kind) {
		return false, &missingError{kind}
	}
	return true, nil
}

// results adds the results, and those about the functionConfig as faults of it, too.
func (r *runner) results(all []report.Result) {
	about := slices.Concat(r.config.objects, r.manifests.objects, r.live.objects)
	r.answer.Results = resultsOf(all, about)
	for i, result := range r.answer.Results {
		if result.In == inConfig && result.Severity == report.SeverityError {
			fault := r.config.fault(r.faultSpan(all[i]), result.Message)
			r.answer.Results[i].Line = fault.Line
			r.answer.Errors = append(r.answer.Errors, fault)
		}
	}
}

// faultSpan is where in the functionConfig a result points to: into the expression, where that does
// not compile.
func (r *runner) faultSpan(result report.Result) span {
	field, err := location.ParseField(result.Field.Path)
	if err != nil {
		return r.config.lineRange(r.functionConfig.FirstLine)
	}
	config := r.functionConfig
	at := r.config.nearest(config, field)
	d, known := expr.ByName(result.Tags["selector"])
	expression, has := result.Tags["expression"]
	if !known || !has {
		return at
	}
	_, err = d.Parse(expression, jq.Limits{})
	return r.config.inExpression(config, field, at, err)
}

// expressions adds what became of each expression.
func (r *runner) expressions(rules []*explain.ExplainedRule) {
	for _, rule := range rules {
		if rule.Of != nil { // of an object, and not in the functionConfig
			continue
		}
		for _, e := range rule.Within { // what these find is told by the others
			if told := r.expression(rule, e); told.Failed > 0 || told.Hint != "" {
				r.answer.Expressions = append(r.answer.Expressions, told)
			}
		}
		for _, e := range rule.Expressions {
			r.answer.Expressions = append(r.answer.Expressions, r.expression(rule, e))
		}
	}
}

func (r *runner) expression(rule *explain.ExplainedRule, e *explain.Expression) Expression {
	told := Expression{Rule: rule.Path, Path: e.Path, Dialect: e.Dialect, Text: e.Text, Objects: len(e.Found), Failed: len(e.Failed)}
	for _, found := range e.Found {
		told.Matches += len(found.Fields)
	}
	told.Hint = r.hint(e)
	if field, err := location.ParseField(e.Path); err == nil {
		at := r.config.fault(r.config.nearest(r.functionConfig, field), "")
		told.Line, told.Column, told.EndColumn = at.Line, at.Column, at.EndColumn
	}
	return told
}

// hint says why an expression fails or finds nothing, or how it is better written; "" where there
// is nothing to say.
func (r *runner) hint(e *explain.Expression) string {
	for _, failed := range e.Failed {
		return failed.Why
	}
	for _, result := range r.answer.Results {
		if _, hint, ok := strings.Cut(result.Message, "; "); ok && result.Reason == report.ReasonNoMatch && result.Path == e.Path {
			return hint
		}
	}
	for _, note := range e.Notes {
		return note
	}
	return ""
}

// matches adds where the fields are that were found.
func (r *runner) matches(trace *ignorefields.Trace) {
	for i, traced := range trace.Objects {
		if traced == nil || i >= len(r.manifests.objects) || len(traced.Found) == 0 {
			continue
		}
		o := r.manifests.objects[i]
		for _, f := range traced.Found {
			if at, ok := r.matchSpan(o, f); ok {
				r.answer.Matches = append(r.answer.Matches, Match{
					Rule: ruleOf(f.By), Expression: f.By, Owner: f.Owner, Object: traced.Ref.String(), Path: f.Place,
					Start: r.manifests.place(at.start), End: r.manifests.place(at.end),
				})
			}
		}
	}
}

// ruleOf is the rule of an expression, or of what stands for a rule without one.
func ruleOf(path string) string {
	i := strings.LastIndexByte(path, '.')
	for _, d := range expr.Dialects {
		if strings.HasPrefix(path[i+1:], d.Field+"[") {
			return path[:i]
		}
	}
	return path
}

// matchSpan is where a field is: all of it, or for one in a string the line that it begins on.
func (r *runner) matchSpan(o *object.Object, f ignorefields.TracedField) (span, bool) {
	if len(f.Inside) == 0 {
		if at, ok := r.manifests.spanOf(o, f.Location); ok {
			return at, true
		}
	}
	if f.Line == 0 {
		return span{}, false
	}
	return r.manifests.lineRange(f.Line), true
}
