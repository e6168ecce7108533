package object

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/krm-fields/krm-fields/internal/expr"
	"github.com/krm-fields/krm-fields/internal/expr/jsonpointer"
	"github.com/krm-fields/krm-fields/internal/expr/location"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

const deployment = `- # Owned by the shop.
  apiVersion: apps/v1
  kind: Deployment
  metadata:
    name: web # the service has the same name
    annotations:
      first: "1"
      # The scraper reads this.
      scrape: "true"

      last: 'it''s the last'
  # The rest.
  spec:
    # The autoscaler owns this one.
    replicas: 3
    script: |+
      a # no comment

    empty:
    args: ["a", {b: c}]
    containers:
    # The application.
    - name: app
      ports:
      - 80
    # The mesh.
    - name: proxy
`

func locationOf(pointer string) location.Location {
	expression, err := jsonpointer.Parse(pointer)
	if err != nil {
		panic(err)
	}
	found, err := expression.Locate(&expr.Input{Root: itemOf([]byte(deployment)).Root(), WithoutHint: true})
	if err != nil || len(found.Locations) != 1 {
		panic("the deployment must have " + pointer)
	}
	return found.Locations[0]
}

func itemOf(text []byte) *Object {
	return Items(1, func(int) []byte { return text })[0]
}

// splicesOf returns the splicer that has made the splices for the object's edits; false if it has
// given up.
func splicesOf(o *Object) (*splicer, bool) {
	s := newSplicer(o)
	s.collection(o.original, o.root)
	slices.SortStableFunc(s.splices, func(a, b splice) int { return a.start - b.start })
	return s, s.ok && s.areApart()
}

// TestProvedByMember checks that the usual edits are proved without parsing the whole object.
func TestProvedByMember(t *testing.T) {
	for name, edit := range map[string]func(o *Object) error{
		"a member and its comment go": func(o *Object) error {
			o.Remove([]location.Location{locationOf("/spec/replicas")})
			return nil
		},
		"members of two maps go": func(o *Object) error {
			o.Remove([]location.Location{locationOf("/spec/replicas"), locationOf("/metadata/annotations/scrape")})
			return nil
		},
		"neighbours go": func(o *Object) error {
			o.Remove([]location.Location{locationOf("/metadata/annotations/scrape"), locationOf("/metadata/annotations/last")})
			return nil
		},
		"a map goes": func(o *Object) error {
			o.Remove([]location.Location{locationOf("/spec")})
			return nil
		},
		"an element goes": func(o *Object) error {
			o.Remove([]location.Location{locationOf("/spec/containers/1")})
			return nil
		},
		"all members of a map go": func(o *Object) error {
			o.Remove([]location.Location{
				locationOf("/metadata/annotations/first"), locationOf("/metadata/annotations/scrape"), locationOf("/metadata/annotations/last"),
			})
			return nil
		},
		"a value changes": func(o *Object) error { return o.Set(locationOf("/spec/replicas"), tree.NewInt(4)) },
		"a member comes": func(o *Object) error {
			return o.Set(locationOf("/metadata/annotations").With(location.Key("hash")), tree.NewString("abc"))
		},
		"a map comes": func(o *Object) error {
			return o.Set(locationOf("/metadata").With(location.Key("labels")), tree.FromValue(map[string]any{"a": "b"}))
		},
	} {
		t.Run(name, func(t *testing.T) {
			o := itemOf([]byte(deployment))
			o.Root()
			if err := edit(o); err != nil {
				t.Fatal(err)
			}
			s, ok := splicesOf(o)
			if !ok || len(s.splices) == 0 {
				t.Fatal("the edit must be made by splices")
			}
			if !s.verifyEntries(o.original, o.root) {
				t.Errorf("the splices must be proved member by member:\n%s", bytes.Join(s.pieces(), nil))
			}
		})
	}
}

// TestAnchorNotProved has a splice that takes away the anchor of an alias in another entry.
func TestAnchorNotProved(t *testing.T) {
	const text = "- a: 1\n  b: &x 1\n  c: *x\n"
	o := itemOf([]byte(text))
	o.Root()
	if err := o.Set(location.Location{location.Key("b")}, tree.NewInt(1)); err != nil {
		t.Fatal(err)
	}
	s := newSplicer(o)
	start := strings.Index(text, "&x ")
	s.splices = []splice{{start: start, end: start + len("&x ")}}
	if s.verifyEntries(o.original, o.root) {
		t.Errorf("must not be proved: %s", bytes.Join(s.pieces(), nil))
	}
}

