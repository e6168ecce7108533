package cluster

import (
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
)

// auditPolicy makes the API server log each answered request of a user other than the server
// itself.
const auditPolicy = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived, ResponseStarted]
rules:
- level: None
  userGroups: [system:serviceaccounts]
- level: None
  users: [system:apiserver]
- level: Metadata
`

// A request is a line of the audit log.
type request struct {
	Verb string
	User struct{ Username string }
	Ref  struct{ Resource, Namespace, Name, APIGroup, Subresource string } `json:"objectRef"`
	// Response has the status code.
	Response struct{ Code int } `json:"responseStatus"`
}

// right is the permission that the request needs: `patch deployments.apps`, `patch
// deployments.apps/status`.
func (r request) right() string {
	resource := r.Ref.Resource
	if r.Ref.APIGroup != "" {
		resource += "." + r.Ref.APIGroup
	}
	if r.Ref.Subresource != "" {
		resource += "/" + r.Ref.Subresource
	}
	return r.Verb + " " + resource
}

// requests returns the requests of a user to objects while a function runs, in order, without those
// by which kubectl reads the kinds of the API.
func requests(t *testing.T, user string, do func()) []request {
	t.Helper()
	before := len(auditLog(t))
	do()
	var all []request
	for line := range bytes.Lines(auditLog(t)[before:]) {
		var r request
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatalf("%v in the audit log: %s", err, line)
		}
		if r.User.Username == user && r.Ref.Resource != "" {
			all = append(all, r)
		}
	}
	return all
}

func auditLog(t *testing.T) []byte {
	t.Helper()
	text, err := os.ReadFile(cluster.file("audit.log"))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// rights returns the permissions that requests need, each once.
func rights(all []request) []string {
	var texts []string
	for _, r := range all {
		texts = append(texts, r.right())
	}
	slices.Sort(texts)
	return slices.Compact(texts)
}

// show lists requests for a message.
func show(all []request) string {
	var b strings.Builder
	for _, r := range all {
		b.WriteString("\n  " + r.right() + " " + r.Ref.Namespace + "/" + r.Ref.Name)
	}
	return b.String()
}
