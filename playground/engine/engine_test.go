package engine

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/krm-fields/krm-fields/fn"
	"github.com/krm-fields/krm-fields/internal/krm/manifests"
	"github.com/krm-fields/krm-fields/internal/krm/resourcelist"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// ask sends a request and decodes the answer.
func ask[A any](t *testing.T, request any) A {
	t.Helper()
	text, err := json.Marshal(request)
	if err != nil {
		t.Fatal(err)
	}
	var a struct {
		Error *failure
	}
	answer := Answer(text)
	if err := json.Unmarshal(answer, &a); err != nil {
		t.Fatalf("the answer must be JSON, found %s: %v", answer, err)
	}
	if a.Error != nil {
		t.Fatalf("%s: %s", text, a.Error.Message)
	}
	var decoded A
	if err := json.Unmarshal(answer, &decoded); err != nil {
		t.Fatal(err)
	}
	return decoded
}

type story struct{ Name, Manifests, Live, Config string }

// stories are the examples, as the page has them.
func stories(t *testing.T) []story {
	t.Helper()
	command := exec.Command("go", "run", "./playground/stories")
	command.Dir = "../.."
	command.Stderr = os.Stderr
	text, err := command.Output()
	if err != nil {
		t.Fatal(err)
	}
	var all []story
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

// TestStoriesRunAsTheFunctionDoes compares what the engine makes of each example with what fn.Run
// makes of a ResourceList with the same objects.
func TestStoriesRunAsTheFunctionDoes(t *testing.T) {
	for _, s := range stories(t) {
		t.Run(s.Name, func(t *testing.T) {
			got := ask[runAnswer](t, map[string]string{"op": "run", "manifests": s.Manifests, "live": s.Live, "config": s.Config})
			if got.Failed || len(got.Errors) > 0 {
				t.Fatalf("a story must run, found the errors %v", got.Errors)
			}
			want := functionOutput(t, s)
			if diff := cmp.Diff(dataOf(t, want), dataOf(t, got.Output)); diff != "" {
				t.Errorf("output (-function +engine):\n%s", diff)
			}
			if strings.TrimSpace(got.Output) != strings.TrimSpace(s.Manifests) && got.Diff == "" && s.Live == "" {
				t.Error("a story without live objects that changes manifests must have a diff")
			}
		})
	}
}

// functionOutput is what fn.Run makes of a story, as a stream of documents.
func functionOutput(t *testing.T, s story) string {
	t.Helper()
	list := "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nfunctionConfig:\n" + indented(s.Config, "  ") + "items:\n"
	for _, live := range []bool{false, true} {
		content := s.Manifests
		if live {
			content = s.Live
		}
		parsed, fault := read("any", content)
		if fault != nil {
			t.Fatal(fault.Message)
		}
		for _, o := range parsed.objects {
			text := string(o.Source())
			if !o.IsDocument() {
				document, err := o.Document()
				if err != nil {
					t.Fatal(err)
				}
				text = string(document)
			}
			if live {
				text = strings.Replace(text, "metadata:\n", "metadata:\n  annotations:\n    fn.kpt.dev/live: \"true\"\n", 1)
				if strings.Count(text, "\n  annotations:\n") > 1 {
					text = strings.Replace(text, "  annotations:\n    fn.kpt.dev/live: \"true\"\n", "", 1)
					text = strings.Replace(text, "\n  annotations:\n", "\n  annotations:\n    fn.kpt.dev/live: \"true\"\n", 1)
				}
			}
			list += "-\n" + indented(text, "  ")
		}
	}
	var out bytes.Buffer
	if err := fn.Run(strings.NewReader(list), &out); err != nil {
		t.Fatalf("%v in\n%s", err, list)
	}
	ran, err := resourcelist.Read(out.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := manifests.WriteStream(&text, ran.Items); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

func indented(text, indent string) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		out.WriteString(indent + line)
	}
	return out.String()
}

// dataOf are the objects of a stream as data.
func dataOf(t *testing.T, stream string) []any {
	t.Helper()
	parsed, fault := read("any", stream)
	if fault != nil {
		t.Fatal(fault.Message)
	}
	var all []any
	for _, o := range parsed.objects {
		all = append(all, tree.Value(o.Root()))
	}
	return all
}

func TestAnswersThatAreErrors(t *testing.T) {
	for request, want := range map[string]string{
		``:                                    "the request must be a JSON object with id and op",
		`[]`:                                  "the request must be a JSON object with id and op",
		`{"id": 1}`:                           `found ""`,
		`{"id": 1, "op": "rum"}`:              `did you mean "run"?`,
		`{"id": 1, "op": "run", "config": 1}`: "the request must have the fields of its operation",
	} {
		var answer head
		if err := json.Unmarshal(Answer([]byte(request)), &answer); err != nil {
			t.Fatal(errors.Join(errors.New(request), err))
		}
		if answer.Error == nil || !strings.Contains(answer.Error.Message, want) {
			t.Errorf("%s: got the error %v, want one with %q", request, answer.Error, want)
		}
		if strings.Contains(request, "id") && string(answer.ID) != "1" {
			t.Errorf("%s: got the id %s, want 1", request, answer.ID)
		}
	}
}

func FuzzAnswer(f *testing.F) {
	f.Add([]byte(`{"id":1,"op":"version"}`), "", "", "")
	f.Add([]byte(`{"id":"a"}`), "apiVersion: v1\nkind: A\n", "kind: B\napiVersion: v1\n",
		"apiVersion: fn.kpt.dev/v1alpha1\nkind: IgnoreFields\nignoreFields:\n- jqPathExpressions: [.a]\n  jsonPaths: ['.kind[']\n")
	f.Fuzz(func(t *testing.T, raw []byte, manifests, live, config string) {
		if answer := Answer(raw); !json.Valid(answer) {
			t.Errorf("the answer to %q must be JSON, found %s", raw, answer)
		}
		for op := range operations {
			request, err := json.Marshal(map[string]any{"id": 7, "op": op, "manifests": manifests, "live": live, "config": config})
			if err != nil {
				t.Fatal(err)
			}
			var answer struct{ ID int }
			if err := json.Unmarshal(Answer(request), &answer); err != nil || answer.ID != 7 {
				t.Errorf("%s: the answer must have the id 7, found %d, %v", request, answer.ID, err)
			}
		}
	})
}
