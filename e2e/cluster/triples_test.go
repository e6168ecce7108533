package cluster

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

var (
	triples = flag.Int("triples", 300, "how many triples TestTriples makes")
	seed    = flag.Uint64("seed", 1, "the seed of the first triple; the others follow it")
)

const crds = "testdata/crds.yaml"

// workers is the number of triples at a time.
const workers = 4

// TestTriples creates random live objects by several managers, applies random packages to them, and
// compares the prediction of each apply with the API server: the stored object, its managedFields,
// and the conflicts. A difference must be one of the four things that are not predicted. To run one
// triple: -triples 1 -seed N.
func TestTriples(t *testing.T) { runTriples(t, nil) }

// runTriples runs the triples of a tool, nil for requests alone, and returns in how many of them
// each broken model has failed.
func runTriples(t *testing.T, tool *tool) map[string]int {
	api := newAPI(t)
	createCRDs(t, api)

	var group sync.WaitGroup
	var lock sync.Mutex
	counts, fell := map[string]int{}, map[string]int{}
	for worker := range workers {
		p, apply := startPredictor(t), applyRequests
		if tool != nil {
			apply = tool.start(t)
		}
		group.Go(func() {
			var all []*triple
			for i := worker; i < *triples; i += workers {
				seed := *seed + uint64(i)
				tr := &triple{api: api, tool: tool, seed: seed, r: rand.New(rand.NewPCG(seed, 0)), name: fmt.Sprintf("t%s%d", tool, seed)}
				defer tr.remove()
				tr.prepare()
				tr.choose()
				all = append(all, tr)
			}
			apply(all)
			for _, tr := range all {
				cause, failed, err := tr.judge(p)
				lock.Lock()
				counts[cause]++
				for model, err := range failed {
					if fell[model] += 0; err != nil {
						fell[model]++
					}
				}
				if err != nil {
					t.Errorf("seed %d, %s: %v", tr.seed, tr.kindName, err)
				} else if *triples == 1 {
					t.Logf("%s %s: %s", tr.kindName, tr.name, cause)
				}
				lock.Unlock()
			}
		})
	}
	group.Wait()
	for _, cause := range slices.Sorted(maps.Keys(counts)) {
		t.Logf("%6d %s", counts[cause], cause)
	}
	return fell
}

// applyRequests applies by nothing but requests.
func applyRequests(all []*triple) {
	for _, t := range all {
		t.got = t.api.patch(t.at, t.manager, applyPatch, t.sent, t.force)
	}
}

func createCRDs(t *testing.T, api *api) {
	text, err := os.ReadFile(crds)
	if err != nil {
		t.Fatal(err)
	}
	for _, crd := range strings.Split(string(text), "\n---\n") {
		answer := api.do(http.MethodPost, "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", "application/yaml", []byte(crd))
		if answer.code != http.StatusCreated && answer.code != http.StatusConflict {
			t.Fatal(answer)
		}
	}
	ticker := time.NewTicker(100 * time.Millisecond)
	defer ticker.Stop()
	for _, k := range kinds {
		for _, path := range []string{k.path, k.other} {
			for path != "" && api.do(http.MethodGet, path, "", nil).code != http.StatusOK {
				<-ticker.C
			}
		}
	}
}

// An api sends requests to the API server.
type api struct {
	access *access
	client *http.Client
}

func newAPI(t *testing.T) *api {
	client, err := cluster.access.client()
	if err != nil {
		t.Fatal(err)
	}
	client.Timeout = time.Minute
	client.Transport.(*http.Transport).MaxIdleConnsPerHost = workers
	return &api{access: cluster.access, client: client}
}

// An answer is what the API server answers, or why it doesn't.
type answer struct {
	code   int
	object object
	err    error
}

func (a answer) String() string {
	if a.err != nil {
		return a.err.Error()
	}
	return fmt.Sprintf("%d: %v", a.code, a.object["message"])
}

// do sends a request whose path may have a query.
func (a *api) do(method, path, contentType string, body []byte) answer {
	path, query, _ := strings.Cut(path, "?")
	request := a.access.get(path)
	request.Method, request.URL.RawQuery = method, query
	request.Header.Set("Content-Type", contentType)
	if body != nil {
		request.Body, request.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	}
	response, err := a.client.Do(request)
	if err != nil {
		return answer{err: err}
	}
	defer response.Body.Close()
	decoder := json.NewDecoder(response.Body)
	decoder.UseNumber()
	got := answer{code: response.StatusCode}
	got.err = decoder.Decode(&got.object)
	return got
}

func (a *api) patch(path, manager, contentType string, body object, force bool) answer {
	text, err := json.Marshal(body)
	if err != nil {
		return answer{err: err}
	}
	query := "?fieldManager=" + manager
	if force {
		query += "&force=true"
	}
	return a.do(http.MethodPatch, path+query, contentType, text)
}

