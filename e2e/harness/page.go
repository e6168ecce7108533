package harness

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// guides are pages whose sessions need a cluster; e2e/cluster runs them.
const guides = "docs/guides"

// A Page is a page of the documentation.
type Page struct {
	Name  string // its path in the repository
	lines []string
}

// A Block is a block of code in a page.
type Block struct {
	Language string // what is behind the fence: "yaml"
	Lines    []string
	First    int // the line of the page, from 0, of the first of Lines
}

// Pages returns README.md, the pages of docs/ except the guides, and those of examples/.
func Pages(t *testing.T) []Page {
	t.Helper()
	names := []string{"README.md"}
	for _, folder := range []string{"docs", "examples"} {
		err := filepath.WalkDir(filepath.Join(Root(), folder), func(path string, entry fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			name, err := filepath.Rel(Root(), path)
			if name = filepath.ToSlash(name); name == guides {
				return fs.SkipDir
			}
			if filepath.Ext(name) == ".md" {
				names = append(names, name)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	pages := make([]Page, len(names))
	for i, name := range names {
		text, err := os.ReadFile(filepath.Join(Root(), name))
		if err != nil {
			t.Fatal(err)
		}
		pages[i] = Page{Name: name, lines: strings.Split(string(text), "\n")}
	}
	return pages
}

// Blocks returns the blocks of code in the page. A fence and its lines may be indented, as in a
// list.
func (p Page) Blocks() []Block {
	var blocks []Block
	fence, indent := "", ""
	for i, line := range p.lines {
		text := strings.TrimLeft(line, " ")
		switch {
		case fence == "" && strings.HasPrefix(text, "```"):
			indent = line[:len(line)-len(text)]
			language := strings.TrimLeft(text, "`")
			fence = text[:len(text)-len(language)]
			blocks = append(blocks, Block{Language: language, First: i + 1})
		case fence != "" && strings.TrimSpace(line) == fence:
			fence = ""
		case fence != "":
			last := &blocks[len(blocks)-1]
			last.Lines = append(last.Lines, strings.TrimPrefix(line, indent))
		}
	}
	return blocks
}

// with returns the page with other lines for its blocks, which are in its order.
func (p Page) with(blocks []Block, lines [][]string) string {
	out := slices.Clone(p.lines)
	for i, b := range slices.Backward(blocks) {
		out = slices.Replace(out, b.First, b.First+len(b.Lines), lines[i]...)
	}
	return strings.Join(out, "\n")
}

// Text is the text of the page.
func (p Page) Text() string { return strings.Join(p.lines, "\n") }
