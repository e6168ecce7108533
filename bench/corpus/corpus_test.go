package corpus

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kptdev/krm-functions-sdk/go/fn"
)

const noRule = "apiVersion: fn.kpt.dev/v1alpha1\nkind: IgnoreFields\n"

// kinds are those of this package, with how many objects of them a test makes.
var kinds = []struct {
	name string
	kind Kind
	objs int
	// sha256 is of the list.
	sha256 string
}{
	{"deployments", Deployments, 50, "1e67ae9499e033199637ce6001149bc177fb45395616024c3dd526571a534ba6"},
	{"mixed", Mixed, 50, "f2d647ef0a1117180b1f373b5de7d188b3a83d5f4705d7a971d9cc9ca0b4e506"},
	{"rich", Rich, 50, "1acf8f6170723b28009b777e625b85e201384da82b14b1f30397909d8dcc17c0"},
	{"large", Large, 30, "0a978cd477b4ba488f2b7574a994b9670e0142f599ee6804d58420d767ef26c8"},
	{"style", Style, 40, "12be938175aaaa2421ccd292aa4128f92730386adaeccce93ada9d9f7caccfbd"},
	{"pods", Pods, 20, "d04c8121fc47f626b7685dc28b3ad5c6f1832aee480307c6e4a23cb1ccc35c2b"},
	{"live", Live, 20, "96ae67bffe1b20e860ce9dbd7c6312baf186654df1a8652352ea23d493c66e0b"},
	{"helm", Helm, 40, "a2952fbe504d2e32f1b1cbafe113a1b49c41617fd46f4ad103d1f820d4a7f76b"},
	{"crds", CRDs, 20, "0e55bb5f436c03886b8e03cc36a0271ef03bad6176e0fdfee18a7529dd10943f"},
	{"crossplane", Crossplane, 20, "3035e6046127da7a6925c41a8f74ea0e629ae6dbefb2dc4d188b0118ddd255ef"},
	{"dashboards", Dashboards, 20, "744de14052e8316e6fa58f8ff24a025f706aae90a87c47dab4edc8c78c0c7451"},
	{"tiny", Tiny, 20, "a8562cd13685461a162038694b15cf0680e119eebd5d5c77bdbc4747daa47b95"},
	{"empty", Mixed, 0, "43d405f7d4f37def558cf4f93366039b0da258ea5012f5f6982ee10697d790b0"},
}

func TestListIsTheSameEverywhere(t *testing.T) {
	for _, test := range kinds {
		t.Run(test.name, func(t *testing.T) {
			var list bytes.Buffer
			if err := test.kind.WriteList(&list, test.objs, noRule); err != nil {
				t.Fatal(err)
			}
			if got := sum(list.Bytes()); got != test.sha256 {
				t.Errorf("sha256 of the list: got %s, want %s", got, test.sha256)
			}
			if got, want := itemsOf(t, list.Bytes()), test.kind.Objects(test.objs); !slices.Equal(got, want) {
				t.Errorf("names of the items: got %v, want %v", got, want)
			}
		})
	}
}

// itemsOf returns the names of the items of a list, which must each have the annotations of a host.
func itemsOf(t *testing.T, list []byte) []Object {
	t.Helper()
	parsed, err := fn.ParseResourceList(list)
	if err != nil {
		t.Fatal(err)
	}
	names := []Object{}
	for _, item := range parsed.Items {
		if got := item.GetAnnotation("config.k8s.io/id"); got == "" {
			t.Errorf("%s has no annotations of a host", item.ShortString())
		}
		names = append(names, Object{item.GetAPIVersion(), item.GetKind(), item.GetNamespace(), item.GetName()})
	}
	return names
}

func TestFilesHoldTheObjectsOfTheList(t *testing.T) {
	for _, test := range kinds {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			files, err := test.kind.WriteFolder(dir, test.objs)
			if err != nil {
				t.Fatal(err)
			}
			paths, err := filepath.Glob(filepath.Join(dir, "package-*", "*"))
			if err != nil {
				t.Fatal(err)
			}
			if len(paths) != files {
				t.Errorf("files: got %d, said %d", len(paths), files)
			}
			names := map[Object]bool{}
			for _, path := range paths {
				text, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				objects, err := fn.ParseKubeObjects(text)
				if err != nil {
					t.Fatalf("%s: %v", path, err)
				}
				for _, o := range objects {
					names[Object{o.GetAPIVersion(), o.GetKind(), o.GetNamespace(), o.GetName()}] = true
				}
			}
			for _, want := range test.kind.Objects(test.objs) {
				if !names[want] {
					t.Errorf("%+v is in no file", want)
				}
			}
			if len(names) != test.objs {
				t.Errorf("objects: got %d, want %d", len(names), test.objs)
			}
		})
	}
}

func TestLiveObjectsFollowTheirObject(t *testing.T) {
	var list bytes.Buffer
	if err := Rich.WriteLiveList(&list, 20, []string{"replicas: 3", "replicas: 5"}, noRule); err != nil {
		t.Fatal(err)
	}
	parsed, err := fn.ParseResourceList(list.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if got := len(parsed.Items); got != 40 {
		t.Fatalf("items: got %d, want 40", got)
	}
	for i, item := range parsed.Items {
		if want := []string{"", "true"}[i%2]; item.GetAnnotation("fn.kpt.dev/live") != want {
			t.Errorf("item %d: the annotation fn.kpt.dev/live must be %q", i, want)
		}
	}
	replicas, _, err := parsed.Items[1].NestedInt("spec", "replicas")
	if err != nil || replicas != 5 {
		t.Errorf("spec.replicas of the first live object: got %d (%v), want 5", replicas, err)
	}
}

func TestSizes(t *testing.T) {
	average := func(k Kind) int {
		size := 0
		for i := range 100 {
			size += len(k.manifest(i))
		}
		return size / 100
	}
	if got := average(Rich); got < 1300 || got > 1700 {
		t.Errorf("bytes of a rich object: got %d, want some 1,500", got)
	}
	definition, prices, dashboard := Large.manifest(0), Large.manifest(teams), Large.manifest(2*teams)
	if got := strings.Count(definition, "\n"); got < 20_000 || got > 25_000 {
		t.Errorf("lines of a large definition: got %d, want some 20,000", got)
	}
	if got := len(prices); got < 500_000 || got > 550_000 {
		t.Errorf("bytes of a large ConfigMap: got %d, want some 500,000", got)
	}
	if got := len(dashboard); got < 200_000 || got > 300_000 {
		t.Errorf("bytes of a dashboard: got %d, want some 250,000", got)
	}
}

func TestDashboardIsJSON(t *testing.T) {
	objects, err := fn.ParseKubeObjects([]byte(Large.manifest(2 * teams)))
	if err != nil {
		t.Fatal(err)
	}
	text, _, err := objects[0].NestedString("data", "dashboard-20.json")
	if err != nil || !json.Valid([]byte(text)) {
		t.Errorf("the dashboard must be JSON, found %.80q… (%v)", text, err)
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
