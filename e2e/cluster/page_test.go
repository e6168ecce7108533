package cluster

import (
	"os"
	"regexp"
	"strings"
)

// A page is a page of documentation with sessions in it: blocks of ```console, with commands after
// "$ ", each followed by its output. A command continues on the next line after "\". In the output,
// "…" matches any text within a line.
type page struct {
	lines []string
	steps []step
}

// A step is one command of a page.
type step struct {
	command string
	first   int // line of the command, from 0
	output  int // first line of the output
	end     int // the line behind it
}

func readPage(path string) (*page, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return parsePage(string(text)), nil
}

func parsePage(text string) *page {
	p := &page{lines: strings.Split(text, "\n")}
	inside := false
	for i := 0; i < len(p.lines); i++ {
		line := p.lines[i]
		command, isCommand := strings.CutPrefix(line, "$ ")
		switch {
		case !inside:
			inside = line == "```console"
		case line == "```":
			inside = false
		case isCommand:
			s := step{command: command, first: i}
			for strings.HasSuffix(s.command, "\\") && i+1 < len(p.lines) {
				i++
				s.command += "\n" + p.lines[i]
			}
			s.output, s.end = i+1, i+1
			p.steps = append(p.steps, s)
		case len(p.steps) > 0:
			p.steps[len(p.steps)-1].end = i + 1
		}
	}
	return p
}

// want is the output of a step in the page.
func (p *page) want(s step) string {
	return strings.Join(p.lines[s.output:s.end], "\n")
}

// prints tells whether the page shows this output for a step.
func (p *page) prints(s step, output string) bool {
	parts := strings.Split(p.want(s), "…")
	for i, part := range parts {
		parts[i] = regexp.QuoteMeta(part)
	}
	return regexp.MustCompile("^" + strings.Join(parts, "[^\n]*") + "$").MatchString(output)
}

// with returns the text of the page with these outputs of its steps.
func (p *page) with(outputs []string) string {
	var lines []string
	done := 0
	for i, s := range p.steps {
		lines = append(lines, p.lines[done:s.output]...)
		done = s.end
		switch {
		case p.prints(s, outputs[i]):
			lines = append(lines, p.lines[s.output:s.end]...)
		case outputs[i] != "":
			lines = append(lines, strings.Split(outputs[i], "\n")...)
		}
	}
	return strings.Join(append(lines, p.lines[done:]...), "\n")
}
