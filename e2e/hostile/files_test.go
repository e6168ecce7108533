//go:build unix

package hostile

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// rules is the functionConfig of the runs on files, and web what they change.
const (
	rules = "apiVersion: fn.kpt.dev/v1alpha1\nkind: IgnoreFields\nmetadata: {name: owned}\nignoreFields:\n" +
		"- jsonPointers: [/spec/replicas]\nobjectHash: {emit: false}\nonNoMatch: Ignore\n"
	web     = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {replicas: 3}\n"
	changed = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {}\n"
)

// A fileRow is a folder, and how `krm-fields run` must end on it.
type fileRow struct {
	name string
	// make creates the folder, which has a file web.yaml already.
	make func(dir string) error
	// args are the arguments of `krm-fields run`, with DIR for the folder.
	args string
	// operations is the text of the file DIR/../operations.
	operations string
	code       int
	// says is a part of stderr.
	says string
	row  row
}

// TestFiles runs the command line on folders with more than manifests in them.
func TestFiles(t *testing.T) {
	link := func(target, name string) func(string) error {
		return func(dir string) error { return os.Symlink(target, filepath.Join(dir, name)) }
	}
	create := "operation: Create\nobject: {apiVersion: v1, kind: ConfigMap, metadata: {name: c, annotations: {config.kubernetes.io/path: %s}}}\n"
	rows := []fileRow{
		{
			name: "named pipe", make: func(dir string) error { return syscall.Mkfifo(filepath.Join(dir, "pipe.yaml"), 0o600) },
			args: "-c DIR/../rules DIR", code: 1, says: "pipe.yaml: must be a regular file, found a named pipe [RunError]\n",
		},
		{
			name: "named pipe as a PATH", make: func(dir string) error { return syscall.Mkfifo(filepath.Join(dir, "pipe.yaml"), 0o600) },
			args: "-c DIR/../rules DIR/pipe.yaml", code: 1, says: "found a named pipe; to read it, pipe it to stdin [RunError]\n",
		},
		{
			name: "named pipe as .krmignore", make: func(dir string) error { return syscall.Mkfifo(filepath.Join(dir, ".krmignore"), 0o600) },
			args: "-c DIR/../rules DIR", code: 1, says: ".krmignore: must be a regular file, found a named pipe [RunError]\n",
		},
		{
			name: "link to /dev/zero", make: link("/dev/zero", "zero.yaml"),
			args: "-c DIR/../rules DIR", code: 1, says: "found a link to /dev/zero [RunError]\n",
		},
		{name: "/dev/zero as a PATH", args: "-c DIR/../rules /dev/zero", code: 1, says: "found a device"},
		{name: "/dev/zero as the functionConfig", args: "-c /dev/zero DIR", code: 1, says: "found a device"},
		{name: "/dev/zero as the operations", args: "--operations /dev/zero DIR", code: 1, says: "found a device"},
		{
			name: "link out of the folder", make: link("../rules", "rules.yaml"),
			args: "-c DIR/../rules DIR", code: 1, says: "rules.yaml: must be a file within ",
		},
		{
			name: "link to itself", make: link("loop.yaml", "loop.yaml"),
			args: "-c DIR/../rules DIR", code: 1, says: "loop.yaml: must be a link to a file: ",
		},
		{name: "link to the folder that it is in", make: link(".", "loop"), args: "-c DIR/../rules -i DIR", says: "wrote "},
		{
			name: "new file through a linked folder", make: link("..", "linked"), operations: fmt.Sprintf(create, "linked/x.yaml"),
			args: "--operations DIR/../operations -i DIR", code: 1, says: "the folder linked is a link [RunError]\n",
		},
		{
			name: "new file in a hidden folder", operations: fmt.Sprintf(create, ".github/workflows/x.yaml"),
			args: "--operations DIR/../operations -i DIR", code: 1, says: "the folder .github is hidden [RunError]\n",
		},
		{
			name: "new file outside", operations: fmt.Sprintf(create, "../x.yaml"),
			args: "--operations DIR/../operations -i DIR", code: 1, says: "it is outside [RunError]\n",
		},
		{
			name: "200 levels of folders", args: "-c DIR/../rules --skip-invalid -i DIR", says: "wrote ",
			make: func(dir string) error { return os.MkdirAll(filepath.Join(dir, strings.Repeat("a/", 200)), 0o755) },
		},
		{
			name: "300,000 tiny documents", args: "-c DIR/../rules DIR", row: row{within: slow, times: 40},
			make: func(dir string) error {
				text := strings.Repeat("---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n", 300_000)
				return os.WriteFile(filepath.Join(dir, "tiny.yaml"), []byte(text), 0o644)
			},
		},
		{
			name: "patterns that match in many ways", row: row{within: slow},
			args: "-c DIR/../rules --exclude **/a/**/a/**/a/**/b --exclude " + strings.Repeat("*a", 50) + " DIR",
			make: func(dir string) error { return os.MkdirAll(filepath.Join(dir, strings.Repeat("a/", 200)), 0o755) },
		},
	}
	for _, r := range rows {
		t.Run(r.name, r.check)
	}
}

