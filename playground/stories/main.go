// Command stories prints the examples and the recipes as the stories of the playground: a list in
// JSON, each with the manifests, the live objects and the functionConfig that the page begins with.
//
// It is run in the root of the repository.
package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/krm-fields/krm-fields/fn"
	"github.com/krm-fields/krm-fields/internal/author/hostless"
	"github.com/krm-fields/krm-fields/internal/krm/manifests"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
	"github.com/krm-fields/krm-fields/playground/engine"
)

// story is an example, or one step of it, or a recipe.
type story struct {
	// Group is the heading in the list of stories.
	Group string `json:"group"`
	Name  string `json:"name"`
	Title string `json:"title"`
	// About is what the page says of it.
	About     string `json:"about"`
	Manifests string `json:"manifests"`
	Live      string `json:"live"`
	Config    string `json:"config"`
}

func main() {
	if err := write(); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func write() error {
	folders, err := filepath.Glob("examples/*/README.md")
	if err != nil {
		return err
	}
	var all []story
	for _, readme := range folders {
		stories, err := storiesOf(filepath.Dir(readme))
		if err != nil {
			return fmt.Errorf("%s: %w", readme, err)
		}
		all = append(all, stories...)
	}
	if len(all) == 0 {
		return errors.New("there must be examples, found none; run it in the root of the repository")
	}
	// The first one is what a person sees who opens the page.
	slices.SortStableFunc(all, func(a, b story) int { return cmp.Compare(rank(a), rank(b)) })
	recipes, err := readRecipes("docs/recipes.md")
	if err != nil {
		return err
	}
	all = append(all, recipes...)
	encoder := json.NewEncoder(os.Stdout)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(all)
}

func rank(s story) int {
	if s.Name == "first-rule" {
		return 0
	}
	return 1
}

// storiesOf returns the stories of an example: one for each functionConfig, on what the one before
// makes of the manifests. One about a command that needs no functionConfig has none.
func storiesOf(folder string) ([]story, error) {
	title, about, err := headOf(filepath.Join(folder, "README.md"))
	if err != nil {
		return nil, err
	}
	s := story{Group: "Examples", Name: filepath.Base(folder), Title: title, About: about}
	if s.Live, err = textOf(filepath.Join(folder, "live", "update.yaml")); err != nil {
		return nil, err
	}
	configs, err := s.readPackage(packageOf(folder))
	if err != nil {
		return nil, err
	}
	stories := make([]story, len(configs))
	for i, path := range configs {
		if s.Config, err = textOf(path); err != nil {
			return nil, err
		}
		stories[i] = s
		if i+1 == len(configs) {
			break
		}
		if s.Manifests, err = outputOf(s); err != nil {
			return nil, err
		}
	}
	if len(configs) > 1 {
		for i, path := range configs {
			step := strings.TrimSuffix(filepath.Base(path), ".yaml")
			stories[i].Name, stories[i].Title = s.Name+"-"+step, fmt.Sprintf("%s (%d: %s)", title, i+1, step)
		}
	}
	return stories, nil
}

// packageOf is the folder of an example that has the package.
func packageOf(folder string) string {
	if info, err := os.Stat(filepath.Join(folder, "package")); err == nil && info.IsDir() {
		return filepath.Join(folder, "package")
	}
	return folder
}

// readPackage joins the manifests of a package, and returns the files that are functionConfigs.
func (s *story) readPackage(folder string) (configs []string, err error) {
	paths, err := filepath.Glob(filepath.Join(folder, "*.yaml"))
	if err != nil {
		return nil, err
	}
	var documents []string
	for _, path := range paths {
		text, err := textOf(path)
		if err != nil {
			return nil, err
		}
		file, err := manifests.Parse(path, []byte(text), nil)
		if err != nil {
			return nil, err
		}
		objects := manifests.Objects([]*manifests.File{file})
		switch {
		case len(objects) == 0:
		case tree.GetString(objects[0].Root(), "apiVersion") == fn.APIVersion:
			configs = append(configs, path)
		case !hostless.IsLocal(objects[0]):
			documents = append(documents, text)
		}
	}
	if len(documents) == 0 {
		return nil, errors.New("an example must have manifests, found none")
	}
	s.Manifests = strings.Join(documents, "---\n")
	return configs, nil
}

// outputOf runs a story.
func outputOf(s story) (string, error) {
	request, err := json.Marshal(map[string]string{"op": "run", "manifests": s.Manifests, "config": s.Config})
	if err != nil {
		return "", err
	}
	var answer struct {
		Output string
		Failed bool
	}
	if err := json.Unmarshal(engine.Answer(request), &answer); err != nil {
		return "", err
	}
	if answer.Failed {
		return "", fmt.Errorf("the run of %s fails", s.Name)
	}
	return answer.Output, nil
}

var (
	markdown = regexp.MustCompile(`\[([^]]*)\]\([^)]*\)|` + "`([^`]*)`")
	sentence = regexp.MustCompile(`[^.]+(?:\.\S[^.]*)*\.`)
)

// headOf is the heading of a page, and the first two sentences below it.
func headOf(path string) (title, about string, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return "", "", err
	}
	return headIn(path, string(text))
}

func headIn(path, text string) (title, about string, err error) {
	heading, rest, _ := strings.Cut(text, "\n\n")
	paragraph, _, _ := strings.Cut(rest, "\n\n")
	plain := markdown.ReplaceAllString(strings.ReplaceAll(paragraph, "\n", " "), "$1$2")
	sentences := sentence.FindAllString(plain, 2)
	if len(sentences) == 0 {
		return "", "", fmt.Errorf("%s must begin with a sentence, begins with %q", path, plain)
	}
	return strings.TrimLeft(heading, "# "), strings.Join(sentences, ""), nil
}

// textOf is the text of a file; "" for one that is not there.
func textOf(path string) (string, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return string(text), err
}
