package main

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestSelectRows(t *testing.T) {
	for _, test := range []struct {
		names string
		want  []string
	}{
		{"strip", []string{"strip"}},
		{"rich-tenth", []string{"rich-tenth"}},
		{"empty,in-place", []string{"mixed-in-place", "rich-in-place", "large-in-place", "style-in-place", "empty"}},
		{"scale", []string{"scale-mixed", "scale-rich"}},
		{"million", []string{"million"}},
		{"plan,tiny", []string{"tiny-all", "tiny-tenth", "commands-plan"}},
	} {
		selected, err := selectRows(strings.Split(test.names, ","))
		if err != nil {
			t.Fatal(err)
		}
		if got := namesOf(selected); !slices.Equal(got, test.want) {
			t.Errorf("rows of %q: got %q, want %q", test.names, got, test.want)
		}
	}
	if _, err := selectRows([]string{"tenths"}); err == nil || !strings.Contains(err.Error(), `"tenths"`) {
		t.Errorf("a row that is not there: got %v, want an error that quotes it", err)
	}
	if slices.Contains(usualRows(), "million") {
		t.Error("the row million must be asked for")
	}
}

// TestChecksCanFail holds the checks of each package to its objects as they are, which no run has
// changed.
func TestChecksCanFail(t *testing.T) {
	for _, p := range packs {
		var list bytes.Buffer
		if err := p.kind.WriteList(&list, p.objects, p.config("")); err != nil {
			t.Fatal(err)
		}
		if err := countLines(p.kept)(bytes.NewReader(list.Bytes())); err != nil {
			t.Errorf("%s: %v", p.name, err)
		}
		for line, n := range p.stripped {
			if err := countLines(map[string]int{line: n})(bytes.NewReader(list.Bytes())); err == nil {
				t.Errorf("%s: the line %q must be there before fields are ignored", p.name, line)
			}
		}
		if p.brief {
			continue // no task on files
		}
		dir := t.TempDir()
		if _, err := p.kind.WriteFolder(dir, min(p.objects, 100)); err != nil {
			t.Fatal(err)
		}
		if err := checkFiles(dir, p.gone, min(p.objects, 100)); err == nil || !strings.Contains(err.Error(), "still has") {
			t.Errorf("%s: files as they are: got %v, want an error", p.name, err)
		}
		if err := checkFiles(dir, "no such key:", min(p.objects, 100)); err != nil {
			t.Errorf("%s: %v", p.name, err)
		}
	}
}

func TestVersus(t *testing.T) {
	ms := func(wall, cpu, rss int) run {
		return run{wall: time.Duration(wall) * time.Millisecond, cpu: time.Duration(cpu) * time.Millisecond, rss: int64(rss) << 20}
	}
	own := contestant{name: "krm-fields", objects: 100}
	w := versus("strip", own, peer{contestant{name: "peer", objects: 50}, 20, 5})
	findings := w.judge([]costs{
		{ms(10, 20, 10), ms(100, 20, 10), ms(20, 20, 10)}, // the second in a busy spell
		{ms(100, 50, 40), ms(1000, 50, 40), ms(100, 50, 40)},
	})
	lines := []line{{work: "strip", contestant: own, findings: findings[0]}, {work: "strip", contestant: w.contestants[1], findings: findings[1]}}
	if got, want := lines[1].texts(), "time 20.0 x (target 20 x), CPU 5.0 x, memory 4.0 x (target 5 x)"; got != want {
		t.Errorf("findings: got %q, want %q", got, want)
	}
	if lines[0].mark() != "" || lines[1].mark() != "missed" {
		t.Errorf("marks: got %q and %q, want none and missed", lines[0].mark(), lines[1].mark())
	}
	var out strings.Builder
	printTargets(&out, lines)
	if want := "\nTargets: 2, met: 1, missed: 1.\n\n- strip, peer: memory 4.0 x (target 5 x)\n"; out.String() != want {
		t.Errorf("targets: got %q, want %q", out.String(), want)
	}
}

// TestDimensions holds that each dimension makes inputs that differ in size, and each command
// has one with all the files that it names.
func TestDimensions(t *testing.T) {
	b, measured := bench{data: t.TempDir()}, map[string]bool{}
	for _, d := range dimensions {
		few, many := 0, 0
		for _, text := range d.files(10) {
			few += len(text)
		}
		for _, text := range d.files(10 * growthStep) {
			many += len(text)
		}
		if many <= few {
			t.Errorf("%s: 10 are %d bytes, and %d are %d", d.name, few, 10*growthStep, many)
		}
		folder, err := b.growthInput(d, 10)
		if err != nil {
			t.Fatal(err)
		}
		for _, command := range growthCommands {
			if _, ok := b.growthContestant(folder, command.args); ok {
				measured[command.name] = true
			}
		}
	}
	for _, command := range growthCommands {
		if !measured[command.name] {
			t.Errorf("%s has no dimension", command.name)
		}
	}
}
