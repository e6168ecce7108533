package jsonpath

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"k8s.io/client-go/util/jsonpath"

	"github.com/krm-fields/krm-fields/internal/expr/dialect"
	"github.com/krm-fields/krm-fields/internal/expr/jq"
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// Translate writes a JSONPath in another dialect, such that it finds the same fields: a path of
// names and indices as a JSON Pointer, any other as a jq expression. Differences are left only
// where a JSONPath fails on an object, and for fields that are null, which jq does not find.
//
// A name in quotes is one key, with its dots. The names after metadata.annotations and
// metadata.labels are joined with dots to the one key that they can only be. Elsewhere a name with
// a slash, which may be a part of a key with dots, is refused. Errors are *SyntaxError and
// *TranslateError.
func Translate(expression string) (into, translated string, err error) {
	path, err := parse(expression)
	if err != nil {
		return "", "", err
	}
	steps := path.steps
	if path.quoted != nil {
		steps = path.quoted
	}
	t := pathTranslation{expression: expression, steps: joinMetadata(steps)}
	if len(t.steps) == 0 {
		return "", "", t.fail("it is the whole object")
	}
	if err := t.checkNames(); err != nil {
		return "", "", err
	}
	if pointer, ok := t.pointer(); ok {
		return dialect.JSONPointer.Name, pointer, nil
	}
	w := &jq.Writer{PassesOver: true}
	for i, step := range t.steps {
		if err := t.jqStep(w, step, t.steps[i+1:]); err != nil {
			return "", "", err
		}
	}
	return dialect.JQ.Name, w.String(), nil
}

type pathTranslation struct {
	expression string
	steps      []jsonStep
}

func (t pathTranslation) fail(format string, args ...any) error {
	return &dialect.TranslateError{Dialect: names, Into: dialect.JQ.Noun, Expression: t.expression, Cause: fmt.Sprintf(format, args...)}
}

// joinMetadata makes one field of those that follow metadata.annotations and metadata.labels, whose
// members are all strings.
func joinMetadata(steps []jsonStep) []jsonStep {
	for i := range steps {
		if i < 1 || !isField(steps[i-1], "metadata") || !isField(steps[i], "annotations", "labels") {
			continue
		}
		rest := steps[i+1:]
		if count := leadingFields(rest); count > 1 {
			key := strings.Join(fieldNames(rest[:count]), ".")
			joined := jsonStep{node: &jsonpath.FieldNode{NodeType: jsonpath.NodeField, Value: key}}
			return slices.Concat(steps[:i+1], []jsonStep{joined}, rest[count:])
		}
	}
	return steps
}

func isField(step jsonStep, names ...string) bool {
	node, ok := step.node.(*jsonpath.FieldNode)
	return ok && slices.Contains(names, node.Value)
}

// checkNames refuses a name with a slash but no dot, which is likely to be the end of a key whose
// dots were not escaped.
func (t pathTranslation) checkNames() error {
	for i, step := range t.steps {
		node, ok := step.node.(*jsonpath.FieldNode)
		if !ok || i == 0 || !strings.Contains(node.Value, "/") || strings.Contains(node.Value, ".") {
			continue
		}
		if leadingFields(t.steps[i-1:]) > 1 {
			return t.fail(`%q may be a part of a key with dots; escape the dots of the key, as in .prometheus\.io/port`, node.Value)
		}
	}
	return nil
}

// pointer returns the path as a JSON Pointer; false if a step is neither a name nor an index, or a
// name would mean something else there.
func (t pathTranslation) pointer() (string, bool) {
	var b strings.Builder
	for _, step := range t.steps {
		switch node := step.node.(type) {
		case *jsonpath.FieldNode:
			if location.IsDigits(node.Value) || node.Value == "*" || node.Value == "-" {
				return "", false
			}
			b.WriteString("/" + location.EscapePointer(node.Value))
		case *jsonpath.ArrayNode:
			segment := arraySegment(node)
			if segment == "" {
				return "", false
			}
			b.WriteString("/" + segment)
		default:
			return "", false
		}
	}
	return b.String(), b.Len() > 0
}

