package docs

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/krm-fields/krm-fields/e2e/harness"
	"github.com/krm-fields/krm-fields/internal/author/explain"
)

var (
	link    = regexp.MustCompile(`(?:\]\(|srcset="|src="|href=")([^)"\s]+)`)
	heading = regexp.MustCompile(`^#+ +(.*)`)
	// dropped matches what GitHub leaves out of a heading in its anchor.
	dropped = regexp.MustCompile(`[^\p{L}\p{N}_\- ]`)
)

// TestLinks follows each link between pages, sections included.
func TestLinks(t *testing.T) {
	pages := markdown(t)
	for _, page := range pages {
		for _, target := range linksOf(t, page) {
			checkLink(t, page, target)
		}
	}
	for _, reason := range explain.Reasons() {
		checkLink(t, "README.md", reason.Page)
	}
}

// TestPagesAreNear follows two links from README.md. Nobody reads a page that none of them reaches.
// Those in .github have links of GitHub, those of e2e are for tests.
func TestPagesAreNear(t *testing.T) {
	near := map[string]bool{"README.md": true}
	for range 2 {
		for page := range maps.Clone(near) {
			for _, target := range linksOf(t, page) {
				path, _, _ := strings.Cut(target, "#")
				file := filepath.Join(filepath.Dir(page), path)
				if info, err := os.Stat(filepath.Join(harness.Root(), file)); err == nil && info.IsDir() {
					file = filepath.Join(file, "README.md")
				}
				if filepath.Ext(file) == ".md" {
					near[file] = true
				}
			}
		}
	}
	for _, page := range markdown(t) {
		if isForReaders := !strings.HasPrefix(page, ".github/") && !strings.HasPrefix(page, "e2e/"); isForReaders && !near[page] {
			t.Errorf("%s must be reached from README.md by two links", page)
		}
	}
}

func checkLink(t *testing.T, page, target string) {
	t.Helper()
	if strings.Contains(target, "://") {
		return
	}
	path, anchor, _ := strings.Cut(target, "#")
	file := page
	if path != "" {
		file = filepath.Join(filepath.Dir(page), path)
	}
	if _, err := os.Stat(filepath.Join(harness.Root(), file)); err != nil {
		t.Errorf("%s: the link %q must lead to a file of the repository", page, target)
		return
	}
	if anchor != "" && filepath.Ext(file) == ".md" && !slices.Contains(anchorsOf(t, file), anchor) {
		t.Errorf("%s: the link %q must lead to a heading of %s", page, target, file)
	}
}

// markdown returns the names of all pages in the repository.
func markdown(t *testing.T) []string {
	t.Helper()
	var names []string
	err := filepath.WalkDir(harness.Root(), func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && slices.Contains([]string{".git", "bin", "dist"}, entry.Name()) {
			return fs.SkipDir
		}
		if filepath.Ext(path) == ".md" {
			name, _ := filepath.Rel(harness.Root(), path)
			names = append(names, name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// prose returns the lines of a page outside its blocks of code.
func prose(t *testing.T, page string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(harness.Root(), page))
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	inBlock := false
	for line := range strings.SplitSeq(string(text), "\n") {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			inBlock = !inBlock
		} else if !inBlock {
			lines = append(lines, line)
		}
	}
	return lines
}

func linksOf(t *testing.T, page string) []string {
	var targets []string
	for _, found := range link.FindAllStringSubmatch(strings.Join(prose(t, page), "\n"), -1) {
		targets = append(targets, found[1])
	}
	return targets
}

// anchorsOf returns the anchors that GitHub gives the headings of a page.
func anchorsOf(t *testing.T, page string) []string {
	var anchors []string
	for _, line := range prose(t, page) {
		if found := heading.FindStringSubmatch(line); found != nil {
			text := strings.ToLower(dropped.ReplaceAllString(found[1], ""))
			anchors = append(anchors, strings.ReplaceAll(text, " ", "-"))
		}
	}
	return anchors
}
