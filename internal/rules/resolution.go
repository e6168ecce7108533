package rules

import (
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/krm-fields/krm-fields/internal/expr/dialect"
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/krm/selector"
	"github.com/krm-fields/krm-fields/internal/words"
	"github.com/krm-fields/krm-fields/internal/yamldoc/embedded"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// Found is one location that an expression of a rule resolved to.
type Found struct {
	Location location.Location // in the object as it came in
	// Inside are the places in the documents that are in the string at the location, from the
	// outside in; none where the location itself was found. Value is the value at the innermost.
	Inside    []embedded.InnerLocation
	Value     *tree.Node
	Condition string
	By        *Source
}

// Source is what found a location: an expression, or a rule that reads the record of an earlier
// run.
type Source struct {
	Path       string // ignoreFields[0].jsonPointers[1]
	RulePath   string // ignoreFields[0]
	IsOwn      bool   // of a rule of the object itself
	Rule       int
	dialect    dialect.Names
	expression string
	Owner      string // of what a rule with fromOwners or managedFieldsManagers found
	Page       string // that documents what the owner writes; "" if it is not known
	managers   []string
	tags       atomic.Pointer[tagged] // the last ones
}

// tagged are the tags of results with a reason and a condition.
type tagged struct {
	reason, condition string
	tags              map[string]string
}

// Name names the source in a message: its path, and who owns the field.
func (s *Source) Name() string {
	if s.Owner == "" {
		return s.Path
	}
	return s.Path + ", owner: " + s.Owner
}

// LeavesTo tells whether the rule names a field manager as one whose fields it takes.
func (s *Source) LeavesTo(manager string) bool {
	return slices.ContainsFunc(s.managers, func(glob string) bool { return selector.Glob(glob, manager) })
}

// Text is the expression as written; "" for a rule that reads the record.
func (s *Source) Text() string { return s.expression }

// Tags are the tags of a result that is about the source, which share a map: it must not be
// changed. The condition is "" where it is not known: that of a record is known once the record is
// read.
func (s *Source) Tags(reason, condition string) map[string]string {
	if last := s.tags.Load(); last != nil && last.reason == reason && last.condition == condition {
		return last.tags
	}
	tags := map[string]string{"rule": strconv.Itoa(s.Rule)}
	if reason != "" {
		tags["reason"] = reason
	}
	if s.dialect.Name != "" {
		tags["selector"], tags["expression"] = s.dialect.Name, s.expression
	}
	if condition != "" {
		tags["condition"] = condition
	}
	if s.Owner != "" {
		tags["owner"] = s.Owner
	}
	s.tags.Store(&tagged{reason, condition, tags})
	return tags
}

// Failure is an expression that failed on an object, or found nothing in it.
type Failure struct {
	*Source
	Condition string
	Err       error
	// InLive is true if it failed on the live object.
	InLive bool
	// Why says why it found nothing; "" where that is not known. Quotes is what it quotes of the
	// expression.
	Why    string
	Quotes words.Quote
	// Missed is the expression that found nothing; nil in documents of strings.
	Missed *Expression
}

// Resolution is the outcome of the rules in one object.
type Resolution struct {
	Found    []Found
	Failures []Failure
	// Missing are the expressions that found nothing, and Hints say why they may have found
	// nothing; both only where the Resolver has KeepsMissing.
	Missing    []Failure
	Hints      []Hint
	Emptied    []Emptied // lists of containers of which an expression found every element
	Dotted     []Failure // JSONPaths that joined segments, with the escaped spelling
	Quoted     []Failure // those of which the segments are in one pair of quotes
	PassedOver []Failure // parts of an annotation that its reader on the cluster passes over
	Matched    []int     // numbers of the expressions that found something
	Failed     []int     // numbers of the expressions that failed
	Costs      []Cost    // of the measured expressions, one for each evaluation
	Fatal      error     // that of a limit, which ends the run, or that of its stop
	// Strings are those whose documents were opened.
	Strings embedded.Opener
}

// Match records that an expression has found something after all.
func (r *Resolution) Match(rules []Rule, by *Source) {
	for _, rule := range rules {
		for _, e := range slices.Concat(rule.Conditional().Lists...) {
			if e.Source == by && e.Number >= 0 {
				r.Matched = append(r.Matched, e.Number)
			}
		}
	}
	r.Missing = slices.DeleteFunc(r.Missing, func(f Failure) bool { return f.Source == by })
}

// Hint says why an expression may have found nothing in an object.
type Hint struct {
	Number int // of the expression
	// Expression is nil for one that is resolved in documents of strings.
	Expression *Expression
	Text       string
	Quotes     words.Quote // what the text quotes of the expression
	Depth      int         // how many of its steps led somewhere
	// Missing is the field that the text says the object does not have; nil where it says something
	// else.
	Missing location.Location
}

// Emptied is a list of containers of which an expression found every element.
type Emptied struct {
	List  location.Location
	Count int
	By    *Source
}

// Cost is how long one evaluation of an expression took, and how many fields it found.
type Cost struct {
	Number  int // of the expression
	Time    time.Duration
	Matches int
}

// Owned is a field of which other objects of the list, or the managedFields of the live object, say
// that somebody owns it.
type Owned struct {
	Location location.Location // in the object as it came in
	Owners   []string          // HorizontalPodAutoscaler default/web, or kubelet (Update)
	Page     string            // where the project of the first one documents it; "" if it is not known
}
