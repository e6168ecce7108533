package main

import (
	"fmt"
	"os"
	"regexp"
	"strings"
)

// documents are the here-documents of a session, each with the command that takes it.
var documents = regexp.MustCompile(`(?ms)^\$ ([^\n]*) <<'EOF'\n(.*?)^EOF$`)

// readRecipes reads the sections of a page that have a rule and manifests in here-documents.
func readRecipes(path string) ([]story, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var recipes []story
	for _, section := range strings.Split(string(text), "\n## ")[1:] {
		s := story{Group: "Recipes"}
		for _, found := range documents.FindAllStringSubmatch(section, -1) {
			switch command, document := found[1], found[2]; {
			case command == "cat > rules.yaml":
				s.Config = document
			case command == "cat > live.yaml":
				s.Live = document
			default:
				s.Manifests = document
			}
		}
		if s.Config == "" {
			continue
		}
		if s.Title, s.About, err = headIn(path, section); err != nil {
			return nil, err
		}
		s.Name = nameOf(s.Title)
		recipes = append(recipes, s)
	}
	if len(recipes) == 0 {
		return nil, fmt.Errorf("%s must have sections with rules", path)
	}
	return recipes, nil
}

// nameOf is the anchor of a heading.
func nameOf(title string) string {
	return strings.ReplaceAll(strings.ToLower(strings.ReplaceAll(title, "'", "")), " ", "-")
}
