package plan

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/krm-fields/krm-fields/internal/author/explain"
	"github.com/krm-fields/krm-fields/internal/printable"
	"github.com/krm-fields/krm-fields/internal/words"
)

// maxComment is how many characters the comment on a pull request has at most, and maxEntry how
// many of them an object has; what stands around the objects has room beside them.
const (
	maxComment = 60_000
	maxEntry   = 8_000
	maxAround  = 8_000
)

// WriteMarkdown writes the changes as a comment on a pull request.
func (c *Changes) WriteMarkdown(out io.Writer) error {
	var w bytes.Buffer
	fmt.Fprintf(&w, "### %s\n\n| clusters | | objects |\n| --- | --- | --- |\n", printable.Markdown(words.Shorten(c.Verdict(), maxAround/4)))
	groups := c.byOutcomes()
	for i, group := range groups {
		if w.Len() > maxAround {
			fmt.Fprintf(&w, "| %s | | |\n", words.Count(len(groups)-i, "more line"))
			break
		}
		applies := "applies"
		if !group.applies {
			applies = "**does not apply**"
		}
		clusters := words.Shorten(names(group.clusters), maxAround/8)
		fmt.Fprintf(&w, "| %s | %s | %s |\n", printable.Markdown(clusters), applies, printable.Markdown(group.text))
	}
	after, err := c.markdownAfter()
	if err != nil {
		return err
	}
	length := utf8.RuneCount(w.Bytes()) + utf8.RuneCountInString(after) + len("\n9999999 more objects not shown: ") + maxAround/8
	left := map[string]int{}
	for _, o := range c.Objects {
		entry := c.entry(o)
		size := utf8.RuneCountInString(entry)
		if len(left) > 0 || length+size > maxComment {
			left[o.Outcome]++
			continue
		}
		length += size
		w.WriteString(entry)
	}
	if len(left) > 0 {
		fmt.Fprintf(&w, "\nNot shown: %s.\n", counted(left))
	}
	w.WriteString(after)
	_, err = out.Write(w.Bytes())
	return err
}

// entry is an object, folded. The lines that are too many are counted.
func (c *Changes) entry(o *ChangedObject) string {
	var w strings.Builder
	name := "<b>" + printable.HTML(words.Shorten(o.Ref.String(), maxEntry/8)) + "</b>: " + printable.HTML(o.heading()+c.on(o.Clusters))
	fmt.Fprintf(&w, "\n<details><summary>%s</summary>\n\n", name)
	lines := o.details()
	for i, text := range lines {
		if w.Len() > maxEntry {
			fmt.Fprintf(&w, "- %s not shown\n", words.Count(len(lines)-i, "more line"))
			break
		}
		fmt.Fprintf(&w, "- %s\n", printable.Markdown(words.Shorten(text, maxEntry/8)))
	}
	w.WriteString("\n</details>\n")
	return w.String()
}

// markdownAfter is what comes behind the objects.
func (c *Changes) markdownAfter() (string, error) {
	var w strings.Builder
	for i, r := range c.Results {
		if w.Len() > maxAround/2 {
			fmt.Fprintf(&w, "\n%s not shown.\n", words.Count(len(c.Results)-i, "more message"))
			break
		}
		fmt.Fprintf(&w, "\n%s\n", printable.Markdown(words.Shorten(r.Line()+c.on(r.Clusters), maxAround/8)))
	}
	if rules := c.resolving(); rules != nil {
		var text strings.Builder
		if err := explain.WriteNode(&text, rules); err != nil {
			return "", err
		}
		what := (&Plan{hasRules: c.hasRules}).resolvingText()
		if text.Len() < maxAround {
			fmt.Fprintf(&w, "\n<details><summary>%s</summary>\n\n%s\n\n</details>\n", what, printable.Fence("yaml", text.String()))
		}
	}
	if text := c.withoutChange(); text != "" {
		fmt.Fprintf(&w, "\n%s\n", printable.Markdown(words.Shorten(text, maxAround/4)))
	}
	fmt.Fprintf(&w, "\n%s\n", notModelledText)
	return w.String(), nil
}
