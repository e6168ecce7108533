package applypatches_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/krm-fields/krm-fields/fn/applypatches"
	"github.com/krm-fields/krm-fields/internal/krm/report"
	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// FuzzEnsure runs operations that change lists between operations `ensure`: in one run they must
// make the same as each in a run of its own.
func FuzzEnsure(f *testing.F) {
	for seed := range uint64(20) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		random := rand.New(rand.NewPCG(seed, 0))
		var operations []string
		for range 30 {
			operations = append(operations, randomOperation(random))
		}
		const start = `{"apiVersion":"v1","kind":"A","metadata":{"name":"a"},"lists":[[{"k":1},{"k":"1"},{"k":2}],[{"k":1.0},{"k":1}],[]]}`
		together := start
		together = patchedBy(t, together, operations...)
		alone := start
		for _, o := range operations {
			alone = patchedBy(t, alone, o)
		}
		if together != alone {
			t.Errorf("operations\n%s\nmake in one run\n%s\nand in a run each\n%s", strings.Join(operations, "\n"), together, alone)
		}
	})
}

func randomOperation(random *rand.Rand) string {
	list := fmt.Sprintf("/lists/%d", random.IntN(3))
	key := []string{"1", "2", "3", "1.0", `"1"`, "null", "true", "[1]"}[random.IntN(8)]
	switch random.IntN(8) {
	case 0:
		return fmt.Sprintf(`{"op":"add","path":"%s/0","value":{"k":%s}}`, list, key)
	case 1:
		return fmt.Sprintf(`{"op":"remove","path":"%s/%d"}`, list, random.IntN(4))
	case 2:
		return fmt.Sprintf(`{"op":"add","path":"%s/-","value":{"k":%s,"l":1}}`, list, key)
	case 3:
		return fmt.Sprintf(`{"op":"add","path":"/lists/%d","value":[{"k":%s}]}`, random.IntN(3), key)
	}
	keys := []string{`"k"`, `["k","l"]`, `"l"`}[random.IntN(3)]
	return fmt.Sprintf(`{"op":"ensure","path":"%s","key":%s,"value":{"k":%s,"l":%d,"m":%d}}`, list, keys, key, random.IntN(2), random.IntN(9))
}

func patchedBy(t *testing.T, text string, operations ...string) string {
	t.Helper()
	root, err := tree.ParseJSON([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	config, err := tree.ParseJSON([]byte(`{"apiVersion":"fn.kpt.dev/v1alpha1","kind":"ApplyPatches","patches":[{"target":{"kind":"A"},` +
		`"operations":[` + strings.Join(operations, ",") + `]}]}`))
	if err != nil {
		t.Fatal(err)
	}
	items, results := applypatches.Run(config, []*object.Object{object.JSON(root)}, nil)
	for _, r := range results {
		if r.Severity == report.SeverityError {
			t.Fatal(r.Message)
		}
	}
	patched, err := tree.MarshalJSON(items[0].Root())
	if err != nil {
		t.Fatal(err)
	}
	return string(patched)
}
