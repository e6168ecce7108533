package corpus

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"testing"

	"github.com/GoogleContainerTools/kpt-functions-sdk/go/fn"
)

const noRule = "apiVersion: fn.kpt.dev/v1alpha1\nkind: IgnoreFields\n"

func TestListIsTheSameEverywhere(t *testing.T) {
	tests := []struct {
		name   string
		kind   Kind
		objs   int
		sha256 string
	}{
		{"deployments", Deployments, 50, "1e67ae9499e033199637ce6001149bc177fb45395616024c3dd526571a534ba6"},
		{"mixed", Mixed, 50, "f2d647ef0a1117180b1f373b5de7d188b3a83d5f4705d7a971d9cc9ca0b4e506"},
		{"empty", Mixed, 0, "43d405f7d4f37def558cf4f93366039b0da258ea5012f5f6982ee10697d790b0"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var list bytes.Buffer
			if err := test.kind.WriteList(&list, test.objs, noRule); err != nil {
				t.Fatal(err)
			}
			if got := sum(list.Bytes()); got != test.sha256 {
				t.Errorf("sha256 of the list: got %s, want %s", got, test.sha256)
			}
			parsed, err := fn.ParseResourceList(list.Bytes())
			if err != nil {
				t.Fatal(err)
			}
			if got := len(parsed.Items); got != test.objs {
				t.Errorf("items: got %d, want %d", got, test.objs)
			}
		})
	}
}

func TestEveryTeamHasATenthOfEachKind(t *testing.T) {
	var list bytes.Buffer
	if err := Mixed.WriteList(&list, 400, noRule); err != nil {
		t.Fatal(err)
	}
	parsed, err := fn.ParseResourceList(list.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	for _, item := range parsed.Items {
		if item.GetNamespace() == "team-0" {
			count[item.GetKind()]++
		}
	}
	for _, kind := range []string{"Deployment", "ConfigMap", "VirtualService", "Secret"} {
		if count[kind] != 10 {
			t.Errorf("%s objects in team-0: got %d, want 10", kind, count[kind])
		}
	}
}

func TestStreamHasTheObjectsOfTheList(t *testing.T) {
	var stream bytes.Buffer
	if err := Deployments.WriteStream(&stream, 3); err != nil {
		t.Fatal(err)
	}
	objects, err := fn.ParseKubeObjects(stream.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if got := len(objects); got != 3 {
		t.Fatalf("documents: got %d, want 3", got)
	}
	if got := objects[2].GetName(); got != "app-2" {
		t.Errorf("name of the last: got %q, want %q", got, "app-2")
	}
}

func sum(data []byte) string {
	digest := sha256.Sum256(data)
	return hex.EncodeToString(digest[:])
}
