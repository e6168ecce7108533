//go:build unix

package hostile

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

var kills = flag.Int("kills", 3, "how many runs of each command are killed, at random moments")

// killAll starts krm-fields, as often as the flag says, in a folder with arguments and input, and
// kills each run at a random moment of the time that a whole run takes; every second one as soon as
// isDue says so, if that is given. It calls before and after around each, and returns how many were
// killed.
func killAll(t *testing.T, dir, stdin string, whole time.Duration, isDue func() bool, before, after func(), args ...string) (killed int) {
	t.Helper()
	for i := range *kills {
		before()
		cmd := command(t, dir, stdin, args...)
		began := time.Now()
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		var ended atomic.Bool
		isWatched := isDue != nil && i%2 == 1
		kill := func() {
			for isWatched && !isDue() && !ended.Load() { // as fast as it can look
			}
			_ = cmd.Process.Kill()
		}
		moment := rand.N(whole)
		if isWatched {
			moment = 0
		}
		timer := time.AfterFunc(moment, kill)
		_ = cmd.Wait() // killed, or done
		ended.Store(true)
		timer.Stop()
		if cmd.ProcessState.Success() {
			whole = time.Since(began)
		} else {
			killed++
		}
		after()
	}
	return killed
}

// command is a run of krm-fields whose temporary files are in the folder tmp.
func command(t *testing.T, dir, stdin string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command("krm-fields", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "TMPDIR="+filepath.Join(dir, "tmp"), "PATH="+filepath.Join(dir, "bin")+":"+os.Getenv("PATH"))
	if stdin != "" {
		file, err := os.Open(filepath.Join(dir, stdin))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { file.Close() })
		cmd.Stdin = file
	}
	return cmd
}

// succeeds runs krm-fields to its end and returns its stdout and how long it took.
func succeeds(t *testing.T, dir, stdin string, args ...string) ([]byte, time.Duration) {
	t.Helper()
	var out, errOut bytes.Buffer
	cmd := command(t, dir, stdin, args...)
	cmd.Stdout, cmd.Stderr = &out, &errOut
	began := time.Now()
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v must succeed: %v\n%s", args, err, shorten(errOut.String()))
	}
	return out.Bytes(), time.Since(began)
}

// killFolder is a folder with rules, and one for temporary files.
func killFolder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "rules.yaml"), rules)
	if err := os.Mkdir(filepath.Join(dir, "tmp"), 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

// checkNoTemporaryFiles fails the test if a run has left some.
func checkNoTemporaryFiles(t *testing.T, dir string) {
	t.Helper()
	left, err := os.ReadDir(filepath.Join(dir, "tmp"))
	if err != nil || len(left) > 0 {
		t.Fatalf("no temporary files must be left, found %v, %v", left, err)
	}
}

// TestKilledInPlace kills runs that write files: each file is old or new, and the next run changes
// those that are left and removes all temporary files.
func TestKilledInPlace(t *testing.T) {
	files := min(2000, 200**kills)
	dir := killFolder(t)
	in := filepath.Join(dir, "package")
	refill := func() {
		for i := range files {
			write(t, filepath.Join(in, fmt.Sprintf("%04d.yaml", i)), web)
		}
	}
	args := []string{"run", "-q", "-c", "rules.yaml", "-i", "package"}
	refill()
	_, whole := succeeds(t, dir, "", args...)
	between := 0
	isReplacing := func() bool { // the first old text has a second name
		names, _ := filepath.Glob(filepath.Join(in, ".krm-fields-*.old"))
		return len(names) > 0
	}
	survived := killAll(t, dir, "", whole, isReplacing, refill, func() {
		old, new := countFiles(t, in, files)
		if old > 0 && new > 0 {
			between++
		}
		succeeds(t, dir, "", args...)
		checkAll(t, in, files, changed)
		checkNoTemporaryFiles(t, dir)
	}, args...)
	t.Logf("%d runs of %d files were killed, %d of them between the first file and the last", survived, files, between)
}

// countFiles counts the files that are old and new; there are no others but temporary ones.
func countFiles(t *testing.T, dir string, files int) (old, new int) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), ".krm-fields-") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, entry.Name()))
		switch {
		case err == nil && string(text) == web:
			old++
		case err == nil && string(text) == changed:
			new++
		default:
			t.Fatalf("%s must be old or new, found %v\n%s", entry.Name(), err, text)
		}
	}
	if old+new != files {
		t.Fatalf("there must be %d files, found %d old and %d new", files, old, new)
	}
	return old, new
}

// TestKilledOnStdout kills runs on many objects of stdin, which are in temporary files meanwhile.
func TestKilledOnStdout(t *testing.T) {
	dir := killFolder(t)
	objects := 30_000
	if *kills > 10 {
		objects = 1_000_000
	}
	write(t, filepath.Join(dir, "many.yaml"), strings.Repeat("---\n"+web, objects))
	args := []string{"run", "-q", "-c", "rules.yaml"}
	want, whole := succeeds(t, dir, "many.yaml", args...)
	survived := killAll(t, dir, "many.yaml", whole, nil, func() {}, func() { checkNoTemporaryFiles(t, dir) }, args...)
	if got, _ := succeeds(t, dir, "many.yaml", args...); !bytes.Equal(got, want) {
		t.Error("the next run must write the same")
	}
	t.Logf("%d runs on %d objects were killed", survived, objects)
}

// fakeKubectl says that nothing is there, and keeps each object that it gets, as a whole.
const fakeKubectl = `#!/bin/sh
case "$1" in
get) cat >/dev/null ;;
apply)
  cat >sent.$$ && mv sent.$$ sent
  grep -c '^kind:' sent | while read -r n; do i=0; while [ $i -lt "$n" ]; do echo "configmap/c$i serverside-applied"; i=$((i+1)); done; done ;;
esac
`

// TestKilledApply kills runs that apply: no temporary files are left, and the next run applies all.
func TestKilledApply(t *testing.T) {
	dir := killFolder(t)
	write(t, filepath.Join(dir, "bin", "kubectl"), fakeKubectl)
	if err := os.Chmod(filepath.Join(dir, "bin", "kubectl"), 0o755); err != nil {
		t.Fatal(err)
	}
	const objects = 100
	var text strings.Builder
	for i := range objects {
		fmt.Fprintf(&text, "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: c%d, namespace: default}\n", i)
	}
	write(t, filepath.Join(dir, "many.yaml"), text.String())
	before := text.String()
	args := []string{"apply", "-q", "-c", "rules.yaml", "many.yaml"}
	_, whole := succeeds(t, dir, "", args...)
	survived := killAll(t, dir, "", whole, nil, func() {}, func() {
		checkNoTemporaryFiles(t, dir)
		if text, err := os.ReadFile(filepath.Join(dir, "many.yaml")); err != nil || string(text) != before {
			t.Fatalf("the package must stay as it is: %v", err)
		}
	}, args...)
	out, _ := succeeds(t, dir, "", args...)
	if !strings.Contains(string(out), fmt.Sprintf("%d objects: %d created", objects, objects)) {
		t.Errorf("the next run must apply all, found\n%s", shorten(string(out)))
	}
	t.Logf("%d runs that apply were killed", survived)
}