const (
	applyPatch = "application/apply-patch+yaml"
	mergePatch = "application/merge-patch+json"
)

// A triple is a live object, a package and a manager.
type triple struct {
	api      *api
	tool     *tool
	seed     uint64
	r        *rand.Rand
	name     string
	kindName string
	kind     kind
	configs  []object
	steps    []string

	// live is the object on the cluster, nil if there is none, at a path.
	live object
	at   string
	// config is the package, and sent what the tool makes of it before it applies.
	config, sent object
	manager      string
	force        bool
	// got is what the API server stores or answers.
	got answer
}

var (
	appliers = []string{"kubectl", "argocd-controller", "kustomize-controller", "flux"}
	updaters = []string{"hpa", "kubectl-edit", "kubectl", "controller", "kubectl-client-side-apply"}
)

func pick[T any](r *rand.Rand, all []T) T { return all[r.IntN(len(all))] }

func (t *triple) path() string { return t.kind.path + "/" + t.name }

// prepare chooses the kind, packages and steps, and takes the steps.
func (t *triple) prepare() {
	t.kindName = pick(t.r, slices.Sorted(maps.Keys(kinds)))
	t.kind = kinds[t.kindName]
	for range 3 {
		t.configs = append(t.configs, t.newConfig())
	}
	for range t.r.IntN(6) {
		t.step()
	}
}

// choose chooses what is applied, by whom and how.
func (t *triple) choose() {
	t.config, t.manager, t.force = pick(t.r, t.configs), pick(t.r, t.appliers()), t.r.IntN(3) == 0
	if t.r.IntN(3) == 0 {
		t.config = t.newConfig()
	}
	if t.r.IntN(15) == 0 {
		t.config = overlay(t.config, pick(t.r, faults))
	}
	if t.tool != nil && t.tool.manager != "" {
		t.manager, t.force = t.tool.manager, t.force || t.tool.forces
	}
	t.at, t.config = t.version(t.config)
	t.sent = t.config
	if live := t.api.do(http.MethodGet, t.at, "", nil); live.code == http.StatusOK {
		t.live = live.object
	}
}

// judge returns how the prediction agrees with what the API server has done: "equal …", or the
// cause of a difference; and how the broken models differ, nil for not.
func (t *triple) judge(p *predictor) (string, map[string]error, error) {
	line := object{"live": t.live, "package": t.sent, "manager": t.manager, "force": t.force, "now": t.timeOf(t.got, t.manager)}
	if t.tool != nil {
		line["package"], line["as"], line["broken"] = t.withoutAdded(), t.tool.name, true
	}
	predicted, err := p.predict(line)
	if err != nil {
		return "failed", nil, err
	}
	// Several requests may come in several seconds, by which the entries are ordered.
	cause, err := compare(t.kindName, t.got, predicted, t.tool == nil)
	if err != nil && t.converted(t.live) {
		return "differs: conversion between versions", nil, nil
	}
	if err != nil {
		return "failed", nil, fmt.Errorf("%w\nsteps: %s\napply as %s, force %v: %s\nlive: %s", err, strings.Join(t.steps, "\n       "), t.manager, t.force,
			text(t.sent), text(t.live))
	}
	failed := map[string]error{}
	for model, outcome := range predicted.Broken {
		_, failed[model] = compare(t.kindName, t.got, outcome, false)
	}
	return cause, failed, nil
}

// converted tells whether a manager has fields of another version, and the versions differ.
func (t *triple) converted(live object) bool {
	return t.kind.other != "" && !t.kind.alike && slices.ContainsFunc(managedFields(live), func(e object) bool {
		return e["apiVersion"] != live["apiVersion"]
	})
}

// newConfig returns a package.
func (t *triple) newConfig() object {
	value, _ := generate(t.r, t.kind.object)
	config := value.(object)
	metadata := maps.Clone(config["metadata"].(object))
	metadata["name"] = t.name
	if t.tool != nil && strings.Contains(t.kind.path, "/namespaces/") {
		metadata["namespace"] = "default" // as every tool sends it
	}
	config["metadata"] = metadata
	return config
}

// version returns the package in one of the versions of its kind, if they are equal, and the
// object's path in it.
func (t *triple) version(config object) (string, object) {
	if !t.kind.alike || t.r.IntN(2) == 0 {
		return t.path(), config
	}
	_, rest, _ := strings.Cut(t.kind.other, "/apis/")
	version, _, _ := strings.Cut(rest, "/namespaces/")
	config = maps.Clone(config)
	config["apiVersion"] = version
	return t.kind.other + "/" + t.name, config
}

