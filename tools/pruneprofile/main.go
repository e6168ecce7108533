// Command pruneprofile keeps of a CPU profile the calls that take most of the time. The compiler
// takes all calls of a profile but those of the last percent for hot ones and inlines them, which
// makes the program larger and hardly faster.
package main

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"slices"

	"github.com/google/pprof/profile"
)

func main() {
	share := flag.Float64("share", 0.58, "`part` of the samples of all calls that those of the calls to keep are")
	flag.Parse()
	if flag.NArg() != 1 || *share <= 0 || *share > 1 {
		fmt.Fprintln(os.Stderr, "usage: pruneprofile [-share 0.58] PROFILE")
		os.Exit(2)
	}
	if err := pruneFile(flag.Arg(0), *share); err != nil {
		fmt.Fprintln(os.Stderr, "pruneprofile:", err)
		os.Exit(1)
	}
}

// pruneFile prunes the profile in a file.
func pruneFile(path string, share float64) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	full, err := profile.ParseData(text)
	if err != nil {
		return err
	}
	out, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := prune(full, share).Write(out); err != nil {
		return err
	}
	return out.Close()
}

// call is a call as the compiler finds it in a profile: it looks at no more of a stack than two
// frames.
type call struct {
	caller, callee string
	// line is that of the call, and start the first of the caller.
	line, start int64
}

// sampled is a call with its samples.
type sampled struct {
	call
	samples int64
}

// prune returns a profile of the calls that have most samples, and together a share of those of all
// calls.
func prune(full *profile.Profile, share float64) *profile.Profile {
	calls := callsOf(full)
	var total int64
	for _, c := range calls {
		total += c.samples
	}
	b := builder{profile: &profile.Profile{SampleType: full.SampleType[:1]}, functions: map[string]*profile.Function{}}
	var kept int64
	for _, c := range calls {
		if float64(kept) >= share*float64(total) {
			break
		}
		kept += c.samples
		b.add(c)
	}
	return b.profile
}

// callsOf returns the calls of a profile, those with most samples first. A call that a stack has
// twice counts once.
func callsOf(p *profile.Profile) []sampled {
	samples := map[call]int64{}
	for _, sample := range p.Sample {
		seen := map[call]bool{}
		for _, c := range callsIn(sample) {
			if !seen[c] {
				seen[c] = true
				samples[c] += sample.Value[0] // how often this stack was found
			}
		}
	}
	calls := make([]sampled, 0, len(samples))
	for c, n := range samples {
		calls = append(calls, sampled{call: c, samples: n})
	}
	slices.SortFunc(calls, func(a, b sampled) int {
		return cmp.Or(
			cmp.Compare(b.samples, a.samples), cmp.Compare(a.caller, b.caller), cmp.Compare(a.callee, b.callee),
			cmp.Compare(a.line, b.line),
		)
	})
	return calls
}

// callsIn returns the calls of the stack of a sample, inlined ones too.
func callsIn(sample *profile.Sample) []call {
	var calls []call
	callee := ""
	for _, location := range sample.Location {
		for _, at := range location.Line {
			if callee != "" {
				calls = append(calls, call{
					caller: at.Function.Name, callee: callee, line: at.Line, start: at.Function.StartLine,
				})
			}
			callee = at.Function.Name
		}
	}
	return calls
}

// builder builds a profile with a sample for each call.
type builder struct {
	profile   *profile.Profile
	functions map[string]*profile.Function
}

func (b *builder) add(c sampled) {
	caller := b.function(c.caller)
	caller.StartLine = c.start
	stack := []*profile.Location{b.location(b.function(c.callee), 0), b.location(caller, c.line)}
	b.profile.Sample = append(b.profile.Sample, &profile.Sample{Location: stack, Value: []int64{c.samples}})
}

func (b *builder) function(name string) *profile.Function {
	f, ok := b.functions[name]
	if !ok {
		f = &profile.Function{ID: uint64(len(b.functions) + 1), Name: name, SystemName: name}
		b.functions[name] = f
		b.profile.Function = append(b.profile.Function, f)
	}
	return f
}

func (b *builder) location(f *profile.Function, line int64) *profile.Location {
	l := &profile.Location{ID: uint64(len(b.profile.Location) + 1), Line: []profile.Line{{Function: f, Line: line}}}
	b.profile.Location = append(b.profile.Location, l)
	return l
}
