package object

import (
	"strings"
	"testing"
)

// FuzzProof damages the splices of edits as the script says. What the proof takes must be the data:
// the whole text, parsed again, must say so, too.
func FuzzProof(f *testing.F) {
	for i, seed := range keepSeeds {
		for n := range 24 {
			f.Add(seed, script(i*24+n, 20))
		}
	}
	f.Fuzz(func(t *testing.T, text string, script []byte) {
		o, err := ParseDocument([]byte(text))
		if err != nil || o.root == nil || !isCollection(o.root) || len(script) < 12 {
			return
		}
		(&keepChecker{lines: strings.SplitAfter(text, "\n"), root: o.root}).edit(o, script[:9])
		root := o.withoutStaleAliases()
		splices, ok := o.spliced(root, false)
		if !ok || len(splices) == 0 {
			return
		}
		source := string(o.source())
		damage(splices, source, script[9:])
		for i, p := range splices {
			if p.Start > p.End || p.End > len(source) || i > 0 && p.Start < splices[i-1].End {
				return
			}
		}
		s := splicer{text: source, origins: o.origins, splices: splices}
		if edited := Spliced(source, splices); s.holds(o, root) && !o.verify([]byte(edited), root) {
			t.Errorf("the proof must not take\n%s\nfrom\n%s", edited, text)
		}
	})
}

// damage moves the ends of splices, and changes their texts.
func damage(splices []Splice, source string, script []byte) {
	for ; len(script) >= 3; script = script[3:] {
		p := &splices[int(script[0])%len(splices)]
		by := int(script[1])%7 - 3
		switch script[2] % 6 {
		case 0:
			p.Start = max(p.Start+by, 0)
		case 1:
			p.End = max(p.End+by, 0)
		case 2:
			p.Start, p.End = max(p.Start+by, 0), max(p.End+by, 0)
		case 3:
			p.Text = append([]byte{"\n #-:|"[script[1]%6]}, p.Text...)
		case 4:
			p.Text = append(p.Text, "\n #-:|"[script[1]%6])
		case 5:
			behind := source[min(p.Start, len(source)):]
			p.Text = append(p.Text, behind[:min(int(script[1])%20, len(behind))]...)
		}
	}
}