func (r fileRow) check(t *testing.T) {
	parent := t.TempDir()
	dir := filepath.Join(parent, "package")
	write(t, filepath.Join(parent, "rules"), rules)
	write(t, filepath.Join(parent, "operations"), r.operations)
	write(t, filepath.Join(dir, "web.yaml"), web)
	if r.make != nil {
		if err := r.make(dir); err != nil {
			t.Fatal(err)
		}
	}
	args := append([]string{"run"}, strings.Fields(strings.ReplaceAll(r.args, "DIR", dir))...)
	_, stderr, c := run(t, nil, args...)
	if c.Code != r.code || !strings.Contains(string(stderr), r.says) {
		t.Errorf("the run must end with exit code %d and say %q, found %d and\n%s", r.code, r.says, c.Code, shorten(string(stderr)))
	}
	if limit := r.row.timeLimit(); c.Wall > limit {
		t.Errorf("the run must end within %v, and took %v", limit, c.Wall)
	}
	r.row.input = strings.Repeat(" ", int(sizeOf(t, dir)))
	if limit := r.row.memoryLimit(); c.Peak > limit {
		t.Errorf("the run must take at most %d MB, and took %d MB", limit>>20, c.Peak>>20)
	}
	for _, outside := range []string{"x.yaml", "package/linked/x.yaml", "package/.github"} {
		if _, err := os.Stat(filepath.Join(parent, outside)); err == nil {
			t.Errorf("%s must not be there", outside)
		}
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// sizeOf is the size of the files in a folder.
func sizeOf(t *testing.T, dir string) (size int64) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if info, err := entry.Info(); err == nil && info.Mode().IsRegular() {
			size += info.Size()
		}
	}
	return size
}

// TestInterruptedInPlace ends runs by signals at different moments of writing: each leaves all
// files old or all new, and no temporary files.
func TestInterruptedInPlace(t *testing.T) {
	const files = 400
	parent := t.TempDir()
	write(t, filepath.Join(parent, "rules"), rules)
	for i, sent := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT} {
		dir := filepath.Join(parent, fmt.Sprint("package", i))
		for file := range files {
			write(t, filepath.Join(dir, fmt.Sprintf("%04d.yaml", file)), web)
		}
		cmd := exec.Command("krm-fields", "run", "-q", "-c", filepath.Join(parent, "rules"), "-i", dir)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		done := make(chan struct{})
		go func() {
			defer close(done)
			_ = cmd.Wait() // the exit code is checked below
		}()
		waitForWriting(dir, i*files/6, done)
		_ = cmd.Process.Signal(sent)
		<-done
		want := web
		if code := cmd.ProcessState.ExitCode(); code == 0 {
			want = changed
		} else if code != 128+int(sent) {
			t.Errorf("%v: got exit code %d, want 0 or %d", sent, code, 128+int(sent))
		}
		checkAll(t, dir, files, want)
	}
}

// waitForWriting returns when there are a number of new texts next to files, or the run has ended.
func waitForWriting(dir string, count int, done chan struct{}) {
	for {
		select {
		case <-done:
			return
		default:
		}
		entries, _ := os.ReadDir(dir)
		beside := 0
		for _, entry := range entries {
			if strings.HasPrefix(entry.Name(), ".krm-fields-") {
				beside++
			}
		}
		if beside > count {
			return
		}
	}
}

// checkAll checks that a folder has a number of files, all with one text.
func checkAll(t *testing.T, dir string, files int, want string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != files {
		t.Errorf("there must be %d files, found %d", files, len(entries))
	}
	for _, entry := range entries {
		text, err := os.ReadFile(filepath.Join(dir, entry.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if string(text) != want {
			t.Fatalf("%s must be\n%s\nfound\n%s", entry.Name(), want, text)
		}
	}
}
