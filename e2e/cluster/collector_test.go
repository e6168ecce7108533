package cluster

import (
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"
)

// collected are the lists of a namespace that the collector reads.
var collected = []string{"/apis/apps/v1/namespaces/%s/deployments", "/api/v1/namespaces/%s/configmaps"}

// A collector does for Deployments and ConfigMaps what the garbage collector of Kubernetes does,
// which runs in the controller manager: it deletes the dependents of an object that is deleted in
// the foreground, removes the owner reference from the orphans of another one, and then removes the
// object's finalizer.
type collector struct {
	api   *api
	lists []string
}

// step collects once. It returns what it did: "foreground NAME", "orphan NAME".
func (c collector) step() []string {
	var all []object
	paths := map[string]string{}
	for _, path := range c.lists {
		items, _ := c.api.do(http.MethodGet, path, "", nil).object["items"].([]any)
		for _, item := range items {
			o := item.(object)
			all = append(all, o)
			paths[uidOf(o)] = path + "/" + meta(o)["name"].(string)
		}
	}
	var did []string
	for _, o := range all {
		finalizers, _ := meta(o)["finalizers"].([]any)
		for finalizer, what := range map[string]string{"foregroundDeletion": "foreground", "orphan": "orphan"} {
			if !slices.Contains(finalizers, any(finalizer)) {
				continue
			}
			for _, dependent := range all {
				references, _ := meta(dependent)["ownerReferences"].([]any)
				if !slices.ContainsFunc(references, func(r any) bool { return r.(object)["uid"] == uidOf(o) }) {
					continue
				}
				path := paths[uidOf(dependent)]
				if what == "foreground" {
					c.api.do(http.MethodDelete, path, "", nil)
				} else {
					c.api.patch(path, "garbage-collector", mergePatch, object{"metadata": object{"ownerReferences": nil}}, false)
				}
			}
			c.api.patch(paths[uidOf(o)], "garbage-collector", mergePatch, object{"metadata": object{"finalizers": nil}}, false)
			did = append(did, what+" "+meta(o)["name"].(string))
		}
	}
	return did
}

func meta(o object) object {
	metadata, _ := o["metadata"].(object)
	return metadata
}

func uidOf(o object) string {
	uid, _ := meta(o)["uid"].(string)
	return uid
}

// collecting collects in a namespace while a function runs, and returns the steps.
func collecting(t *testing.T, namespace string, do func()) []string {
	t.Helper()
	c := collector{api: newAPI(t)}
	for _, list := range collected {
		c.lists = append(c.lists, fmt.Sprintf(list, namespace))
	}
	done, stopped := make(chan struct{}), make(chan []string)
	go func() {
		var all []string
		ticker := time.NewTicker(50 * time.Millisecond)
		defer ticker.Stop()
		for {
			all = append(all, c.step()...)
			select {
			case <-done:
				stopped <- append(all, c.step()...)
				return
			case <-ticker.C:
			}
		}
	}()
	do()
	close(done)
	return <-stopped
}
