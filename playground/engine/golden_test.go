package engine

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/krm-fields/krm-fields/e2e/golden"
)

// cursorMark stands for the cursor in a text of a case: the request has its line and its column.
const cursorMark = "¦"

// TestAnswers asks what each case of the test data asks: its settings are the short fields of the
// request, and its files those that are texts. What comes out is the answer, with a file of its own
// for each text in it that has several lines.
func TestAnswers(t *testing.T) {
	golden.Run(t, "testdata/*.txtar", func(t *testing.T, c *golden.Case) {
		request := map[string]any{"id": 1}
		for _, name := range []string{"op", "from", "to", "as", "manager"} {
			if value := c.Setting(name); value != "" {
				request[name] = value
			}
		}
		var inputs []string
		for _, name := range []string{"manifests", "live", "config", "text", "failed"} {
			content := c.File(name)
			if content == nil {
				continue
			}
			inputs = append(inputs, name)
			if before, after, ok := strings.Cut(string(content), cursorMark); ok {
				request["line"], request["column"] = strings.Count(before, "\n")+1, 1+utf16Length([]byte(before[strings.LastIndex(before, "\n")+1:]))
				content = []byte(before + after)
			}
			request[name] = string(content)
		}
		if expression := c.File("expression"); expression != nil {
			inputs = append(inputs, "expression")
			request["expression"] = json.RawMessage(expression)
		}
		if line, err := strconv.Atoi(c.Setting("line")); err == nil {
			request["line"] = line
		}
		text, err := json.Marshal(request)
		if err != nil {
			t.Fatal(err)
		}
		c.Expect(t, inputs, filesOf(t, Answer(text))...)
	})
}

// filesOf are an answer as the files of a case.
func filesOf(t *testing.T, answer []byte) []txtar.File {
	t.Helper()
	var members map[string]json.RawMessage
	if err := json.Unmarshal(answer, &members); err != nil {
		t.Fatal(err)
	}
	var texts []txtar.File
	delete(members, "id")
	for name, value := range members {
		var text string
		if json.Unmarshal(value, &text) == nil && strings.Contains(text, "\n") {
			texts = append(texts, txtar.File{Name: "answer " + name, Data: []byte(text)})
			delete(members, name)
		}
	}
	slices.SortFunc(texts, func(a, b txtar.File) int { return strings.Compare(a.Name, b.Name) })
	var rest bytes.Buffer
	encoder := json.NewEncoder(&rest)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(members); err != nil {
		t.Fatal(err)
	}
	return append([]txtar.File{{Name: "answer", Data: rest.Bytes()}}, texts...)
}
