package config

import (
	"errors"
	"testing"
	"time"
)

func TestDuration(t *testing.T) {
	tests := map[string]time.Duration{
		"1s": time.Second, "500ms": 500 * time.Millisecond, "1m30s": 90 * time.Second, "1ns": 1, "1.5h": 90 * time.Minute,
	}
	for text, want := range tests {
		var got Duration
		if err := got.UnmarshalText([]byte(text)); err != nil || got.Duration != want {
			t.Errorf("%s: %v, %v; want %v", text, got, err, want)
		}
	}
}

func TestDurationErrors(t *testing.T) {
	const must = "must be a duration such as 500ms or 1s, found "
	tests := map[string]string{
		"":      must + `""`,
		"1":     must + `"1"; did you mean "1s"?`,
		"0.5":   must + `"0.5"; did you mean "0.5s"?`,
		"1 s":   must + `"1 s"`,
		"soon":  must + `"soon"`,
		"NaN":   must + `"NaN"`,
		"0":     `must be a duration longer than zero, found "0"`,
		"-1s":   `must be a duration longer than zero, found "-1s"`,
		"9999h": "",
	}
	for text, want := range tests {
		checkTextError(t, text, new(Duration).UnmarshalText([]byte(text)), want)
	}
}

func TestMemory(t *testing.T) {
	tests := map[string]int64{
		"256Mi": 256 << 20, "1Gi": 1 << 30, "500M": 500_000_000, "1048576": 1 << 20, "1.5Ki": 1536, "1e6": 1_000_000,
		"2E3": 2000, "1k": 1000, "1": 1, "100Ei": 1<<63 - 1,
	}
	for text, want := range tests {
		var got Memory
		if err := got.UnmarshalText([]byte(text)); err != nil || got.Bytes != want || got.String() != text {
			t.Errorf("%s: %d bytes, %q, %v; want %d", text, got.Bytes, got, err, want)
		}
	}
}

func TestMemoryErrors(t *testing.T) {
	const must = "must be a whole number of bytes such as 256Mi or 1Gi, found "
	tests := map[string]string{
		"":            must + `""`,
		"lots":        must + `"lots"`,
		"256MB":       must + `"256MB"; did you mean "256M"?`,
		"256 MiB":     must + `"256 MiB"; did you mean "256Mi"?`,
		"256mi":       must + `"256mi"; did you mean "256Mi"?`,
		"256m":        must + `"256m"; did you mean "256M"?`,
		"1K":          must + `"1K"; did you mean "1k"?`,
		"0.5":         must + `"0.5"`,
		"1e999":       must + `"1e999"`,
		"1e-99999999": must + `"1e-99999999"`,
		"0":           `must be more than zero bytes, found "0"`,
		"-1Mi":        `must be more than zero bytes, found "-1Mi"`,
	}
	for text, want := range tests {
		checkTextError(t, text, new(Memory).UnmarshalText([]byte(text)), want)
	}
}

func checkTextError(t *testing.T, text string, err error, want string) {
	t.Helper()
	if want == "" {
		if err != nil {
			t.Errorf("%q: unexpected error %v", text, err)
		}
		return
	}
	var textError *TextError
	if !errors.As(err, &textError) || textError.Text != text || err.Error() != want {
		t.Errorf("%q: error %v, want %s", text, err, want)
	}
}

func FuzzMemory(f *testing.F) {
	for _, text := range []string{"256Mi", "1e3", "1E", "1e-9", "0.000001", "+1Gi", "256MiB", "1e99"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var m Memory
		err := m.UnmarshalText([]byte(text))
		if (err == nil) != (m.Bytes > 0) {
			t.Errorf("%q: %d bytes, error %v", text, m.Bytes, err)
		}
		var textError *TextError
		if errors.As(err, &textError) && textError.Fix != "" {
			if err := m.UnmarshalText([]byte(textError.Fix)); err != nil {
				t.Errorf("%q: the fix %q is refused: %v", text, textError.Fix, err)
			}
		}
	})
}
