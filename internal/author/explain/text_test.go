package explain

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/krm-fields/krm-fields/internal/krm/report"
)

func TestTextInColour(t *testing.T) {
	e := Explanation{
		FunctionConfig: Config{Ref: report.Ref{Kind: "IgnoreFields", Name: "a\x1b[2J\nb"}},
		Rules: []*ExplainedRule{{Path: "ignoreFields[0]", Condition: "OnSpokePresent", Expressions: []*Expression{
			{Path: "ignoreFields[0].jsonPaths[0]", Text: ".a", MatchedNothing: true},
		}}},
		Changes: []Change{{File: "f", Diff: "--- f\n+++ f\n@@ -1,1 +1,1 @@ A\n--- a\n+\tb\x1b\n c\n"}},
	}
	var out strings.Builder
	if err := e.WriteText(&out, true); err != nil {
		t.Fatal(err)
	}
	want := "\x1b[1mIgnoreFields a [2J b\x1b[0m\n\n\x1b[1mignoreFields[0]\x1b[0m, OnSpokePresent, on 0 of 0 objects\n" +
		"  \x1b[36mjsonPaths[0] .a\x1b[0m\n    \x1b[33mmatched nothing, since the rule applies to no object\x1b[0m\n" +
		"\n\x1b[1mChanges\x1b[0m\n\x1b[1m--- f\x1b[0m\n\x1b[1m+++ f\x1b[0m\n\x1b[36m@@ -1,1 +1,1 @@ A\x1b[0m\n" +
		"\x1b[31m--- a\x1b[0m\n\x1b[32m+\tb \x1b[0m\n c\n\n\x1b[1m0 objects change of 0.\x1b[0m\n"
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("text (-want +got):\n%s", diff)
	}
}

// TestMarkdownIsShort holds a comment to what GitHub takes, whatever the run.
func TestMarkdownIsShort(t *testing.T) {
	e := Explanation{Rules: []*ExplainedRule{{Path: "r", Chosen: 1}}}
	for range 2000 {
		long := strings.Repeat("|`*", 300)
		e.Rules[0].Expressions = append(e.Rules[0].Expressions,
			&Expression{Path: "r.e", Text: long, MatchedNothing: true},
			&Expression{Path: "r.f", Found: []Fields{{Fields: []FoundField{{Path: long, Value: []byte(`"` + long + `"`)}}}}})
		e.Changes = append(e.Changes, Change{Diff: "--- a\n+++ a\n" + strings.Repeat("+```\n", 30)})
	}
	var out strings.Builder
	if err := e.WriteMarkdown(&out); err != nil {
		t.Fatal(err)
	}
	const most = 65_536
	if length := out.Len(); length > most {
		t.Errorf("must have %d characters at most, has %d", most, length)
	}
	for _, want := range []string{" more fields not shown.", "\n- and ", " more objects not shown.", "\n````diff\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("must say %q", want)
		}
	}
}
