package explain

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"

	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/printable"
)

var junit = Writer{Name: "junit", Extension: ".xml", Doc: "test cases, of which errors fail", HasPlaces: true, Write: withPlaces(writeJUnit)}

// writeJUnit writes each result as a test case, in the form that CI systems read of JUnit
// (https://github.com/testmoapp/junitxml).
func writeJUnit(out io.Writer, findings []Finding) error {
	failures := 0
	var cases bytes.Buffer
	for _, f := range findings {
		fmt.Fprintf(&cases, "  <testcase classname=%s name=%s file=%s line=\"%d\">\n",
			quoted(f.Tags["reason"]), quoted(f.Ref.String()), quoted(f.File), f.Line)
		if f.Severity == report.SeverityError {
			failures++
			fmt.Fprintf(&cases, "    <failure message=%s/>\n", quoted(f.text()))
		} else {
			fmt.Fprintf(&cases, "    <system-out>%s</system-out>\n", escaped(f.Severity+": "+f.text()))
		}
		cases.WriteString("  </testcase>\n")
	}
	_, err := fmt.Fprintf(out, "%s<testsuite name=\"krm-fields\" tests=\"%d\" failures=\"%d\">\n%s</testsuite>\n",
		xml.Header, len(findings), failures, cases.String())
	return err
}

func quoted(text string) string { return `"` + escaped(text) + `"` }

func escaped(text string) string {
	var out bytes.Buffer
	_ = xml.EscapeText(&out, []byte(printable.Text(text))) // a buffer takes all
	return out.String()
}
