package process_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/krm-fields/krm-fields/fn/jq"
	"github.com/krm-fields/krm-fields/fn/process"
	"github.com/krm-fields/krm-fields/fn/wire"
)

var update = flag.Bool("update", false, "write the golden files instead of comparing")

func TestMain(m *testing.M) {
	if jq.IsChild() {
		jq.ChildMain()
		return
	}
	os.Exit(m.Run())
}

// TestGolden runs each case of testdata/golden: input.yaml (or input.json) is
// stdin, output.yaml what must be on stdout, and stderr.txt, which is there
// where the exit code must be 1, what must be on stderr. A file once.txt says
// why the case is not idempotent.
func TestGolden(t *testing.T) {
	inputs, err := filepath.Glob("../../testdata/golden/*/*/input.*")
	if err != nil || len(inputs) == 0 {
		t.Fatalf("there must be golden cases, found %d, %v", len(inputs), err)
	}
	for _, input := range inputs {
		dir := filepath.Dir(input)
		kind := filepath.Base(filepath.Dir(dir))
		t.Run(kind+"/"+filepath.Base(dir), func(t *testing.T) {
			t.Parallel()
			testCase(t, dir, input)
		})
	}
}

func testCase(t *testing.T, dir, input string) {
	source := read(t, input)
	stdout, stderr, code := run(source)
	output := filepath.Join(dir, "output"+filepath.Ext(input))
	errors := filepath.Join(dir, "stderr.txt")
	if *update {
		updateCase(t, output, stdout, errors, stderr, code)
		return
	}
	if diff := cmp.Diff(string(read(t, output)), stdout); diff != "" {
		t.Errorf("stdout differs from %s (-want +got):\n%s", output, diff)
	}
	_, err := os.Stat(errors)
	if wantFailure := err == nil; wantFailure != (code == 1) {
		t.Fatalf("the exit code is %d, and stderr.txt is there: %v", code, wantFailure)
	}
	if code == 1 {
		if diff := cmp.Diff(string(read(t, errors)), stderr); diff != "" {
			t.Errorf("stderr differs from %s (-want +got):\n%s", errors, diff)
		}
		return
	}
	if stderr != "" {
		t.Errorf("a run that succeeds must write nothing to stderr, found:\n%s", stderr)
	}
	if _, err := os.Stat(filepath.Join(dir, "once.txt")); err != nil {
		testIdempotent(t, stdout)
	}
}

func updateCase(t *testing.T, output, stdout, errors, stderr string, code int) {
	write(t, output, stdout)
	if code == 0 {
		if err := os.RemoveAll(errors); err != nil {
			t.Fatal(err)
		}
		return
	}
	write(t, errors, stderr)
}

// testIdempotent runs the output again: it must succeed and leave the items.
func testIdempotent(t *testing.T, output string) {
	again, stderr, code := run([]byte(output))
	if code != 0 {
		t.Fatalf("the second run on the output exits with %d:\n%s", code, stderr)
	}
	if diff := cmp.Diff(itemsOf(t, output), itemsOf(t, again)); diff != "" {
		t.Errorf("the second run on the output changes it (-first +second):\n%s", diff)
	}
}

func itemsOf(t *testing.T, text string) string {
	list, err := wire.Read([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	var items strings.Builder
	for _, item := range list.Items {
		text, err := item.Text()
		if err != nil {
			t.Fatal(err)
		}
		items.Write(text)
	}
	return items.String()
}

func run(input []byte) (stdout, stderr string, code int) {
	var out, errOut bytes.Buffer
	code = process.Run(bytes.NewReader(input), &out, &errOut)
	return out.String(), errOut.String(), code
}

func read(t *testing.T, path string) []byte {
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func write(t *testing.T, path, text string) {
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
