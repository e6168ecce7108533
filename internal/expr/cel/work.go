package cel

import (
	"math/bits"
	"strings"
	"unicode/utf8"

	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"
)

// works has the functions whose cost grows with their arguments, with their cost, which is computed
// before the call: at least the values that it visits and the memory that it takes. Arguments may
// be of any type.
var works = map[string]func(args []ref.Val) uint64{
	operators.Equals:        compareWork,
	operators.NotEquals:     compareWork,
	operators.Less:          scanWork,
	operators.LessEquals:    scanWork,
	operators.Greater:       scanWork,
	operators.GreaterEquals: scanWork,
	operators.Add:           addWork,
	operators.In:            searchWork,
	operators.OldIn:         searchWork,
	"in":                    searchWork,

	"size":       scanWork,
	"contains":   scanWork,
	"startsWith": scanWork,
	"endsWith":   scanWork,
	"bool":       scanWork,
	"bytes":      scanWork,
	"double":     scanWork,
	"duration":   scanWork,
	"int":        scanWork,
	"string":     scanWork,
	"timestamp":  scanWork,
	"uint":       scanWork,

	"base64.encode": scanWork,
	"base64.decode": scanWork,

	"charAt":        runesWork,
	"lowerAscii":    runesWork,
	"upperAscii":    runesWork,
	"trim":          runesWork,
	"substring":     runesWork,
	"strings.quote": runesWork,
	"indexOf":       indexWork,
	"lastIndexOf":   indexWork,
	"replace":       replaceWork,
	"split":         splitWork,
	"join":          joinWork,
	"format":        formatWork,

	"lists.range":           rangeWork,
	"slice":                 sliceWork,
	"reverse":               reverseWork,
	"flatten":               flattenWork,
	"distinct":              distinctWork,
	"sort":                  sortWork,
	"@sortByAssociatedKeys": sortWork,
	"optional.unwrap":       elementsWork,
	"unwrapOpt":             elementsWork,
	"math.@max":             elementsWork,
	"math.@min":             elementsWork,

	"cel.@mapInsert": insertWork,

	"sets.contains":   pairsWork,
	"sets.intersects": pairsWork,
	"sets.equivalent": pairsWork,
}

// scanWork is that of functions that read strings once.
func scanWork(args []ref.Val) uint64 {
	sum := uint64(0)
	for _, arg := range args {
		sum += bytesOf(arg)
	}
	return sum / unitBytes
}

// runesWork is that of functions that turn a string into a list of characters, of four bytes each.
func runesWork(args []ref.Val) uint64 {
	return 4 * scanWork(args)
}

// compareWork is that of values compared deeply.
func compareWork(args []ref.Val) uint64 {
	if !isDeep(args[0]) || !isDeep(args[1]) {
		return scanWork(args)
	}
	return plus(weightOf(args[0]), weightOf(args[1]))
}

// isDeep tells whether there may be values in v.
func isDeep(v ref.Val) bool {
	switch v.(type) {
	case traits.Lister, traits.Mapper, *types.Optional:
		return true
	}
	return false
}

// searchWork is that of a value compared with each element of a list, or looked up in a map.
func searchWork(args []ref.Val) uint64 {
	if _, isList := args[1].(traits.Lister); isList {
		return plus(weightOf(args[1]), scanWork(args))
	}
	return scanWork(args)
}

// addWork is that of strings put together, and of lists that later functions walk as one.
func addWork(args []ref.Val) uint64 {
	return scanWork(args) + sizeOf(args[1])
}

func indexWork(args []ref.Val) uint64 {
	return plus(runesWork(args), times(bytesOf(args[0]), bytesOf(args[1]))/unitBytes)
}

func replaceWork(args []ref.Val) uint64 {
	text, old, replacement := stringOf(args[0]), stringOf(args[1]), bytesOf(args[2])
	count := uint64(strings.Count(text, old))
	if len(args) > 3 {
		if most, ok := args[3].(types.Int); ok && most >= 0 {
			count = min(count, uint64(most))
		}
	}
	return plus(scanWork(args[:2]), times(count, replacement)/unitBytes)
}

func splitWork(args []ref.Val) uint64 {
	text, separator := stringOf(args[0]), stringOf(args[1])
	pieces := uint64(utf8.RuneCountInString(text))
	if separator != "" {
		pieces = uint64(strings.Count(text, separator))
	}
	return plus(scanWork(args), pieces+1)
}

func joinWork(args []ref.Val) uint64 {
	work := weightOf(args[0])
	if len(args) > 1 {
		work = plus(work, times(sizeOf(args[0]), bytesOf(args[1]))/unitBytes)
	}
	return work
}

// formatWork allows for the escapes of quoted strings, and for the digits that a clause can ask
// for.
func formatWork(args []ref.Val) uint64 {
	const escapes, digits = 8, 2 * maxPrecision
	return plus(scanWork(args[:1]), times(escapes, weightOf(args[1])), times(digits, sizeOf(args[1])))
}

func rangeWork(args []ref.Val) uint64 {
	return intOf(args[0])
}

func sliceWork(args []ref.Val) uint64 {
	end := min(intOf(args[2]), sizeOf(args[0]))
	return end - min(end, intOf(args[1]))
}

func reverseWork(args []ref.Val) uint64 {
	return runesWork(args) + sizeOf(args[0])
}

// flattenWork allows for the copy that is made at each level.
func flattenWork(args []ref.Val) uint64 {
	levels := uint64(1)
	if len(args) > 1 {
		levels = min(intOf(args[1]), maxValueDepth)
	}
	return times(weightOf(args[0]), levels+1)
}

// distinctWork is that of each element compared with all others.
func distinctWork(args []ref.Val) uint64 {
	return times(weightOf(args[0]), sizeOf(args[0]))
}

// sortWork is that of a list, or of a list of keys, which is the last argument.
func sortWork(args []ref.Val) uint64 {
	keys := args[len(args)-1]
	comparisons := uint64(bits.Len64(sizeOf(keys)))
	return plus(sizeOf(args[0]), times(weightOf(keys), comparisons))
}

// insertWork is that of a new entry, or of those of a map, in the map of a comprehension.
func insertWork(args []ref.Val) uint64 {
	const entry = 10
	return entry * max(sizeOf(args[1]), 1)
}

func elementsWork(args []ref.Val) uint64 {
	return sizeOf(args[0])
}

// pairsWork is that of each element of a list compared with all of another.
func pairsWork(args []ref.Val) uint64 {
	pairs := min(times(weightOf(args[0]), sizeOf(args[1])), times(weightOf(args[1]), sizeOf(args[0])))
	return times(2, pairs)
}

func stringOf(v ref.Val) string {
	s, _ := v.(types.String)
	return string(s)
}
