package ignorefields

import (
	"strings"
	"sync/atomic"

	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/krm/selector"
	"github.com/krm-fields/krm-fields/internal/rules"
	"github.com/krm-fields/krm-fields/internal/words"
)

// noticeKey identifies notices with the same meaning: the first is reported, and the others are
// counted.
type noticeKey struct {
	reason string
	// by is the path of the rule or of the expression; "" for neither.
	by string
	// of is the object with its own rule.
	of   report.Ref
	kind selector.GroupKind
}

// keyOf returns the key of notices about what a rule or an expression, with the path by, does to
// objects of a kind.
func (j *job) keyOf(s *rules.Source, by, reason string, kind selector.GroupKind) noticeKey {
	key := noticeKey{reason: reason, by: by, kind: kind}
	if s.IsOwn {
		key.of = j.ref
	}
	return key
}

// notice is a result that may hold for many fields and objects alike.
type notice struct {
	key *noticeKey
	// result is nil if an object before this one has a notice with the key, or this one has enough.
	result *report.Result
}

// notice records a result that is reported once for all its objects. The result is made only if no
// earlier object is known to have it.
func (j *job) notice(key noticeKey, result func() report.Result) {
	known, ok := j.run.firsts.Load(key)
	if !ok {
		first := &firstNotice{key: key}
		first.object.Store(int64(j.index))
		known, _ = j.run.firsts.LoadOrStore(key, first)
	}
	first := known.(*firstNotice)
	n := notice{key: &first.key}
	if first.isAt(int64(j.index)) && j.told[n.key] <= maxNamed {
		if j.told == nil {
			j.told = map[*noticeKey]int{}
		}
		j.told[n.key]++
		made := result()
		n.result = &made
	}
	j.outcome.notices = append(j.outcome.notices, n)
}

// firstNotice is the first object in the list known to have a notice.
type firstNotice struct {
	key    noticeKey
	object atomic.Int64
}

// isAt tells whether no object before the one at an index is known.
func (f *firstNotice) isAt(index int64) bool {
	for {
		first := f.object.Load()
		if first <= index {
			return first == index
		}
		if f.object.CompareAndSwap(first, index) {
			return true
		}
	}
}

// noticed is the first result of a key, and how many more there are.
type noticed struct {
	result report.Result
	object int // the one of the result
	last   int // the one that was counted last
	// fields are the other fields of that object, and objects is how many more objects there are.
	fields  []string
	more    int // fields of that object that are not named
	objects int
}

// addNotices counts the notices of the object of an index.
func (s *summary) addNotices(index int, notices []notice) {
	for _, n := range notices {
		first, ok := s.notices[n.key]
		switch {
		case !ok:
			first = &noticed{result: *n.result, object: index, last: index}
			s.notices[n.key] = first
			s.noticed = append(s.noticed, first)
		case first.object == index && n.result == nil:
			first.more++
		case first.object == index:
			first.fields = append(first.fields, n.result.Field.Path)
		case first.last != index:
			first.last = index
			first.objects++
		}
	}
}

// noticeResults returns the results of the notices: those of one key are the first one, with the
// number of the others.
func (s *summary) noticeResults() []report.Result {
	var results []report.Result
	for _, n := range s.noticed {
		n.result.Message += n.others()
		results = append(results, n.result)
	}
	return results
}

// others says for which other fields of the object, and for how many more objects, the notice
// holds.
func (n *noticed) others() string {
	others := n.fields
	if n.more > 0 {
		others = append(others, words.Count(n.more, "more field")+" of it")
	}
	var both []string
	if len(others) > 0 {
		both = append(both, strings.Join(others, ", "))
	}
	if n.objects > 0 {
		both = append(both, words.Count(n.objects, "more object"))
	}
	if len(both) == 0 {
		return ""
	}
	return "; the same holds for " + strings.Join(both, " and ")
}

// maxNamed bounds how many more fields a message names.
const maxNamed = 5
