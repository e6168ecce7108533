package kubectl

import "testing"

// TestMemberOf compares with what kubectl 1.37.2 sets.
func TestMemberOf(t *testing.T) {
	for applySet, want := range map[string]string{
		"configmaps/set":    "applyset-_6C-y8MlX3osI_qGWmTMnyfOiMXjgb_RmbiVUrl1hZM-v1",
		"configmap/set":     "applyset-_6C-y8MlX3osI_qGWmTMnyfOiMXjgb_RmbiVUrl1hZM-v1",
		"shops.example/set": "",
	} {
		if got := MemberOf(applySet, "asked"); got != want {
			t.Errorf("%s: must be %q, found %q", applySet, want, got)
		}
	}
	if got, want := MemberOf("set", "shop"), "applyset-FzxrwoaIPTCEj0WYvvKYzh_1_3tCFpkt2KWr_V1lRL4-v1"; got != want {
		t.Errorf("a name alone is a Secret's: must be %q, found %q", want, got)
	}
}
