package ignorefields

import (
	"fmt"

	"github.com/krm-fields/krm-fields/fn/match"
	"github.com/krm-fields/krm-fields/fn/report"
)

// noticeKey tells which notices say the same: of those the first is reported, and
// the others are counted.
type noticeKey struct {
	reason string
	// by is the path of the rule or of the expression; "" for neither.
	by   string
	kind match.Kind
}

// notice is a result that may hold for many objects alike.
type notice struct {
	key    noticeKey
	result report.Result
}

// notice keeps a result that is said once for all objects of which it holds.
func (j *job) notice(key noticeKey, result report.Result) {
	j.outcome.notices = append(j.outcome.notices, notice{key, result})
}

// notices returns the results of the notices: those of one key are the first
// one, with how many more objects it holds for.
func notices(outcomes []outcome) []report.Result {
	var results []report.Result
	index, more := map[noticeKey]int{}, []int{}
	for _, o := range outcomes {
		counted := map[noticeKey]bool{}
		for _, n := range o.notices {
			at, known := index[n.key]
			switch {
			case !known:
				index[n.key] = len(results)
				results, more = append(results, n.result), append(more, 0)
			case !counted[n.key]:
				more[at]++
			}
			counted[n.key] = true
		}
	}
	for i, count := range more {
		switch {
		case count == 1:
			results[i].Message += "; the same holds for 1 more object"
		case count > 1:
			results[i].Message += fmt.Sprintf("; the same holds for %d more objects", count)
		}
	}
	return results
}
