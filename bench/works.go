package main

import (
	"fmt"
	"slices"
)

// A work is what contestants do side by side.
type work struct {
	name        string
	contestants []contestant
	// judge returns what is said of each contestant.
	judge func(runs []costs) [][]finding
}

// A finding is a comparison with a peer or a limit.
type finding struct {
	text   string
	judged bool // whether there is a target
	met    bool
}

func noted(format string, args ...any) finding { return finding{text: fmt.Sprintf(format, args...)} }

// atLeast is a factor that must reach a target; 0 is no target.
func atLeast(what string, factor, target float64) finding {
	if target == 0 {
		return noted("%s %.1f x", what, factor)
	}
	return finding{fmt.Sprintf("%s %.1f x (target %g x)", what, factor, target), true, factor >= target}
}

// below is a value that must not be over a limit.
func below(met bool, format string, args ...any) finding {
	return finding{fmt.Sprintf(format, args...), true, met}
}

// A peer is a contestant with the factors that krm-fields shall be better by; 0: no such target.
type peer struct {
	contestant
	wallTarget   float64
	memoryTarget float64
}

// versus is a work in which krm-fields is compared with peers, per object.
func versus(name string, own contestant, peers ...peer) work {
	w := work{name: name, contestants: []contestant{own}}
	for _, p := range peers {
		w.contestants = append(w.contestants, p.contestant)
	}
	w.judge = func(runs []costs) [][]finding {
		findings := make([][]finding, len(runs))
		for i, p := range peers {
			both := pairs(runs[0], runs[i+1])
			scale := float64(own.objects) / float64(p.objects)
			findings[i+1] = []finding{
				atLeast("time", factor(both, scale, func(r run) float64 { return r.wall.Seconds() }), p.wallTarget),
				atLeast("CPU", factor(both, scale, func(r run) float64 { return r.cpu.Seconds() }), 0),
				atLeast("memory", factor(both, 1, func(r run) float64 { return float64(r.rss) }), p.memoryTarget),
			}
		}
		return findings
	}
	return w
}

// factor is the median of how many times as much a peer has cost in each round.
func factor(both []pair, scale float64, cost func(run) float64) float64 {
	return medianOf(both, func(p pair) float64 { return scale * cost(p.peer) / cost(p.own) })
}

// measureAll measures works together: contestants that do the same are run once a round.
func measureAll(works []work, repetitions int) ([]line, error) {
	var contestants []contestant
	var keys []string
	for _, w := range works {
		for _, c := range w.contestants {
			if !slices.Contains(keys, c.key()) {
				keys = append(keys, c.key())
				contestants = append(contestants, c)
			}
		}
	}
	runs, err := measure(contestants, repetitions)
	if err != nil {
		return nil, err
	}
	var lines []line
	for _, w := range works {
		own := make([]costs, len(w.contestants))
		for i, c := range w.contestants {
			own[i] = runs[slices.Index(keys, c.key())]
		}
		findings := w.judge(own)
		for i, c := range w.contestants {
			lines = append(lines, line{work: w.name, contestant: c, cost: own[i].median(), findings: findings[i]})
		}
	}
	return lines, nil
}
