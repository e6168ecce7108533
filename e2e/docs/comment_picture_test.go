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

// TestCommentPictures compares the pictures of docs/start/pull-requests.md with its sessions, whose
// output TestSessions has tested. Each session has a picture, named in the page before it.
func TestCommentPictures(t *testing.T) {
	pictures := regexp.MustCompile(`src="(\S+)-light\.svg"`)
	for _, page := range harness.Pages(t) {
		if page.Name != "docs/start/pull-requests.md" {
			continue
		}
		names := pictures.FindAllStringSubmatch(page.Text(), -1)
		sessions := page.Blocks()
		if len(names) != 3 || len(sessions) != len(names) {
			t.Fatalf("there must be three pictures, each with its session, found %d and %d", len(names), len(sessions))
		}
		for i, session := range sessions {
			for _, theme := range themes {
				path := filepath.Join(harness.Root(), "docs", "start", names[i][1]+"-"+theme.name+".svg")
				golden.ExpectFile(t, path, drawComment(theme, session.Lines[1:]))
			}
		}
		return
	}
	t.Fatal("there must be a page docs/start/pull-requests.md")
}

const (
	pictureWidth = 880
	// commentColumns is how many characters of text a line has.
	commentColumns = 118
	lineHeight     = 21
)

// comment draws the Markdown of a comment: what plan writes, and no more.
type comment struct {
	theme
	strings.Builder
	y int
}

// drawComment returns the Markdown of a comment as an SVG. Code is folded.
func drawComment(theme theme, lines []string) string {
	c := &comment{theme: theme, y: 20}
	isInCode, isInTable := false, false
	for _, line := range lines {
		switch {
		case strings.HasPrefix(line, "```"):
			isInCode = !isInCode
		case isInCode, line == "", line == "</details>", strings.HasPrefix(line, "| ---"):
		case strings.HasPrefix(line, "|"):
			c.row(strings.Split(strings.Trim(line, "|"), "|"), !isInTable)
			isInTable = true
		case strings.HasPrefix(line, "### "):
			c.text(line[4:], 20, 18, "700")
			c.y += 8
		case strings.HasPrefix(line, "<details>"):
			summary := strings.TrimSuffix(strings.TrimPrefix(line, "<details><summary>"), "</summary>")
			sign := "▾ "
			if !strings.Contains(summary, "<b>") { // what is behind it is code
				sign = "▸ "
			}
			c.y += 8
			c.text(sign+summary, 20, 14, "400")
		case strings.HasPrefix(line, "- "):
			c.text("• "+line[2:], 40, 13, "400")
		default:
			c.y += 8
			c.text(line, 20, 14, "400")
		}
	}
	height := c.y + 20
	var out strings.Builder
	fmt.Fprintf(&out, `<svg xmlns="http://www.w3.org/2000/svg" width="%[1]d" height="%[2]d" viewBox="0 0 %[1]d %[2]d" role="img">`+"\n", pictureWidth, height)
	fmt.Fprintf(&out, "<title>%s</title>\n", html.EscapeString(strings.TrimPrefix(lines[0], "### ")))
	fmt.Fprintf(&out, `<rect width="%d" height="%d" rx="8" fill="%s" stroke="%s" stroke-opacity="0.3"/>`+"\n", pictureWidth, height, theme.background, theme.border)
	fmt.Fprintf(&out, `<g font-family="-apple-system,Segoe UI,Noto Sans,Helvetica,Arial,sans-serif" fill="%s">`+"\n", theme.text)
	return out.String() + c.String() + "</g>\n</svg>\n"
}

// row draws a row of the table of clusters.
func (c *comment) row(cells []string, isHead bool) {
	for i, cell := range cells {
		weight := "400"
		if isHead || strings.HasPrefix(cell, " **") {
			weight = "700"
		}
		c.line(strings.Trim(cell, " *"), 20+i*280, 14, weight)
	}
	c.y += lineHeight
	fmt.Fprintf(c, `<path d="M20 %d H%d" stroke="%s" stroke-opacity="0.3"/>`+"\n", c.y+3, pictureWidth-20, c.border)
	c.y += 6
}

var (
	bold    = regexp.MustCompile(`&lt;b&gt;(.*?)&lt;/b&gt;`)
	escaped = regexp.MustCompile(`\\([^\w\s])`)
)

// text draws a text in lines that are not too long.
func (c *comment) text(text string, x, size int, weight string) {
	columns := (commentColumns - x/8) * 14 / size
	for _, part := range wrap(strings.ReplaceAll(html.UnescapeString(text), "\u200b", ""), columns) {
		c.line(part, x, size, weight)
		c.y += lineHeight
		x = min(x+(x-20)/2, 50) // lines that go on stand further in
	}
}

// line draws a text at a height, with what is bold and the outcome "conflict" in red.
func (c *comment) line(text string, x, size int, weight string) {
	text = escaped.ReplaceAllString(html.EscapeString(text), "$1")
	text = bold.ReplaceAllString(text, `<tspan font-weight="700">$1</tspan>`)
	text = outcome.ReplaceAllString(text, `<tspan fill="`+c.conflict+`">$0</tspan>`)
	fmt.Fprintf(c, `<text x="%d" y="%d" font-size="%d" font-weight="%s">%s</text>`+"\n", x, c.y+size, size, weight, text)
}

// outcome is a word for what fails.
var outcome = regexp.MustCompile(`\b(conflict|refused|does not apply)\b`)

// wrap returns the words of a text in lines of some characters.
func wrap(text string, columns int) (lines []string) {
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && len([]rune(line))+1+len([]rune(word)) > columns {
			lines, line = append(lines, line), ""
		}
		line = strings.TrimPrefix(line+" "+word, " ")
	}
	return append(lines, line)
}
