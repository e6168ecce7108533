package jq

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// Writer writes a path expression step by step, as stages of a pipe.
type Writer struct {
	// Optional makes each step pass over what is not there, by a `?`.
	Optional bool
	// PassesOver sets Optional once a step may lead to several places, since the elements of a list
	// may differ.
	PassesOver bool

	stages []string
	// isOpen is true if the last stage can take another suffix.
	isOpen bool
}

// Key goes to the member of a map: .replicas, or ["prometheus.io/port"] if the key is not a plain
// name.
func (w *Writer) Key(key string) {
	if plainName.MatchString(key) {
		w.step("." + key)
		return
	}
	w.step("[" + String(key) + "]")
}

// Index goes to what is in brackets: an index or a slice.
func (w *Writer) Index(inside string) { w.step("[" + inside + "]") }

// Location goes to a location.
func (w *Writer) Location(l location.Location) {
	for _, step := range l {
		if step.IsIndex {
			w.Index(strconv.Itoa(step.Index))
		} else {
			w.Key(step.Key)
		}
	}
}

func (w *Writer) step(suffix string) {
	if w.Optional {
		suffix += "?"
	}
	w.suffix(suffix)
}

// Each goes to each element of a list or each member of a map, if there is one.
func (w *Writer) Each() {
	w.suffix("[]?")
	w.fanOut()
}

// Stage appends a stage of its own, which may lead to several places.
func (w *Writer) Stage(text string) {
	w.stages, w.isOpen = append(w.stages, text), false
	w.fanOut()
}

// fanOut begins a stage whose steps pass over what is not there, where that is wanted.
func (w *Writer) fanOut() {
	if w.PassesOver {
		w.isOpen, w.Optional = false, true
	}
}

func (w *Writer) suffix(suffix string) {
	if w.isOpen {
		w.stages[len(w.stages)-1] += suffix
		return
	}
	if suffix[0] == '[' {
		suffix = "." + suffix
	}
	w.stages, w.isOpen = append(w.stages, suffix), true
}

// String returns the expression; without a step it is the whole input.
func (w *Writer) String() string {
	if len(w.stages) == 0 {
		return "."
	}
	return strings.Join(w.stages, " | ")
}

var plainName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// String returns text as a string literal of jq.
func String(text string) string {
	literal, _ := tree.JSONText(text) // a string can always be encoded
	return literal
}
