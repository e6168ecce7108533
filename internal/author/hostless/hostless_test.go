package hostless_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/krm-fields/krm-fields/internal/author/hostless"
	"github.com/krm-fields/krm-fields/internal/krm/report"
)

const (
	strip = "apiVersion: fn.kpt.dev/v1alpha1\nkind: IgnoreFields\nmetadata: {name: r}\nobjectHash: {emit: false}\nignoreFields:\n- jsonPointers: [/data/b]\n"
	add   = "apiVersion: fn.kpt.dev/v1alpha1\nkind: ApplyOperations\nmetadata: {name: o}\noperations:\n- operationType: Create\n" +
		"  object: {apiVersion: v1, kind: ConfigMap, metadata: {name: new}}\n"
	one = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: one # the first\ndata:\n  a: x\n  b: z\n"
	two = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: two\ndata:\n  a: x\n"
)

// TestRunTexts runs functionConfigs on the texts of two objects.
func TestRunTexts(t *testing.T) {
	tests := map[string]struct {
		functionConfig string
		texts          []string
		want           []hostless.Item
		reasons        []string
		hasFailed      bool
		err            string
	}{
		"a changed object and one as it was": {
			functionConfig: strip, texts: []string{one, two},
			want:    []hostless.Item{{From: 0, Text: []byte(strings.Replace(one, "  b: z\n", "", 1))}, {From: 1}},
			reasons: []string{report.ReasonFieldsIgnored},
		},
		"a new object": {
			functionConfig: add, texts: []string{two},
			want: []hostless.Item{
				{From: 0}, {From: -1, Text: []byte("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: new\n")},
			},
			reasons: []string{report.ReasonCreated},
		},
		"a functionConfig with a fault": {
			functionConfig: strings.Replace(strip, "/data/b", "data/b", 1), texts: []string{one},
			want: []hostless.Item{{From: 0}}, reasons: []string{report.ReasonInvalidFunctionConfig}, hasFailed: true,
		},
		"an alias of another object": {
			functionConfig: strip, texts: []string{strings.Replace(one, "a: x", "a: &x x", 1), strings.Replace(two, "a: x", "a: *x", 1)},
			want: []hostless.Item{
				{From: 0, Text: []byte(strings.NewReplacer("a: x", "a: &x x", "  b: z\n", "").Replace(one))}, {From: 1, Text: []byte(two)},
			},
			reasons: []string{report.ReasonFieldsIgnored},
		},
		"an object with a fault": {functionConfig: strip, texts: []string{one, "a: ["}, err: "items[1] can't be read: line 1: "},
		"no YAML":                {functionConfig: "a: [", err: "the functionConfig can't be read: line 1: "},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			items, nodes, hasFailed, err := hostless.RunTexts(test.functionConfig, test.texts)
			if test.err != "" {
				if err == nil || !strings.HasPrefix(err.Error(), test.err) {
					t.Errorf("the error must begin with %q, found %v", test.err, err)
				}
				return
			}
			if err != nil || hasFailed != test.hasFailed {
				t.Errorf("failed must be %t, found %t, %v", test.hasFailed, hasFailed, err)
			}
			if diff := cmp.Diff(test.want, items); diff != "" {
				t.Errorf("items (-want +got):\n%s", diff)
			}
			results, err := hostless.DecodeResults[struct{ Tags map[string]string }](nodes)
			if err != nil {
				t.Fatal(err)
			}
			var reasons []string
			for _, r := range results {
				reasons = append(reasons, r.Tags["reason"])
			}
			if diff := cmp.Diff(test.reasons, reasons); diff != "" {
				t.Errorf("reasons (-want +got):\n%s", diff)
			}
		})
	}
}

// TestUpdateTexts puts the output into the objects of a program, or leaves all of them.
func TestUpdateTexts(t *testing.T) {
	parse := func(text []byte) (*string, error) {
		if string(text) == "bad" {
			return nil, errors.New("bad")
		}
		s := string(text)
		return &s, nil
	}
	replace := func(old, made *string) { *old = *made }
	texts := func(all []*string) (out []string) {
		for _, s := range all {
			out = append(out, *s)
		}
		return out
	}
	for name, test := range map[string]struct {
		out  []hostless.Item
		want []string
		err  string
	}{
		"one goes, one changes, one is new": {[]hostless.Item{{From: 1, Text: []byte("B")}, {From: -1, Text: []byte("c")}}, []string{"B", "c"}, ""},
		"one has a fault":                   {[]hostless.Item{{From: 0, Text: []byte("A")}, {From: 1, Text: []byte("bad")}}, []string{"a", "b"}, "bad"},
	} {
		t.Run(name, func(t *testing.T) {
			a, b := "a", "b"
			got, err := hostless.UpdateTexts([]*string{&a, &b}, test.out, parse, replace)
			if (err != nil || test.err != "") && (err == nil || err.Error() != test.err) {
				t.Errorf("the error must be %q, found %v", test.err, err)
			}
			if diff := cmp.Diff(test.want, texts(got)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
