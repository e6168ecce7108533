package cluster

import (
	"slices"
	"testing"
)

const sample = "# Title\n\n```sh\n$ not run\n```\n\n```console\n$ echo one\none\n$ true\n$ echo two \\\n    three\nat 12:… of\nthe day\n```\nText.\n"

func TestStepsOfPage(t *testing.T) {
	p := parsePage(sample)
	var commands, outputs []string
	for _, s := range p.steps {
		commands, outputs = append(commands, s.command), append(outputs, p.want(s))
	}
	if want := []string{"echo one", "true", "echo two \\\n    three"}; !slices.Equal(commands, want) {
		t.Errorf("commands: got %q, want %q", commands, want)
	}
	if want := []string{"one", "", "at 12:… of\nthe day"}; !slices.Equal(outputs, want) {
		t.Errorf("outputs: got %q, want %q", outputs, want)
	}
}

func TestPagePrints(t *testing.T) {
	p := parsePage(sample)
	for _, test := range []struct {
		step   int
		output string
		want   bool
	}{
		{0, "one", true}, {0, "one\ntwo", false}, {0, "", false}, {1, "", true}, {1, "error", false},
		{2, "at 12:34 of\nthe day", true}, {2, "at 12: of\nthe day", true}, {2, "at 12:34\n of\nthe day", false},
		{2, "at 13:00 of\nthe day", false},
	} {
		if got := p.prints(p.steps[test.step], test.output); got != test.want {
			t.Errorf("step %d, output %q: got %v, want %v", test.step, test.output, got, test.want)
		}
	}
}

func TestPageWithOutputs(t *testing.T) {
	got := parsePage(sample).with([]string{"other", "a\nb", "at 12:34 of\nthe day"})
	want := "# Title\n\n```sh\n$ not run\n```\n\n```console\n$ echo one\nother\n$ true\na\nb\n$ echo two \\\n    three\n" +
		"at 12:… of\nthe day\n```\nText.\n"
	if got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}
