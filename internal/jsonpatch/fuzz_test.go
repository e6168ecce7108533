package jsonpatch_test

import (
	"fmt"
	"strings"
	"testing"

	evanphx "github.com/evanphx/json-patch/v5"

	"github.com/krm-fields/krm-fields/internal/jsonpatch"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

func FuzzParse(f *testing.F) {
	f.Add(`[{"op":"add","path":"/a/-","value":[1]},{"op":"move","from":"/c","path":"/a/0"}]`)
	f.Add(`[{"op":"copy","from":"","path":"/~0~1"},{"op":"test","path":"","value":{}},{"op":"remove","path":"/a"}]`)
	f.Fuzz(func(t *testing.T, patch string) {
		n, err := tree.Parse([]byte(patch))
		if err != nil || n == nil {
			return
		}
		root := parse(t, `{"a":[1,{"b":null}],"c":"d"}`)
		if p, faults := jsonpatch.Parse(n, "patch"); len(faults) == 0 {
			_, _, _ = p.Apply(tree.Lookup, root)
		}
		if got := text(t, root); got != `{"a":[1,{"b":null}],"c":"d"}` {
			t.Errorf("the document must stay as it is, found %s", got)
		}
	})
}

// FuzzJSONPatch compares a patch of the parts of a document that it names, with `test` carried out
// here, with what the library makes of the whole, where both carry it out.
func FuzzJSONPatch(f *testing.F) {
	f.Add([]byte{0, 1, 2, 3, 4, 5, 6, 7})
	f.Add([]byte{2, 3, 3, 0, 4, 5, 8, 7, 1, 2, 2, 2, 5, 5, 5, 1})
	f.Fuzz(func(t *testing.T, script []byte) {
		document := `{"a":[1,[2],{"b":null}],"c":{"d":"e","0":1.5},"/":{"~":[]}}`
		patch := patchText(script)
		p, faults := jsonpatch.Parse(parse(t, patch), "patch")
		if len(faults) > 0 {
			return
		}
		patched, err := applied(p, parse(t, document))
		want, ok := applyEvanphx(document, patch)
		if err != nil || !ok {
			return
		}
		if !tree.Equal(patched, want) {
			t.Errorf("%s makes %s, but %s with evanphx/json-patch", patch, text(t, patched), text(t, want))
		}
	})
}

// patchText makes a patch of a script: four bytes choose one operation.
func patchText(script []byte) string {
	ops := []string{"add", "remove", "replace", "move", "copy", "test"}
	paths := []string{
		"/a", "/a/0", "/a/1", "/a/2", "/a/3", "/a/-", "/a/1/0", "/a/2/b", "/c", "/c/d", "/c/0", "/c/x", "/~1", "/~1/~0", "/x",
	}
	values := []string{`1`, `null`, `"e"`, `[]`, `{"b":[3]}`, `{"d":"e","0":1.5}`}
	var patch []string
	for ; len(script) >= 4; script = script[4:] {
		patch = append(patch, fmt.Sprintf(`{"op":%q,"path":%q,"from":%q,"value":%s}`,
			pick(ops, script[0]), pick(paths, script[1]), pick(paths, script[2]), pick(values, script[3])))
	}
	return "[" + strings.Join(patch, ",") + "]"
}

func pick(list []string, b byte) string { return list[int(b)%len(list)] }

func applyEvanphx(document, patch string) (n *tree.Node, ok bool) {
	defer func() {
		if recover() != nil { // it panics where it compares some nulls
			n, ok = nil, false
		}
	}()
	p, err := evanphx.DecodePatch([]byte(patch))
	if err != nil {
		return nil, false
	}
	options := evanphx.NewApplyOptions()
	options.SupportNegativeIndices = false
	patched, err := p.ApplyWithOptions([]byte(document), options)
	if err != nil {
		return nil, false
	}
	n, err = tree.ParseJSON(patched)
	return n, err == nil
}