// step changes the live object. A change that the API server refuses does not count.
func (t *triple) step() {
	config := pick(t.r, t.configs)
	manager, updater, clientSide := pick(t.r, t.appliers()), pick(t.r, t.updaters()), "kubectl-client-side-apply"
	if t.tool != nil && t.r.IntN(3) == 0 {
		clientSide = updater
	}
	var got answer
	what := ""
	switch t.r.IntN(10) {
	case 0, 1, 2, 3:
		path, config := t.version(t.byTool(config, manager))
		what, got = "apply as "+manager, t.api.patch(path, manager, applyPatch, config, t.r.IntN(2) == 0)
	case 4:
		body, _ := json.Marshal(config)
		what, got = "create as "+updater, t.api.do(http.MethodPost, t.kind.path+"?fieldManager="+updater, "application/json", body)
	case 5, 6:
		path := t.path()
		change := t.newConfig()
		if t.kind.other != "" && t.r.IntN(2) == 0 {
			path = t.kind.other + "/" + t.name
			delete(change, "apiVersion")
		}
		what, got = "update as "+updater, t.api.patch(path, updater, mergePatch, change, false)
	case 7:
		switch status, _ := generate(t.r, t.kind.status); {
		case t.kind.scale && t.r.IntN(2) == 0:
			what, got = "scale", t.api.patch(t.path()+"/scale", "hpa", mergePatch, object{"spec": object{"replicas": 1 + t.r.IntN(4)}}, false)
		case t.kind.status != nil:
			config, what = object{"status": status}, "status as "+updater
			got = t.api.patch(t.path()+"/status", updater, mergePatch, config, false)
		}
	case 8:
		last := text(config) + "\n"
		config = overlay(config, object{"metadata": object{"annotations": object{"kubectl.kubernetes.io/last-applied-configuration": last}}})
		what, got = "client-side apply as "+clientSide, t.api.patch(t.path(), clientSide, mergePatch, config, false)
	case 9:
		if t.tool != nil || t.r.IntN(3) == 0 {
			config = object{"metadata": object{"managedFields": []any{object{}}}}
			what, got = "managers removed", t.api.patch(t.path(), updater, mergePatch, config, false)
		}
	}
	if what != "" {
		t.steps = append(t.steps, fmt.Sprintf("%s (%d): %s", what, got.code, text(config)))
	}
}

// remove deletes the object, whatever its finalizers are.
func (t *triple) remove() {
	t.api.patch(t.path(), "test", mergePatch, object{"metadata": object{"finalizers": nil}}, false)
	t.api.do(http.MethodDelete, t.path(), "", nil)
}

// timeOf returns the time of the manager's entry after its apply, which determines the order of the
// entries.
func (t *triple) timeOf(got answer, manager string) string {
	for _, e := range managedFields(got.object) {
		if e["manager"] == manager && e["operation"] == "Apply" {
			if text, ok := e["time"].(string); ok {
				return text
			}
		}
	}
	return time.Now().UTC().Format(time.RFC3339)
}

func managedFields(o object) []object {
	metadata, _ := o["metadata"].(object)
	list, _ := metadata["managedFields"].([]any)
	var all []object
	for _, e := range list {
		if entry, ok := e.(object); ok {
			all = append(all, entry)
		}
	}
	return all
}

// overlay merges maps into maps.
func overlay(base, over object) object {
	out := maps.Clone(base)
	for key, value := range over {
		inner, isMap := value.(object)
		below, wasMap := out[key].(object)
		if isMap && wasMap {
			out[key] = overlay(below, inner)
			continue
		}
		out[key] = value
	}
	return out
}

func text(value any) string {
	out, err := json.Marshal(value)
	if err != nil {
		return err.Error()
	}
	return string(out)
}

func sortedKeys(o object) []string { return slices.Sorted(maps.Keys(o)) }

// A predictor is a running command predict.
type predictor struct{ *lines }

// lines is a running program that answers each line by a line.
type lines struct {
	in      io.Writer
	decoder *json.Decoder
}

// An outcome is what is predicted.
type outcome struct {
	Object    object
	Conflicts []conflict
	Refused   string
	Invalid   string
	Error     string
	// Broken are the outcomes of broken models.
	Broken map[string]outcome
}

type conflict struct{ Manager, Field string }

func startPredictor(t *testing.T) *predictor {
	return &predictor{startLines(t, "krm-fields-predict", crds)}
}

func startLines(t *testing.T, program string, args ...string) *lines {
	cmd := exec.Command(program, args...)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	})
	decoder := json.NewDecoder(bufio.NewReader(out))
	decoder.UseNumber()
	return &lines{in: in, decoder: decoder}
}

