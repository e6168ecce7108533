package location

import (
	"slices"
	"testing"
)

func FuzzPointer(f *testing.F) {
	f.Add("a~b", "c/d")
	f.Add("~1", "")
	f.Add("*", "~0~01/")
	f.Fuzz(func(t *testing.T, first, second string) {
		pointer := Location{Key(first), Key(second)}.Pointer()
		if at := BadEscape(pointer); at >= 0 {
			t.Errorf("%q has a bad escape at %d", pointer, at)
		}
		if got := PointerSegments(pointer); !slices.Equal(got, []string{first, second}) {
			t.Errorf("%q is %q, want %q and %q", pointer, got, first, second)
		}
		if again := PointerOf(first, second); again != pointer {
			t.Errorf("%q and %q are %q and %q", first, second, pointer, again)
		}
	})
}

func TestListIndex(t *testing.T) {
	for text, want := range map[string]int{"0": 0, "12": 12, "01": -1, "-1": -1, "": -1, "1x": -1, "99999999999999999999": 1<<63 - 1} {
		got, ok := ListIndex(text)
		if ok != (want >= 0) || ok && got != want {
			t.Errorf("%q is %d, %v, want %d", text, got, ok, want)
		}
	}
}
