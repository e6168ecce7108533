package cluster

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// wordings are how tools print the message of the API server (%[1]s; %[2]s in Go's quotes) about
// an object of a kind (%[3]s) with a name (%[4]s), after their sources.
var wordings = []struct{ tool, format string }{
	{"kubectl", "error: %[1]s\nPlease review the fields above--they currently have other managers. Here\nare the ways you can resolve this warning:\n"},
	{"Helm", "Error: UPGRADE FAILED: conflict occurred while applying object default/%[4]s %[5]s, Kind=%[3]s: %[1]s"},
	{"Flux", "%[3]s/default/%[4]s dry-run failed (Conflict): %[1]s\n"},
	{"Argo CD", "{\"phase\": \"Failed\", \"message\": %[2]s}\none or more objects failed to apply"},
	{"Terraform", "│ Error: There was a field manager conflict when trying to apply the manifest for \"default/%[4]s\"\n│\n" +
		"│   with kubernetes_manifest.web,\n│   on main.tf line 63:\n│\n│ The API returned the following conflict: %[2]s\n╵\n"},
	{"Pulumi", "  kubernetes:%[5]s:%[3]s (web):\n    error: server-side apply field conflict detected, see https://www.pulumi.com/ for troubleshooting help\n" +
		"    The resource managed by field manager \"pulumi-1\" had an apply conflict: %[1]s\n"},
}

var ownManager = regexp.MustCompile(`owned by ("(?:[^"\\]|\\.)*")[^,]*, which is the applier under another name`)

// TestFailedApply makes rules of the messages of random applies that conflict, and applies what the
// rules leave: that must succeed, except for the fields that suggest says to take over. A third of
// -triples are messages.
func TestFailedApply(t *testing.T) {
	api := newAPI(t)
	createCRDs(t, api)
	seeds := make(chan uint64)
	var group sync.WaitGroup
	var lock sync.Mutex
	counts, messages := map[string]int{}, 0
	for range workers {
		folder := t.TempDir()
		group.Go(func() {
			for seed := range seeds {
				tr := &triple{api: api, r: rand.New(rand.NewPCG(seed, 1)), name: fmt.Sprintf("e%d", seed)}
				outcome, err := tr.mend(folder)
				lock.Lock()
				if counts[outcome]++; strings.Contains(outcome, ": ") {
					messages++
				}
				if err != nil {
					t.Errorf("seed %d, %s: %v", seed, tr.kindName, err)
				}
				lock.Unlock()
			}
		})
	}
	isDone := func() bool {
		lock.Lock()
		defer lock.Unlock()
		return messages >= max(1, *triples/3)
	}
	for seed := *seed; !isDone(); seed++ {
		seeds <- seed
	}
	close(seeds)
	group.Wait()
	for _, outcome := range slices.Sorted(maps.Keys(counts)) {
		t.Logf("%6d %s", counts[outcome], outcome)
	}
}

// mend applies a package; where that conflicts, it applies again what the suggested rules leave.
// It returns the outcome.
func (t *triple) mend(folder string) (string, error) {
	t.prepare()
	defer t.remove()
	config, manager := pick(t.r, t.configs), pick(t.r, appliers)
	path, config := t.version(config)
	got := t.api.patch(path, manager, applyPatch, config, false)
	if got.code != http.StatusConflict {
		return "no conflict", nil
	}
	if forced := t.api.patch(path, manager+"&dryRun=All", applyPatch, config, true); forced.code != http.StatusOK {
		return "refused, whoever owns what", nil
	}
	wording := pick(t.r, wordings)
	message := fmt.Sprint(got.object["message"])
	failed := fmt.Sprintf(wording.format, message, strconv.Quote(message), config["kind"], t.name, config["apiVersion"])
	fail := func(err error) (string, error) {
		return wording.tool + ": failed", fmt.Errorf("%w\napply as %s: %s\n%s", err, manager, text(config), failed)
	}
	rest, own, err := ruled(folder, failed, manager, text(config))
	if err != nil {
		return fail(err)
	}
	got = t.applyText(path, manager, rest, false)
	if got.code == http.StatusConflict {
		for _, quoted := range managerIn.FindAllStringSubmatch(fmt.Sprint(got.object["message"]), -1) {
			if !slices.Contains(own, quoted[1]) {
				return fail(fmt.Errorf("the next apply must conflict with none but %v: %v; it was: %s", own, got, rest))
			}
		}
		if got = t.applyText(path, manager, rest, true); got.code == http.StatusOK {
			return wording.tool + ": rules and a takeover, applied", nil
		}
	}
	if got.code != http.StatusOK {
		return fail(fmt.Errorf("the next apply must succeed: %v; it was: %s", got, rest))
	}
	return wording.tool + ": rules, applied", nil
}

var managerIn = regexp.MustCompile(`conflicts? with ("(?:[^"\\]|\\.)*")`)

func (t *triple) applyText(path, manager string, body []byte, force bool) answer {
	return t.api.do(http.MethodPatch, fmt.Sprintf("%s?fieldManager=%s&force=%v", path, manager, force), applyPatch, body)
}

// ruled returns what the rules that are suggested for a message leave of a package, and the quoted
// managers that are to be taken over.
func ruled(folder, message, manager, config string) (rest []byte, own []string, err error) {
	failed, manifest := filepath.Join(folder, "failed.txt"), filepath.Join(folder, "package.json")
	rules := filepath.Join(folder, "rules.yaml")
	err = errors.Join(os.WriteFile(failed, []byte(message), 0o600), os.WriteFile(manifest, []byte(config), 0o600))
	if err != nil {
		return nil, nil, err
	}
	run := func(args ...string) ([]byte, string, error) {
		var stderr bytes.Buffer
		command := exec.Command("krm-fields", args...)
		command.Stderr = &stderr
		out, err := command.Output()
		if err != nil {
			err = fmt.Errorf("krm-fields %s: %w: %s", strings.Join(args, " "), err, &stderr)
		}
		return out, stderr.String(), err
	}
	out, notes, err := run("suggest", "--include-edits", "--field-manager", manager, "--error", failed, manifest)
	if err != nil {
		return nil, nil, err
	}
	for _, found := range ownManager.FindAllStringSubmatch(notes, -1) {
		own = append(own, found[1])
	}
	if len(out) == 0 {
		return []byte(config), own, nil
	}
	if err := os.WriteFile(rules, out, 0o600); err != nil {
		return nil, nil, err
	}
	rest, _, err = run("run", "--config", rules, manifest)
	return rest, own, err
}
