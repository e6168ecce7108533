package manifestwork

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	kubectl "k8s.io/client-go/util/jsonpath"

	"github.com/krm-fields/krm-fields/internal/expr/jq"
	"github.com/krm-fields/krm-fields/internal/expr/jqpath"
	"github.com/krm-fields/krm-fields/internal/expr/jsonpath"
	"github.com/krm-fields/krm-fields/internal/expr/jsonpointer"
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/lists"
	"github.com/krm-fields/krm-fields/internal/rules"
)

// agent names the agent that the warnings are about. What they say is in
// pkg/work/spoke/apply/server_side_apply.go and pkg/work/helper/helpers.go of
// https://github.com/open-cluster-management-io/ocm at v1.3.1, commit
// 805fa6103d8bc1761dbc9cb4e420def42703ec53.
const agent = "the OCM agent up to the version we tested against (v1.3.1)"

// noteConfig warns of what keeps the agent from using the rules of a config: an identifier that
// only this function understands, another type of update, an earlier config, and two rules with one
// condition, which the hub refuses.
func (t *trial) noteConfig(index int, c workConfig, named []workManifest) {
	if len(named) > 0 {
		if fix := c.identifier.fix(named[0]); fix != "" {
			t.note(c.path+".resourceIdentifier", "%s finds no manifest for %s, which seems to mean %s; write %s",
				agent, c.identifier, named[0], fix)
		}
	}
	if c.strategy.Type != serverSideApply {
		t.note(c.rulesPath(), "%s reads ignoreFields only if updateStrategy.type is ServerSideApply; here it is %s",
			agent, c.strategy.Type)
	}
	for _, before := range t.work.configs[:index] {
		covered := slices.IndexFunc(named, func(m workManifest) bool { return before.strategy.isSet && before.identifier.names(m) })
		if covered >= 0 {
			t.note(c.rulesPath(), "%s uses the first updateStrategy for a manifest, which for %s is that of %s",
				agent, named[covered], before.path)
			break
		}
	}
	for i, r := range c.rules {
		same := slices.IndexFunc(c.rules[:i], func(other rules.Rule) bool { return other.Condition == r.Condition })
		if same >= 0 {
			t.note(r.Path+".condition", "the hub accepts only one rule for each condition, and %s has %s, too; merge them into one",
				c.rules[same].Path, r.Condition)
		}
	}
}

func (t *trial) note(path, format string, args ...any) {
	t.results = append(t.results, t.result(report.SeverityWarning, path, fmt.Sprintf(format, args...), map[string]string{"reason": report.ReasonAgentDiffers}))
}

// agentReading is how the agent treats an expression, if not as intended.
type agentReading struct {
	verb   string // ignores, misreads or fails on
	reason string
	// fix is a JSON Pointer or a jq expression for all objects; "" where there is none.
	fix string
}

// noteExpressions warns of the expressions of a config that the agent does not treat as intended,
// and that did not fail. It does not read those of OnSpokeChange at all: it leaves the whole object
// alone until the work changes.
func (t *trial) noteExpressions(c workConfig, o configOutcome) {
	for _, r := range c.rules {
		if r.Condition != rules.OnSpokePresent {
			continue
		}
		for _, e := range r.Expressions() {
			if o.failed[e.Path] {
				continue
			}
			reading, ok := readings[e.Dialect().Name](e.String(), e.Path, o)
			if !ok {
				continue
			}
			message := fmt.Sprintf("%s %s this path: '%s': %s", agent, reading.verb, e, reading.reason)
			if fix := reading.spelling(o.found[e.Path]); fix != "" {
				message += "; " + fix
			}
			t.results = append(t.results, t.expressionResult(report.SeverityWarning, report.ReasonAgentDiffers, e.Source, r.Condition, message))
		}
	}
}

// maxPointers is how many pointers a message has at most.
const maxPointers = 5

// spelling says what to write instead: the fix for all objects, else what the expression found as
// JSON Pointers, the last list element first, since the agent removes one after the other.
func (r agentReading) spelling(fields []rules.Found) string {
	switch {
	case strings.HasPrefix(r.fix, "/"):
		return "write the JSON Pointer '" + r.fix + "'"
	case r.fix != "":
		return "write the jq expression '" + r.fix + "'"
	}
	locations := lists.Map(fields, func(f rules.Found) location.Location { return f.Location })
	var pointers []string
	for _, l := range slices.Backward(location.Outermost(locations)) {
		pointers = append(pointers, "'"+l.Pointer()+"'")
	}
	switch {
	case len(pointers) == 0 || len(pointers) > maxPointers:
		return ""
	case len(pointers) == 1:
		return "write the JSON Pointer " + pointers[0]
	}
	return "write the JSON Pointers " + strings.Join(pointers, ", ") + ", in this order"
}