// FuzzProvedByMember makes edits as the script says, and spoils their splices where it says so.
// What is proved member by member must be proved by parsing the whole object, too.
func FuzzProvedByMember(f *testing.F) {
	for seed := range 40 {
		script := make([]byte, 24)
		state := uint32(seed*2654435761 + 1)
		for i := range script {
			state = state*1664525 + 1013904223
			script[i] = byte(state >> 24)
		}
		f.Add(deployment, script)
	}
	f.Add("- a:\n  - b\n  c: 1\n", []byte{0, 1, 0, 0})
	const commented = "- a: 1\n  # of b\n  b: |\n    x\n  # of c\n  c: 2\n\n  d:\n    # of e\n    e: 1\n    f: >-\n      y\n    g: 1\n  # of h\n  h: [1]\n"
	for seed := range byte(60) {
		f.Add(commented, []byte{seed % 6, seed, seed / 3, 3, seed * 7, 1, seed, seed * 3, seed, 5, seed, 2})
	}
	f.Add("- - \n  -\n    -", []byte{0, 1, 0})
	f.Add("- 0: \n  1: \n  2:\n  7:\n   00: \n    0: |+\n    1:000000:\n   01:", []byte("0#0A10010010700100"))
	f.Add("- a:\n  - # why\n    b: 1\n  -\n    -\n    - c\n", []byte{0, 1, 1, 0, 1, 2})
	f.Add("- a:\n    b: |\n      x\n    # why\n    c: 1\n  d: 2\n", []byte{0, 2, 1, 3, 9})
	const multiline = "- a: b\n    c # d\n  e: 'f\n\n    # g\n    h'\n  # i\n  j: [k,\n    {l: m,\n     n: o,}\n   ]\n" +
		"  p:\n    q\n     r\n  s:\n  - \"t \\\n    u\"\n  -\n    v\n    w\n  - [x,\n  y]\n  z: 1\n"
	for seed := range byte(40) {
		f.Add(multiline, []byte{seed % 6, seed, seed / 3, 3, seed * 7, 1, seed, seed * 3, seed, 5, seed, 2})
		f.Add(strings.Replace(multiline, "[x,\n  y]", "[x,\n   y]", 1), []byte{seed % 6, seed, seed / 3, 3, seed * 7, 1, seed, seed * 3, seed, 5, seed, 2})
	}
	const anchored = "- a: &x\n    b: 1\n    c: 2\n  d: *x\n  e:\n  - &y f\n  - *y\n  - g: *x\n    h: &x 3\n  i: {j: *x}\n"
	for seed := range byte(80) {
		f.Add(anchored, []byte{seed % 6, seed, seed / 3, seed % 3, seed * 7, 1, seed, seed * 3, seed, 5, seed, 2})
	}
	f.Fuzz(func(t *testing.T, text string, script []byte) {
		testProvedByMember(t, itemOf([]byte(text)), script)
		if o, err := ParseDocument([]byte(text)); err == nil {
			testProvedByMember(t, o, script)
		}
		inDocument := strings.ReplaceAll(strings.Replace(text, "- ", "", 1), "\n  ", "\n")
		if o, err := ParseDocument([]byte(inDocument)); err == nil {
			testProvedByMember(t, o, script)
		}
	})
}

func testProvedByMember(t *testing.T, o *Object, script []byte) {
	if o.Root(); o.Err() != nil || o.memory == nil || !o.memory.IsSimple() || !isBlockCollection(o.Original()) {
		return
	}
	script = editByScript(o, script)
	o.root = o.withoutStaleAliases()
	if o.root == o.original || len(o.root.Content) == 0 {
		return
	}
	s, ok := splicesOf(o)
	if !ok {
		return
	}
	s.spoil(script)
	if !s.areApart() {
		return
	}
	if s.verifyEntries(o.original, o.root) && !o.verifyPieces(s.pieces(), o.root) {
		t.Errorf("this is proved member by member, and is not\n%s\nfrom\n%s\nbut\n%s",
			must(styleOf(o.original).encodeAny(o.root)), o.text, bytes.Join(s.pieces(), nil))
	}
}

func must(text []byte, err error) string {
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// editByScript makes up to four edits, and returns the rest of the script.
func editByScript(o *Object, script []byte) []byte {
	for range 4 {
		if len(script) < 3 {
			return nil
		}
		kind, where, depth := script[0]%6, int(script[1]), int(script[2])
		script = script[3:]
		l := locationAt(o.Root(), where, depth%5)
		switch kind {
		case 0, 1, 2:
			o.Remove([]location.Location{l})
		case 3:
			_ = o.Set(l, tree.NewString("new")) // a place that can't be set stays as it is
		case 4:
			_ = o.Set(l.With(location.Key("new")), tree.NewInt(where))
		case 5:
			_ = o.Set(l, tree.FromValue(map[string]any{"a": []any{"b", map[string]any{"c": 1}}}))
		}
	}
	return script
}

// locationAt goes down the nodes by numbers.
func locationAt(n *tree.Node, where, depth int) location.Location {
	var l location.Location
	for range depth + 1 {
		switch {
		case len(n.Content) == 0:
			return l
		case n.Kind == tree.SequenceNode:
			i := where % len(n.Content)
			l, n = l.With(location.Index(i)), n.Content[i]
		default:
			i := where % (len(n.Content) / 2)
			l, n = l.With(location.Key(n.Content[2*i].Text())), n.Content[2*i+1]
		}
		where = where/3 + 1
	}
	return l
}

// spoil changes splices as the script says.
func (s *splicer) spoil(script []byte) {
	for i := range s.splices {
		if len(script) < 3 {
			return
		}
		p := &s.splices[i]
		by := int(script[1])%9 - 4
		switch script[0] % 12 {
		case 0:
			p.start = min(max(p.start+by, 0), p.end)
		case 1:
			p.end = max(min(p.end+by, len(s.text)), p.start)
		case 2:
			p.start = s.start(s.lineAt(p.start) + by)
			p.end = max(p.start, p.end)
		case 3:
			p.end = max(p.start, s.start(s.lineAt(p.end)+by))
		case 4:
			p.text = append(bytes.Repeat([]byte{' '}, max(by, 0)), p.text...)
		case 5:
			p.text = bytes.TrimPrefix(p.text, []byte("  "))
		case 6:
			p.text = append(bytes.Clone(p.text), []byte("- x\n")...)
		}
		script = script[3:]
	}
}
