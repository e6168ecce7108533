package object

import "strings"

// Removing an entry also removes the comment on its line, comment lines directly above it at its
// indentation, and comment lines inside it. Above the first element of a list, the indentation does
// not matter.
//
// Comment lines behind a member of a map go if they are indented deeper than its key. Behind an
// element of a list they stay, since they are as often about the next one. A map or list that gets
// empty keeps its other comments. For flow collections see removeRun.

// head returns the offset of the first line of the comment right above the line of an entry, or
// that line's if there is none.
func (s *splicer) head(e blockEntry) int {
	line := s.lineStart(e.start)
	if e.behind > 0 && strings.IndexByte(s.text[e.behind:e.start], '#') < 0 {
		return line // as most have none
	}
	isFirstElement := e.key == nil && e.behind == 0
	for column := e.start - line; line > 0; {
		above := s.lineStart(line - 1)
		text := s.text[above:line]
		if above >= line || !isComment(text) || !isFirstElement && strings.IndexByte(text, '#') != column {
			break
		}
		line = above
	}
	return line
}

// end returns the offset behind the lines of an entry, and behind the comments that go with it.
func (s *splicer) end(e blockEntry) int {
	end := e.value.End()
	if !isBlockScalar(lastOf(e.value)) {
		end = s.nextLine(end)
	} else if s.keepsBreaks(lastOf(e.value)) {
		return end
	}
	if e.key == nil {
		return end
	}
	return s.behindDeeper(end, s.depth(e))
}

// behindDeeper returns the offset behind the comment lines from the offset of a line on that are
// deeper than a column, and behind the blank lines between.
func (s *splicer) behindDeeper(end, column int) int {
	for {
		at := s.behindBlanks(end)
		line := s.text[at:s.nextLine(at)]
		if !isComment(line) || strings.IndexByte(line, '#') <= column {
			return end
		}
		end = at + len(line)
	}
}

// behindBlanks returns the offset behind the blank lines from the offset of a line on.
func (s *splicer) behindBlanks(at int) int {
	for at < len(s.text) && isBlank(s.text[at:s.lineEnd(at)]) {
		at = s.nextLine(at)
	}
	return at
}

func isComment(line string) bool { return strings.HasPrefix(strings.TrimLeft(line, " \t"), "#") }

// commentBehind returns the comment on the line of an entry: behind its key or dash, or behind a
// value that ends on the line.
func (s *splicer) commentBehind(e blockEntry) string {
	at := e.start + 1
	if e.key != nil {
		at = s.behindColon(e)
	}
	rest := s.rest(at)
	switch {
	case isBlockScalar(e.value):
		rest = rest[max(strings.Index(rest, " #")+1, 0):]
	case !isBlockCollection(e.value) && s.onOneLine(e.start, e.value.End()):
		rest = s.rest(e.value.End())
	}
	if rest == "" || rest[0] != '#' {
		return ""
	}
	return strings.TrimRight(rest, " \t")
}

// staysBetween tells whether a comment is left in front of an entry, behind others that go.
func (s *splicer) staysBetween(going []blockEntry, e blockEntry) bool {
	for i, gone := range going {
		next := s.lineStart(e.start)
		if i+1 < len(going) {
			next = s.head(going[i+1])
		}
		if end := s.end(gone); end < next && !isBlank(s.text[end:next]) {
			return true
		}
	}
	return false
}
