package cluster

import (
	"bytes"
	"fmt"
	"maps"
	"net/http"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// A tool applies by its own code.
type tool struct {
	// name is that of plan --as.
	name string
	// manager is its field manager, "" for any.
	manager string
	// forces tells that it forces every conflict.
	forces bool
	// adds are labels and annotations that it adds to the package of a name.
	adds func(name string) object
	// start starts it, and returns what applies the packages of triples.
	start func(t *testing.T) func([]*triple)
	// strict tells that it asks the API server to refuse fields that it does not know.
	strict bool
}

func (t *tool) String() string {
	if t == nil {
		return ""
	}
	return strings.ReplaceAll(t.name, "-", "")
}

var tools = []*tool{
	{name: "kubectl", start: kubectl},
	{name: "krm-fields", strict: true, start: krmFields},
	{name: "argocd", manager: "argocd-controller", forces: true, start: driver("apply-argocd"), adds: func(string) object {
		return object{"annotations": object{"argocd.argoproj.io/tracking-id": "shop"}}
	}},
	{name: "flux", manager: "kustomize-controller", forces: true, start: driver("apply-flux"), adds: func(string) object {
		return object{"labels": object{"kustomize.toolkit.fluxcd.io/name": "apps", "kustomize.toolkit.fluxcd.io/namespace": "flux-system"}}
	}},
	{name: "helm", manager: "helm", strict: true, start: driver("apply-helm"), adds: func(string) object {
		return object{"labels": object{"app.kubernetes.io/managed-by": "Helm"},
			"annotations": object{"meta.helm.sh/release-name": "shop", "meta.helm.sh/release-namespace": "default"}}
	}},
	{name: "kpt", start: driver("apply-kpt"), adds: func(name string) object {
		return object{"annotations": object{"config.k8s.io/owning-inventory": "i-" + name}}
	}},
	// The agent of Open Cluster Management, whose module is not to be had, makes nothing but the
	// request where a manifest has no ignoreFields.
	{name: "ocm", manager: "work-agent", start: func(*testing.T) func([]*triple) { return applyRequests }},
}

// brokenModels is how many models with a mistake must fail, at the least.
const brokenModels = 11

// TestToolTriples is TestTriples with each tool as the applier, by its own code. Each of the broken
// models, in e2e/predict, must fail in some triple.
func TestToolTriples(t *testing.T) {
	failed := map[string]map[string]int{} // in how many triples, by the model and the tool
	for _, tool := range tools {
		t.Run(tool.name, func(t *testing.T) {
			if program := "apply-argocd"; tool.name == "argocd" {
				if _, err := exec.LookPath(program); err != nil {
					t.Skipf("%s is not on the PATH; make test-tools builds it", program)
				}
			}
			for model, count := range runTriples(t, tool) {
				if failed[model] == nil {
					failed[model] = map[string]int{}
				}
				failed[model][tool.name] = count
			}
		})
	}
	for _, model := range slices.Sorted(maps.Keys(failed)) {
		total := 0
		for _, count := range failed[model] {
			total += count
		}
		t.Logf("%6d fails: %-55s %v", total, model, failed[model])
		if total == 0 && *triples >= 300 {
			t.Errorf("the broken model %q must fail in some triple", model)
		}
	}
	if len(failed) < brokenModels && !t.Failed() && *triples >= 300 {
		t.Errorf("there must be %d broken models, are %d; run the tests of all tools", brokenModels, len(failed))
	}
}

// appliers are the field managers that apply, more often that of the tool.
func (t *triple) appliers() []string {
	if t.tool == nil || t.tool.manager == "" {
		return appliers
	}
	return append([]string{t.tool.manager, t.tool.manager}, appliers...)
}

func (t *triple) updaters() []string {
	if t.tool == nil || t.tool.manager == "" {
		return updaters
	}
	return append([]string{t.tool.manager, t.tool.manager}, updaters...)
}

// byTool is a package as the tool applies it, if the manager is that of the tool.
func (t *triple) byTool(config object, manager string) object {
	if t.tool == nil || t.tool.adds == nil || t.tool.manager != "" && t.tool.manager != manager {
		return config
	}
	return overlay(config, object{"metadata": t.tool.adds(t.name)})
}

// withoutAdded is the package that was sent, without what the tool has added that the live object
// has, too: that counts as part of the package.
func (t *triple) withoutAdded() object {
	sent, there, own := inner(t.sent, "metadata"), inner(t.live, "metadata"), inner(t.config, "metadata")
	metadata := maps.Clone(sent)
	for _, field := range []string{"labels", "annotations"} {
		all, isMap := sent[field].(object)
		if !isMap {
			continue
		}
		left := maps.Clone(all)
		maps.DeleteFunc(left, func(key string, value any) bool {
			_, isOwn := inner(own, field)[key]
			return !isOwn && inner(there, field)[key] == value
		})
		if metadata[field] = left; len(left) == 0 && own[field] == nil {
			delete(metadata, field)
		}
	}
	out := maps.Clone(t.sent)
	out["metadata"] = metadata
	return out
}

// end reads what the tool has done. If it has failed, the same request again tells why.
func (t *triple) end(failure string) {
	if failure == "" {
		t.got = t.api.do(http.MethodGet, t.at, "", nil)
		return
	}
	manager := t.manager
	if t.tool.strict {
		manager += "&fieldValidation=Strict"
	}
	t.got = t.api.patch(t.at, manager, applyPatch, t.sent, t.force)
	if t.got.code == http.StatusOK || t.got.code == http.StatusCreated {
		t.got.err = fmt.Errorf("%s must succeed: %s", t.tool.name, failure)
	}
}

// kubectl applies by the program, all that the same manager applies in the same way at once.
func kubectl(t *testing.T) func([]*triple) {
	return atOnce(func(manager string, force bool, objects string) ([]byte, []byte, error) {
		return runOn(t, objects, "kubectl", "apply", "--server-side", "--validate=ignore", "--field-manager", manager,
			fmt.Sprintf("--force-conflicts=%v", force), "-f", "-")
	}, func(tr *triple) []string { return []string{"/" + tr.name + " serverside-applied"} })
}

func krmFields(t *testing.T) func([]*triple) {
	return atOnce(func(manager string, force bool, objects string) ([]byte, []byte, error) {
		return runOn(t, objects, "krm-fields", "apply", "--field-manager", manager, fmt.Sprintf("--force-conflicts=%v", force), "-")
	}, func(tr *triple) []string {
		return []string{tr.name + ": applied", tr.name + ": created", tr.name + ": unchanged"}
	})
}

func runOn(t *testing.T, in string, args ...string) ([]byte, []byte, error) {
	cmd := asAdmin.prepare(t, args...)
	var out, errOut bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(in), &out, &errOut
	err := cmd.Run()
	return out.Bytes(), errOut.Bytes(), err
}

// atOnce applies by a program whose stdout has one of the lines for each object that it applied.
func atOnce(apply func(manager string, force bool, objects string) (out, errOut []byte, err error), lines func(*triple) []string) func([]*triple) {
	return func(all []*triple) {
		for _, manager := range appliers {
			for _, force := range []bool{false, true} {
				group := slices.DeleteFunc(slices.Clone(all), func(t *triple) bool { return t.manager != manager || t.force != force })
				if len(group) == 0 {
					continue
				}
				var objects strings.Builder
				for _, t := range group {
					objects.WriteString("---\n" + text(t.config) + "\n")
				}
				out, errOut, _ := apply(manager, force, objects.String())
				for _, t := range group {
					if slices.ContainsFunc(lines(t), func(line string) bool { return strings.Contains(string(out), line) }) {
						t.end("")
					} else {
						t.end(string(errOut))
					}
				}
			}
		}
	}
}

// driver applies by a program with the tool's code.
func driver(program string) func(t *testing.T) func([]*triple) {
	return func(t *testing.T) func([]*triple) {
		l := startLines(t, program)
		return func(all []*triple) {
			for _, tr := range all {
				var answer struct {
					Sent  object
					Error string
				}
				err := l.ask(object{"package": tr.config, "live": tr.live, "manager": tr.manager, "force": tr.force}, &answer)
				if err != nil {
					tr.got.err = err
					continue
				}
				tr.sent = answer.Sent
				tr.end(answer.Error)
			}
		}
	}
}

// TestFluxIfNotPresent applies by Flux's code what docs/on-spoke-change.md says of it: with the
// annotation in the package, an object that exists is left as it is, and without it, the package
// is applied.
func TestFluxIfNotPresent(t *testing.T) {
	namespace(t, "flux")
	l := startLines(t, "apply-flux")
	for _, step := range []struct {
		annotation, color, want string
	}{
		{"IfNotPresent", "green", "green"},
		{"IfNotPresent", "blue", "red"}, // an edit on the cluster is left, and a change of the package, too
		{"", "blue", "blue"},
	} {
		metadata := object{"name": "settings", "namespace": "flux"}
		if step.annotation != "" {
			metadata["annotations"] = object{"kustomize.toolkit.fluxcd.io/ssa": step.annotation}
		}
		var answer struct{ Error string }
		config := object{"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": object{"color": step.color}}
		if err := l.ask(object{"package": config}, &answer); err != nil || answer.Error != "" {
			t.Fatal(err, answer.Error)
		}
		color := asAdmin.succeed(t, "kubectl", "get", "configmap", "settings", "--namespace", "flux", "-o", "jsonpath={.data.color}")
		if color != step.want {
			t.Errorf("%+v: the live object must be %s, is %s", step, step.want, color)
		}
		asAdmin.succeed(t, "kubectl", "patch", "configmap", "settings", "--namespace", "flux", "--type=merge", "--patch", `{"data": {"color": "red"}}`)
	}
}