// readings are, by dialect, how the agent treats an expression, of which o has what it found; false
// if as intended.
var readings = map[string]func(text, path string, o configOutcome) (agentReading, bool){
	jsonpath.Dialect.Name: func(text, path string, o configOutcome) (agentReading, bool) {
		return readingOfJSONPath(text, o.dotted[path])
	},
	jsonpointer.Dialect.Name: func(text, path string, o configOutcome) (agentReading, bool) {
		return readingOfPointer(text, o.found[path])
	},
	jqpath.Dialect.Name: func(text, _ string, _ configOutcome) (agentReading, bool) { return readingOfJQ(text) },
}

// readingOfJSONPath follows the agent's removeFieldByJSONPath: it cuts the path at its last dot,
// resolves the part before it as a JSONPath and removes the member named by the part behind it.
// Errors are only logged.
func readingOfJSONPath(path string, dotted bool) (agentReading, bool) {
	into, fix, err := jsonpath.Translate(path)
	if _, differs := readingOfJQ(fix); err != nil || dotted || into == jqpath.Dialect.Name && differs {
		fix = ""
	}
	joined := into == jsonpointer.Dialect.Name && err == nil && strings.Count(fix, "/") != len(pathNodes("{"+path+"}"))
	parent, last := path, path
	if dot := strings.LastIndexByte(path, '.'); dot >= 0 {
		parent, last = path[:dot], path[dot+1:]
		if !dotted && !joined && isParentOf(parent, last, path) {
			return agentReading{}, false
		}
	}
	if strings.HasSuffix(parent, ".") {
		reason := fmt.Sprintf("it looks for the key %q at the top of the object only", last)
		return agentReading{verb: "misreads", reason: reason, fix: fix}, true
	}
	reason := fmt.Sprintf("it splits the path at the last dot and looks for the key %q", last)
	return agentReading{verb: "ignores", reason: reason, fix: fix}, true
}

// isParentOf tells whether the path, as client-go parses it, is parent with the member last.
func isParentOf(parent, last, path string) bool {
	nodes := pathNodes("{" + parent + "}")
	if nodes == nil {
		return false
	}
	field := &kubectl.FieldNode{NodeType: kubectl.NodeField, Value: last}
	return reflect.DeepEqual(append(nodes, field), pathNodes("{"+path+"}"))
}

// pathNodes returns the steps of a JSONPath in braces as client-go parses them, or nil if it does
// not.
func pathNodes(text string) []kubectl.Node {
	parser, err := kubectl.Parse("", text)
	if err != nil || len(parser.Root.Nodes) != 1 {
		return nil
	}
	list, ok := parser.Root.Nodes[0].(*kubectl.ListNode)
	if !ok {
		return nil
	}
	return append([]kubectl.Node{}, list.Nodes...)
}

// readingOfPointer: to the agent's JSON Patch a segment `*` is a key like any other, and as the
// last segment on a list an error.
func readingOfPointer(pointer string, fields []rules.Found) (agentReading, bool) {
	segments := strings.Split(pointer, "/")
	isKey := func(f rules.Found) bool { return f.Location.Pointer() == pointer }
	if !slices.Contains(segments, "*") || slices.ContainsFunc(fields, isKey) {
		return agentReading{}, false
	}
	reading := agentReading{verb: "ignores", reason: "it reads * as a key"}
	if segments[len(segments)-1] == "*" {
		reading.verb, reading.reason = "fails on", "it reads * as an index"
	}
	if into, fix, err := jsonpointer.Translate(pointer); err == nil && into == jqpath.Dialect.Name {
		reading.fix = fix
	}
	return reading, true
}

// readingOfJQ follows the agent's removeFieldByJQExpression: it writes the expression into
// del(…), and hands whole numbers to gojq as int64, a type that gojq does not know.
func readingOfJQ(text string) (agentReading, bool) {
	if jq.IsProjection(text) {
		return agentReading{verb: "fails on", reason: "it deletes with del(…), which accepts path expressions only"}, true
	}
	if _, err := jq.Compile("del("+text+")", jq.Limits{}); err != nil {
		return agentReading{verb: "fails on", reason: "it puts the expression into del(…), and the comment swallows the closing parenthesis"}, true
	}
	switch comparison, typed := jq.ComparesNumbers(text); {
	case comparison != "":
		reason := fmt.Sprintf("its jq takes whole numbers in an object for null where it compares them, as in `%s`", comparison)
		return agentReading{verb: "misreads", reason: reason}, true
	case typed != "":
		return agentReading{verb: "fails on", reason: fmt.Sprintf("its jq panics where `%s` meets a whole number", typed)}, true
	}
	return agentReading{}, false
}

// Taken tells whether the agent treats an expression of a dialect as intended, whatever the object;
// otherwise why not, as text behind "the agent".
func Taken(dialect, text string) (why string, ok bool) {
	reading, differs := readings[dialect](text, "", configOutcome{})
	if !differs {
		return "", true
	}
	return reading.verb + " it: " + reading.reason, false
}
