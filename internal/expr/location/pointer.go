package location

import (
	"math"
	"strconv"
	"strings"
)

// Pointer returns the location as an RFC 6901 JSON Pointer.
func (l Location) Pointer() string {
	var b strings.Builder
	for _, step := range l {
		b.WriteByte('/')
		if step.IsIndex {
			b.WriteString(strconv.Itoa(step.Index))
			continue
		}
		b.WriteString(EscapePointer(step.Key))
	}
	return b.String()
}

// EscapePointer escapes one segment of a JSON Pointer.
func EscapePointer(segment string) string {
	return strings.ReplaceAll(strings.ReplaceAll(segment, "~", "~0"), "/", "~1")
}

// UnescapePointer is the reverse of EscapePointer.
func UnescapePointer(segment string) string {
	return strings.ReplaceAll(strings.ReplaceAll(segment, "~1", "/"), "~0", "~")
}

// PointerOf returns the JSON Pointer with these segments.
func PointerOf(segments ...string) string { return Keys(segments).Pointer() }

// PointerSegments returns the unescaped segments of a JSON Pointer that is not empty.
func PointerSegments(pointer string) []string {
	segments := strings.Split(pointer, "/")[1:]
	for i, segment := range segments {
		segments[i] = UnescapePointer(segment)
	}
	return segments
}

// BadEscape returns where a `~` is that neither 0 nor 1 follows, or -1.
func BadEscape(pointer string) int {
	bare := strings.NewReplacer("~0", "  ", "~1", "  ").Replace(pointer)
	return strings.IndexByte(bare, '~')
}

// ListIndex returns the index that a segment is in a list (RFC 6901, section 4: digits without a
// leading zero); false if it is none. An index beyond what an int holds is the largest int.
func ListIndex(segment string) (int, bool) {
	if !IsDigits(segment) || segment[0] == '0' && segment != "0" {
		return 0, false
	}
	i, err := strconv.Atoi(segment)
	if err != nil {
		return math.MaxInt, true
	}
	return i, true
}

// IsDigits tells whether a text is one or more digits of ASCII.
func IsDigits(text string) bool {
	return text != "" && strings.Trim(text, "0123456789") == ""
}
