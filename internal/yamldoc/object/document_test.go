package object_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
)

func TestDocument(t *testing.T) {
	for name, test := range map[string]struct{ text, want string }{
		"behind the dash": {
			text: "  - # top\n    a: 1   # one\n\n    # two\n    b: |\n      x\n       y\n  # less\n    c: >-\n      folded\n        deeper\n",
			want: "# top\na: 1   # one\n\n# two\nb: |\n  x\n   y\n# less\nc: >-\n  folded\n    deeper\n",
		},
		"a dash that stands alone": {text: "-\n    a: 1\n    l:\n    - x\n", want: "a: 1\nl:\n- x\n"},
		"flow style":               {text: "- {a: 1,\n  b: 'x\n\n   y'}\n", want: "{a: 1,\nb: 'x\n\n y'}\n"},
		"an open block scalar":     {text: "-   a: |\n      x", want: "a: |-\n  x\n"},
		"Windows line ends":        {text: "- a: 1\r\n  b: 2\r\n", want: "a: 1\r\nb: 2\r\n"},
	} {
		t.Run(name, func(t *testing.T) {
			o := object.Items(1, func(int) []byte { return []byte(test.text) })[0]
			text, err := o.Document()
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, string(text)); diff != "" {
				t.Errorf("text (-want +got):\n%s", diff)
			}
		})
	}
}
