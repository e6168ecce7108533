// Package printable writes foreign text, such as names, values and paths, into output, in one form
// for each format. No such text can start a new line, control a terminal, run a command of a CI
// system that reads the output, or become markup.
package printable

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/krm-fields/krm-fields/internal/lists"
)

// Text returns the text on one line, with a space for each control character, line break and
// character that only formats, such as those that reverse the direction of writing, and U+FFFD for
// invalid UTF-8.
func Text(text string) string {
	if isPlain(text) {
		return text
	}
	return strings.Map(visible, strings.ToValidUTF8(text, "\uFFFD"))
}

// isPlain tells whether a text has only printable ASCII, as most texts have.
func isPlain(text string) bool {
	for i := range len(text) {
		if text[i] < ' ' || text[i] > '~' {
			return false
		}
	}
	return true
}

func visible(r rune) rune {
	if isInvisible(r) {
		return ' '
	}
	return r
}

// isInvisible tells whether a character only changes how others are shown. The joiners are not
// among them: scripts and emojis need them.
func isInvisible(r rune) bool {
	const nonJoiner, joiner = '\u200C', '\u200D'
	return r != nonJoiner && r != joiner && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp)
}

// Line returns a line of output for a terminal or the log of a CI system: Text, with a space in
// each command of such a system
// (https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands): `::`
// where a line begins with it, `##[` and `##vso[` anywhere.
func Line(text string) string {
	return withoutCommands(Text(text))
}

// Source returns a line of a file, without its line break, as Line does, but with its tabs.
func Source(text string) string {
	if !strings.Contains(text, "\t") {
		return Line(text)
	}
	return withoutCommands(strings.Join(lists.Map(strings.Split(text, "\t"), Text), "\t"))
}

// commands are what begins a command anywhere on a line.
var commands = []string{"##[", "##vso["}

func withoutCommands(line string) string {
	if bare := strings.TrimLeftFunc(line, unicode.IsSpace); strings.HasPrefix(bare, "::") {
		line = line[:len(line)-len(bare)] + ": " + bare[1:]
	}
	if !strings.Contains(line, "##") {
		return line
	}
	for _, command := range commands {
		line = strings.ReplaceAll(line, command, command[:len(command)-1]+" [")
	}
	return line
}

// IsLine tells whether Source leaves each line of a text unchanged.
func IsLine(text string) bool {
	for line := range strings.SplitSeq(text, "\n") {
		if Source(line) != line {
			return false
		}
	}
	return true
}

// Markdown returns the text on one line as Markdown that shows it literally: no markup, HTML or
// link, and nobody is mentioned. GitHub finds mentions, issues and addresses in the rendered text,
// so a backslash does not prevent them; a zero-width space does.
func Markdown(text string) string {
	const gap = "&#8203;"
	text = Line(text)
	var b strings.Builder
	for i, r := range text {
		switch {
		case r == '@', r == '#':
			b.WriteString(string(r) + gap)
			continue
		case strings.HasPrefix(text[i:], "://"), r == '.' && strings.EqualFold(text[max(i-3, 0):i], "www"):
			b.WriteString(gap)
		case strings.ContainsRune("\\`*_[]<>|~&$", r):
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// HTML returns the text on one line as the content of an element of HTML in Markdown. Nobody is
// mentioned, as in Markdown.
func HTML(text string) string {
	return markup.Replace(Line(text))
}

var markup = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "@", "@&#8203;", "#", "#&#8203;", "://", "&#8203;://")

// Code returns the text on one line as a code span of Markdown, which may be used in a table.
func Code(text string) string {
	text = strings.ReplaceAll(Line(text), "|", `\|`)
	ticks := strings.Repeat("`", longestTicks(text, 0)+1)
	if strings.HasPrefix(text, "`") || strings.HasSuffix(text, "`") {
		text = " " + text + " "
	}
	return ticks + text + ticks
}

// Fence returns the lines of a text as a code block of Markdown in a language.
func Fence(language, text string) string {
	var b strings.Builder
	for line := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
		b.WriteString(Source(line) + "\n")
	}
	fence := strings.Repeat("`", longestTicks(text, 2)+1)
	return fence + language + "\n" + b.String() + fence
}

// longestTicks is the length of the longest run of backticks in text, at least least.
func longestTicks(text string, least int) int {
	longest, run := least, 0
	for _, r := range text {
		if r != '`' {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return longest
}

// JSON returns equivalent JSON with escapes for invisible characters and for the beginnings of
// commands of a CI system.
func JSON(text []byte) []byte {
	return escaped(text, func(out []byte, r rune) []byte {
		for _, unit := range utf16.AppendRune(nil, r) {
			out = fmt.Appendf(out, `\u%04X`, unit)
		}
		return out
	})
}

// YAML is JSON for YAML that has such text only in double quotes.
func YAML(text []byte) []byte {
	return escaped(text, func(out []byte, r rune) []byte { return fmt.Appendf(out, `\U%08X`, r) })
}

func escaped(text []byte, escape func(out []byte, r rune) []byte) []byte {
	if isPlainJSON(text) {
		return text
	}
	out := make([]byte, 0, len(text)+64)
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRune(text[i:])
		if r != '\n' && isInvisible(r) || r == '#' && beginsCommand(text[i:]) {
			out = escape(out, r)
		} else {
			out = append(out, text[i:i+size]...)
		}
		i += size
	}
	return out
}

func isPlainJSON(text []byte) bool {
	for i, c := range text {
		if c < ' ' && c != '\n' || c > '~' || c == '#' && beginsCommand(text[i:]) {
			return false
		}
	}
	return true
}

func beginsCommand(text []byte) bool {
	return slices.ContainsFunc(commands, func(command string) bool { return bytes.HasPrefix(text, []byte(command)) })
}

// Colour is a colour of a terminal (ECMA-48, select graphic rendition).
type Colour string

// The colours that the program uses.
const (
	Bold   Colour = "\x1b[1m"
	Red    Colour = "\x1b[31m"
	Green  Colour = "\x1b[32m"
	Yellow Colour = "\x1b[33m"
	Cyan   Colour = "\x1b[36m"
)

// Of returns a text in the colour; as it is if there is none, or if colours are off.
func (c Colour) Of(text string, isOn bool) string {
	if c == "" || !isOn {
		return text
	}
	return string(c) + text + "\x1b[0m"
}
