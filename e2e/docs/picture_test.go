package docs

import (
	"fmt"
	"html"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/krm-fields/krm-fields/e2e/golden"
	"github.com/krm-fields/krm-fields/e2e/harness"
)

// The size of a character cell, and the margin, in pixels.
const (
	cellWidth  = 8.4
	cellHeight = 20
	margin     = 20
	// widest is the number of characters of a line; a longer one is cut.
	widest = 100
)

// A theme is the colours of a terminal.
type theme struct {
	name, background, text, prompt, conflict, border string
}

var themes = []theme{
	{"light", "#ffffff", "#1f2328", "#0550ae", "#b3261e", "#59636e"},
	{"dark", "#0d1117", "#e6edf3", "#79c0ff", "#ffa198", "#9198a1"},
}

// TestPicture compares the pictures of README.md with its session with plan, whose output
// TestSessions has tested.
func TestPicture(t *testing.T) {
	lines := sessionWithPlan(t)
	for _, theme := range themes {
		path := filepath.Join(harness.Root(), "docs", "images", "conflict-"+theme.name+".svg")
		golden.ExpectFile(t, path, draw(theme, lines))
	}
}

// sessionWithPlan returns the lines of the session of README.md that runs plan.
func sessionWithPlan(t *testing.T) []string {
	t.Helper()
	for _, page := range harness.Pages(t) {
		for _, b := range page.Blocks() {
			if page.Name == "README.md" && b.Language == "console" && strings.HasPrefix(b.Lines[0], "$ krm-fields plan") {
				return b.Lines
			}
		}
	}
	t.Fatal("README.md must have a session with krm-fields plan")
	return nil
}

// draw returns lines of a terminal as an SVG.
func draw(theme theme, lines []string) string {
	var b strings.Builder
	width := int(widest*cellWidth) + 2*margin
	height := len(lines)*cellHeight + 2*margin
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%[1]d" height="%[2]d" viewBox="0 0 %[1]d %[2]d" role="img">`+"\n", width, height)
	fmt.Fprintf(&b, "<title>%s</title>\n", html.EscapeString(lines[0]))
	fmt.Fprintf(&b, `<rect width="%d" height="%d" rx="8" fill="%s" stroke="%s" stroke-opacity="0.3"/>`+"\n", width, height, theme.background, theme.border)
	b.WriteString(`<g font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,monospace" font-size="14">` + "\n")
	for i, line := range lines {
		y := margin + i*cellHeight + cellHeight*3/4
		fmt.Fprintf(&b, `<text x="%d" y="%d" fill="%s">%s</text>`+"\n", margin, y, theme.colour(line), theme.spans(cut(line)))
	}
	b.WriteString("</g>\n</svg>\n")
	return b.String()
}

// colour returns the colour of a line: of a command or of its output.
func (t theme) colour(line string) string {
	if strings.HasPrefix(line, "$ ") {
		return t.prompt
	}
	return t.text
}

// spans returns a line as SVG, with the outcome "conflict" in red.
func (t theme) spans(line string) string {
	// Browsers treat spaces in an SVG differently, but all of them keep non-breaking ones.
	escaped := strings.ReplaceAll(html.EscapeString(line), " ", "\u00a0")
	return conflict.ReplaceAllString(escaped, `<tspan fill="`+t.conflict+`">$0</tspan>`)
}

// conflict is the word, and no part of "conflicting".
var conflict = regexp.MustCompile(`\bconflict\b`)

// cut returns a line that is not wider than the picture.
func cut(line string) string {
	if runes := []rune(line); len(runes) > widest {
		return string(runes[:widest-1]) + "…"
	}
	return line
}
