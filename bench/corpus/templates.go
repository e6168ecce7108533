package corpus

import (
	"embed"
	"io/fs"
	"regexp"
	"strings"
	"text/template"
)

// objects has a folder for each kind, with a manifest in each file. Repetitions are text/template's
// with << and >>, since manifests have {{.
//
//go:embed objects
var objects embed.FS

var (
	apiVersionOf = regexp.MustCompile(`(?m)^ *"?apiVersion"?: "?([^",\n]+)`)
	kindOf       = regexp.MustCompile(`(?m)^(?:  )??"?kind"?: "?([^",\n]+)`)
	namespaceOf  = regexp.MustCompile(`(?m)^(?:  )?  "?namespace"?:`)
	nameOf       = regexp.MustCompile(`(?m)^(?:  )?  "?name"?: "?([^",#\n]*[^",# \n])`)
)

// load reads the manifests of a kind.
func load(folder string, perFile int) Kind {
	kind := Kind{perFile: perFile}
	parsed := template.Must(template.New("").Delims("<<", ">>").Funcs(functions).ParseFS(objects, "objects/"+folder+"/*"))
	files, err := fs.ReadDir(objects, "objects/"+folder)
	if err != nil {
		panic(err) // the folders are in this package
	}
	for _, file := range files {
		var text strings.Builder
		if err := parsed.ExecuteTemplate(&text, file.Name(), nil); err != nil {
			panic(err)
		}
		first := func(pattern *regexp.Regexp) string { return pattern.FindStringSubmatch(text.String())[1] }
		kind.objects = append(kind.objects, manifest{first(apiVersionOf), first(kindOf), first(nameOf), text.String()})
	}
	return kind
}

var functions = template.FuncMap{
	"words":   strings.Fields,
	"mod":     func(n, factor, modulus int) int { return n * factor % modulus },
	"half":    func(n, factor int) int { return n / 2 * factor },
	"letters": letters,
}

// letters returns a text of letters that looks random.
func letters(seed, length int) string {
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	text := make([]byte, length)
	state := uint32(seed)*2654435761 + 1
	for i := range text {
		state = state*1664525 + 1013904223
		text[i] = alphabet[state>>16%uint32(len(alphabet))]
	}
	return string(text)
}
