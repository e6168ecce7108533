package tree

import (
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	kubectl "sigs.k8s.io/yaml"
)

// errRefused stands for what kubectl does not read.
var errRefused = errors.New("refused")

// asKubectl returns the data that kubectl is known to read from n. Where it is other than Value(n),
// docs/yaml.md says it.
func asKubectl(n *Node) (any, error) {
	n = Deref(n)
	switch {
	case n == nil:
		return nil, nil
	case n.Kind == MappingNode:
		return mapAsKubectl(n)
	case n.Kind == SequenceNode:
		list := make([]any, len(n.Content))
		for i, element := range n.Content {
			var err error
			if list[i], err = asKubectl(element); err != nil {
				return nil, err
			}
		}
		return list, nil
	}
	return scalarAsKubectl(n)
}

func mapAsKubectl(n *Node) (any, error) {
	m := map[string]any{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		value := n.Content[i+1]
		if IsMergeKey(n.Content[i]) {
			if err := mergeAsKubectl(m, value); err != nil {
				return nil, err
			}
			continue
		}
		node := Deref(n.Content[i])
		key, isText := kubectlKey(kubectlScalar(node)).(string)
		if !isText {
			return nil, errRefused
		}
		if _, differs := KubectlScalar(node, true); differs != (key != node.Text()) {
			return nil, fmt.Errorf("%q: KubectlScalar says %v of the key that kubectl reads as %q", node.Text(), differs, key)
		}
		var err error
		if m[key], err = asKubectl(value); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// mergeAsKubectl puts merged members over those that stand before the merge key.
func mergeAsKubectl(m map[string]any, value *Node) error {
	for _, source := range slices.Backward(mergeSources(value)) {
		merged, err := mapAsKubectl(source)
		if err != nil {
			return err
		}
		maps.Copy(m, merged.(map[string]any))
	}
	return nil
}

// scalarAsKubectl checks what KubectlScalar says of a scalar, and returns it.
func scalarAsKubectl(n *Node) (any, error) {
	v := kubectlScalar(n)
	_, isNumber := v.(notJSON)
	isRefused := isNumber || v == nil && Scalar(n) != nil
	said, differs := KubectlScalar(n, false)
	if isRefused && !differs || !isRefused && differs && !EqualScalars(said, v) || !differs && !EqualScalars(v, Scalar(n)) {
		return nil, fmt.Errorf("%q: KubectlScalar is %v, %v", n.Text(), said, differs)
	}
	if isRefused {
		return nil, errRefused
	}
	return v, nil
}

// sameData tells whether two values are the same, numbers by their value.
func sameData(a, b any) bool {
	switch a := a.(type) {
	case map[string]any:
		other, ok := b.(map[string]any)
		if !ok || len(a) != len(other) {
			return false
		}
		for key, value := range a {
			if theirs, ok := other[key]; !ok || !sameData(value, theirs) {
				return false
			}
		}
		return true
	case []any:
		other, ok := b.([]any)
		if !ok || len(a) != len(other) {
			return false
		}
		for i := range a {
			if !sameData(a[i], other[i]) {
				return false
			}
		}
		return true
	}
	if whole, ok := b.(int64); ok {
		b = int(whole)
		if _, isFloat := a.(float64); isFloat {
			b = float64(whole)
		}
	}
	return EqualScalars(a, b)
}

// fromJSON reads JSON as the API server and kubectl do.
func fromJSON(t *testing.T, text []byte) any {
	t.Helper()
	var v any
	if err := utiljson.Unmarshal(text, &v); err != nil {
		t.Fatalf("kubectl's JSON must be JSON: %v\n%s", err, text)
	}
	return v
}

// kubectlDiffers tells where kubectl reads other data than asKubectl says, or "".
func kubectlDiffers(t *testing.T, text string) string {
	t.Helper()
	root, err := Parse([]byte(text))
	if err != nil {
		return ""
	}
	want, wantErr := asKubectl(root)
	if wantErr != nil && !errors.Is(wantErr, errRefused) {
		return wantErr.Error()
	}
	got, err := kubectl.YAMLToJSON([]byte(text))
	if err != nil {
		return ""
	}
	if wantErr != nil {
		return "kubectl reads what it is known to refuse"
	}
	if data := fromJSON(t, got); !sameData(want, data) {
		return fmt.Sprintf("kubectl reads %#v, known is %#v", data, want)
	}
	return ""
}

// checkKubectl fails the test where kubectl reads other data than asKubectl says.
func checkKubectl(t *testing.T, text string) {
	t.Helper()
	if difference := kubectlDiffers(t, text); difference != "" {
		t.Fatalf("%s\n%q", difference, text)
	}
}

// checkYAMLv3 fails the test where yaml.v3 decodes other data than Value, except for what Scalar
// documents.
func checkYAMLv3(t *testing.T, text string) {
	t.Helper()
	root, err := Parse([]byte(text))
	if err != nil {
		return
	}
	var data any
	if err := yaml.Unmarshal([]byte(acceptVersion(text)), &data); err == nil && !sameAsYAMLv3(root, data) {
		t.Fatalf("yaml.v3 decodes %#v, Value gives %#v\n%q", data, Value(root), text)
	}
}

func sameAsYAMLv3(n *Node, data any) bool {
	n = Deref(n)
	switch data := data.(type) {
	case map[string]any:
		members := maps.Collect(Entries(n))
		delete(members, "<<") // yaml.v3 also merges where the key is an alias of a merge key
		delete(data, "<<")
		for key, value := range data {
			if member, ok := members[key]; !ok || !sameAsYAMLv3(member, value) {
				return false
			}
		}
		return len(members) == len(data) || HasMerge(n) // a merged key that is null is lost
	case map[any]any: // keys of other types
		return IsMap(n)
	case []any:
		return slices.EqualFunc(Elements(n), data, sameAsYAMLv3)
	case time.Time:
		return Type(n) == String
	case float64:
		if math.IsInf(data, 0) || math.IsNaN(data) {
			return Type(n) == String
		}
		if whole, isBig := Scalar(n).(*big.Int); isBig {
			f, _ := new(big.Float).SetInt(whole).Float64()
			return f == data
		}
		return EqualScalars(Scalar(n), data)
	case int64:
		return EqualScalars(Scalar(n), int(data))
	case uint64:
		return EqualScalars(Scalar(n), new(big.Int).SetUint64(data))
	case string:
		v := Scalar(n)
		if n != nil && n.Tag == BinaryTag {
			decoded, err := base64.StdEncoding.DecodeString(n.Text())
			return err == nil && data == string(decoded)
		}
		if _, isBig := v.(*big.Int); isBig {
			return data == n.Text() // beyond the range of float64
		}
		return v == data
	}
	return EqualScalars(Scalar(n), data)
}

// scalarFragments are what FuzzKubectl makes texts of.
var scalarFragments = []string{
	"\n", "\n  ", "\n- ", "a: ", "b: ", "\n  - ", "\na: ", "\nb: ", "\n  a: ", "{", "}", "[", "]", ", ", ": ", " ", "\t",
	"yes", "no", "on", "off", "y", "N", "True", "~", "null", "=", "<<", "<<: ", "\n  <<: ", "\n<<: ", "&a ", "*a", "*a : ", "&b ", "*b", "? ", "\n: ",
	"0", "1", "8", "0o", "0x", "0b", "-", "+", ".", "_", "e", "E", ":", "1e3", "1e400", "9007199254740993", "18446744073709551616", "9223372036854775808",
	".inf", "-.Inf", ".nan", "2024-01-02", "T01:02:03Z",
	"!!binary ", "!!str ", "!!int ", "!!float ", "!!bool ", "!!null ", "!!timestamp ", "!!map ", "!!merge ", "!a ", "aGk=", "é",
	"\"", "'", "\\ud83d\\ude00", "\\ud83d", "\\x41", "\\u00e9", "\\\n", "\\/", "\\e", "# c", " # c", "#",
	"\r\n", "\r", "\ufeff", "\u0085", "\u2028", "\x00", "\x7f", "|\n  ", ">-\n  ", "|+\n  ", "  ",
}

// kubectlTexts have what readers of YAML disagree about.
var kubectlTexts = []string{
	"a: 1\na: 2", "a: yes\nb: N\nc: 'no'\non: 1", "a: 0644", "a: 0o644", "a: 0b11", "a: 0x1F", "a: 1_000", "a: 1:30", "a: 0o-7",
	"a: !!binary aGVsbG8=", "a: !!binary \"aGVs bG8=\"", "!!binary aGk=: 1", "a: !!str yes", "a: !!int \"1\"", "a: !!float 1", "a: !x 1",
	"a: &x {b: 1}\nc: {<<: *x, d: 2}", "a: &x {b: 1}\nc: {b: 2, <<: *x}", "<<: [{a: 1}, {a: 2, b: yes}]", "\"<<\": {a: 1}", "&k a: b\nd: {*k : c}", "? &k a\n: *k",
	"a:\t1", "a: 1\t# c", "\ufeffa: 1", "a: 1\r\nb: 2\r\n", "a: 1\rb: 2", "a: \"\\ud83d\\ude00\"", "a: \"\\U0001F600\"",
	"a: 9007199254740993", "a: 18446744073709551616", "18446744073709551616: a", "a: 1e400", "a: 9007199254740993.0", "a: .inf", ".Inf: a", "a: .nan", "~: a", "0x10: a",
	"1e3: a", "1_000: a", "True: a", "null: a", "a: !!binary x",
	"1.5e300: a", "a: 2024-01-02", "a: 'x' # c", "a: 'x'#c", "a: \"x\" # c", "a: x#c", "a: =", "%YAML 1.2\n---\na: 1", "a: |\n  x\u2028y", "a: x\u0085y",
}

func TestKubectlTexts(t *testing.T) {
	t.Parallel()
	for _, text := range kubectlTexts {
		checkKubectl(t, text)
		checkYAMLv3(t, text)
	}
}

// FuzzKubectl compares the data of texts with what kubectl reads (sigs.k8s.io/yaml), and with what
// yaml.v3 decodes.
func FuzzKubectl(f *testing.F) {
	f.Add([]byte{3, 17})
	f.Fuzz(func(t *testing.T, choices []byte) {
		var text strings.Builder
		for _, c := range choices[:min(len(choices), 200)] {
			text.WriteString(scalarFragments[int(c)%len(scalarFragments)])
		}
		checkKubectl(t, text.String())
		checkYAMLv3(t, text.String())
	})
}

// FuzzKubectlJSON compares the data of JSON with what the API server and kubectl read.
func FuzzKubectlJSON(f *testing.F) {
	for _, text := range jsonSeeds {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		root, err := ParseJSON([]byte(text))
		if err != nil {
			return
		}
		want, err := asKubectl(root)
		if err != nil {
			t.Fatalf("kubectl must read all JSON: %v\n%q", err, text)
		}
		var got any
		if err := utiljson.Unmarshal([]byte(text), &got); err == nil && !sameData(want, got) {
			t.Fatalf("kubectl reads %#v, known is %#v\n%q", got, want, text)
		}
	})
}