// jqStep writes one step; rest are the steps after it.
func (t pathTranslation) jqStep(w *jq.Writer, step jsonStep, rest []jsonStep) error {
	switch node := step.node.(type) {
	case *jsonpath.FieldNode:
		w.Key(node.Value)
	case *jsonpath.WildcardNode:
		w.Each()
	case *jsonpath.ArrayNode:
		return t.jqArray(w, step, node, len(rest) == 0)
	case *jsonpath.FilterNode:
		condition, err := t.jqCondition(step)
		if err != nil {
			return err
		}
		w.Each()
		w.Stage("select(" + condition + ")")
	case *jsonpath.UnionNode:
		return t.jqUnion(w, step)
	case *jsonpath.RecursiveNode:
		if len(rest) == 0 || rest[0].node.Type() != jsonpath.NodeField {
			return t.fail("%q must be followed by a name", step.source)
		}
		w.Stage("..")
		w.Stage("objects")
	}
	return nil
}

func (t pathTranslation) jqArray(w *jq.Writer, step jsonStep, node *jsonpath.ArrayNode, isLast bool) error {
	start, end, by := node.Params[0], node.Params[1], node.Params[2]
	switch {
	case end.Derived:
		w.Index(strconv.Itoa(start.Value))
	case by.Known && by.Value != 1:
		return t.fail("a slice in jq has no step, found %s", step.source)
	case !start.Known && !end.Known:
		w.Each()
	default:
		w.Index(bound(start) + ":" + bound(end))
		if !isLast {
			w.Each()
		}
	}
	return nil
}

func bound(p jsonpath.ParamsEntry) string {
	if !p.Known {
		return ""
	}
	return strconv.Itoa(p.Value)
}

func (t pathTranslation) jqUnion(w *jq.Writer, step jsonStep) error {
	members := make([]string, len(step.members))
	for i, member := range step.members {
		path, ok := jqPath(member)
		if !ok || len(member) == 0 {
			return t.fail("the members of %s must be names or indices", step.source)
		}
		members[i] = path
	}
	w.Stage("(" + strings.Join(members, ", ") + ")")
	return nil
}

// jqPath writes a path of names and indices; what is not there is passed over.
func jqPath(steps []jsonStep) (string, bool) {
	w := &jq.Writer{Optional: true}
	for _, step := range steps {
		switch node := step.node.(type) {
		case *jsonpath.FieldNode:
			w.Key(node.Value)
		case *jsonpath.ArrayNode:
			if !node.Params[1].Derived {
				return "", false
			}
			w.Index(strconv.Itoa(node.Params[0].Value))
		default:
			return "", false
		}
	}
	return w.String(), true
}

// swapped are the operators with their sides changed.
var swapped = map[string]string{"==": "==", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}

// jqCondition writes the condition of a filter. As in a JSONPath, it does not hold for what is not
// there.
func (t pathTranslation) jqCondition(step jsonStep) (string, error) {
	left, right, operator := step.condition.left, step.condition.right, step.condition.operator
	if operator == onlyExists {
		return t.jqExists(step, left)
	}
	if left.literal != nil {
		left, right, operator = right, left, swapped[operator]
	}
	if left.literal != nil || right.literal == nil {
		return "", t.fail("the filter %s must compare a field with a value", step.source)
	}
	path, ok := jqPath(left.steps)
	if !ok {
		return "", t.fail("the filter %s must compare a field that names and indices lead to", step.source)
	}
	kind, literal := tree.Type(right.literal), right.literal.Text()
	if kind == tree.String {
		literal = jq.String(literal)
	}
	if operator == "==" {
		return path + " == " + literal, nil
	}
	// A comparison with another type is an error in a JSONPath, and in jq would hold.
	return path + " | " + typeFilters[kind] + " | . " + operator + " " + literal, nil
}

// typeFilters are the functions of jq that let values of one type through.
var typeFilters = map[string]string{tree.String: "strings", tree.Number: "numbers", tree.Boolean: "booleans"}

func (t pathTranslation) jqExists(step jsonStep, o operand) (string, error) {
	last := len(o.steps) - 1
	if last < 0 {
		return "", t.fail("the filter %s must name a field", step.source)
	}
	parent, ok := jqPath(o.steps[:last])
	if !ok {
		return "", t.fail("the filter %s must name a field that names and indices lead to", step.source)
	}
	if parent += " | "; last == 0 {
		parent = ""
	}
	switch node := o.steps[last].node.(type) {
	case *jsonpath.FieldNode:
		return parent + "objects | has(" + jq.String(node.Value) + ")", nil
	case *jsonpath.ArrayNode:
		if segment := arraySegment(node); segment != "" {
			return parent + "arrays | has(" + segment + ")", nil
		}
	}
	return "", t.fail("the filter %s must name one field", step.source)
}