// ask sends a line and reads the answer.
func (l *lines) ask(line, into any) error {
	if _, err := io.WriteString(l.in, text(line)+"\n"); err != nil {
		return err
	}
	return l.decoder.Decode(into)
}

func (p *predictor) predict(line object) (outcome, error) {
	var result outcome
	err := p.ask(line, &result)
	if err == nil && result.Error != "" {
		err = fmt.Errorf("can't predict: %s", result.Error)
	}
	return result, err
}

// compare compares a prediction with the API server, and returns how they agree or why they differ.
func compare(kindName string, got answer, predicted outcome, inOrder bool) (string, error) {
	conflicts := conflictsOf(got.object)
	switch {
	case got.err != nil:
		return "", got.err
	case len(conflicts) > 0 || len(predicted.Conflicts) > 0:
		if !slices.Equal(conflicts, sorted(predicted.Conflicts)) {
			return "", fmt.Errorf("conflicts differ:\n     got %v (%s)\npredicted %v %s", conflicts, got, sorted(predicted.Conflicts), predicted.Refused)
		}
		return "equal: conflict", nil
	case got.code == http.StatusOK || got.code == http.StatusCreated:
		if said := predicted.Refused + predicted.Invalid; said != "" {
			return "", fmt.Errorf("predicted to be refused (%s), was %s", said, got)
		}
		return compareObjects(kindName, got.object, predicted.Object, inOrder)
	case predicted.Refused != "":
		return "equal: refused", nil
	case predicted.Invalid != "" && got.code == http.StatusUnprocessableEntity:
		return "equal: invalid", nil
	case got.code == http.StatusUnprocessableEntity:
		return "differs: validation", nil
	case got.code == http.StatusForbidden:
		return "differs: admission", nil
	}
	return "", fmt.Errorf("not predicted: %s", got)
}

func sorted(all []conflict) []conflict {
	slices.SortFunc(all, func(a, b conflict) int {
		return strings.Compare(a.Manager+" "+a.Field, b.Manager+" "+b.Field)
	})
	return all
}

// conflictsOf are the conflicts of an answer.
func conflictsOf(status object) []conflict {
	details, _ := status["details"].(object)
	causes, _ := details["causes"].([]any)
	var all []conflict
	for _, c := range causes {
		cause, _ := c.(object)
		if cause["reason"] != "FieldManagerConflict" {
			continue
		}
		message, _ := cause["message"].(string)
		field, _ := cause["field"].(string)
		quoted := strings.TrimPrefix(message, "conflict with ")
		quoted, _ = strconv.QuotedPrefix(quoted)
		manager, _ := strconv.Unquote(quoted)
		all = append(all, conflict{manager, field})
	}
	return sorted(all)
}

// compareObjects compares stored objects, except for the versions, times and identity that the API
// server sets.
func compareObjects(kindName string, got, predicted object, inOrder bool) (string, error) {
	got, predicted = stable(got), stable(predicted)
	gotEntries, predictedEntries := take(got), take(predicted)
	if !inOrder {
		sortByText(gotEntries)
		sortByText(predictedEntries)
	}
	if !reflect.DeepEqual(gotEntries, predictedEntries) {
		return "", fmt.Errorf("managedFields differ:\n      got %s\npredicted %s", text(gotEntries), text(predictedEntries))
	}
	if kindName == "Service" {
		removeAllocated(got, predicted)
	}
	if !reflect.DeepEqual(got, predicted) {
		return "", fmt.Errorf("objects differ:\n      got %s\npredicted %s", text(got), text(predicted))
	}
	return "equal: stored", nil
}

func sortByText(entries []any) {
	slices.SortFunc(entries, func(a, b any) int { return strings.Compare(text(a), text(b)) })
}

// removeAllocated removes what the API server allocates to a new Service.
func removeAllocated(got, predicted object) {
	stored, _ := got["spec"].(object)
	spec, _ := predicted["spec"].(object)
	for _, field := range []string{"clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"} {
		if _, ok := spec[field]; !ok {
			delete(stored, field)
		}
	}
}

// stable returns a copy of an object without what only the API server sets.
func stable(o object) object {
	var copied object
	decoder := json.NewDecoder(strings.NewReader(text(o)))
	decoder.UseNumber()
	if err := decoder.Decode(&copied); err != nil {
		return o
	}
	metadata, _ := copied["metadata"].(object)
	for _, name := range []string{"resourceVersion", "generation", "uid", "creationTimestamp", "namespace"} {
		delete(metadata, name)
	}
	for _, entry := range managedFields(copied) {
		delete(entry, "time")
	}
	return copied
}

// take removes and returns the managedFields of an object.
func take(o object) []any {
	metadata, _ := o["metadata"].(object)
	entries, _ := metadata["managedFields"].([]any)
	delete(metadata, "managedFields")
	return entries
}
