package explain

import (
	"fmt"
	"io"
	"strings"

	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/printable"
	"github.com/krm-fields/krm-fields/internal/words"
)

// gitHubCommands are the workflow commands for the severities.
var gitHubCommands = map[string]string{
	report.SeverityError:   "error",
	report.SeverityWarning: "warning",
	report.SeverityInfo:    "notice",
}

// What a workflow command may not hold as it is
// (https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands).
var (
	gitHubData     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	gitHubProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

var github = Writer{Name: "github", Doc: "annotations of GitHub Actions", HasPlaces: true, Write: withPlaces(writeGitHub)}

// writeGitHub writes workflow commands, which GitHub shows in the changed files of a pull request.
func writeGitHub(out io.Writer, findings []Finding) error {
	for _, f := range findings {
		var properties []string
		add := func(name, value string) {
			properties = append(properties, name+"="+gitHubProperty.Replace(printable.Text(value)))
		}
		if f.File != "" {
			add("file", f.File)
		}
		if f.File != "" && f.Line > 0 {
			add("line", fmt.Sprint(f.Line))
		}
		if reason := f.Tags["reason"]; reason != "" {
			add("title", reason)
		}
		text := strings.Join(append([]string{f.text()}, f.DetailLines()...), "\n")
		command := strings.TrimSpace(gitHubCommands[f.Severity] + " " + strings.Join(properties, ","))
		_, err := fmt.Fprintf(out, "::%s::%s\n", command, gitHubData.Replace(text))
		if err != nil {
			return err
		}
	}
	return nil
}

// text is the message, with the object where it does not name it.
func (f Finding) text() string {
	if ref := f.Ref.String(); !words.Names(f.Message, ref) {
		return printable.Text(f.Message + " (" + ref + ")")
	}
	return printable.Text(f.Message)
}
