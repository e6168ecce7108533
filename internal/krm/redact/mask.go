// Package redact hides the values of Secrets in output. What is printed of an object is masked by
// place: Of says what may be shown of it. Foreign text (of kubectl, a server, a library, or an
// expression) is searched for the values of all Secrets that the run has seen, which are in one
// Mask. Manifests that a user asks for are not redacted.
package redact

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"sync"

	"github.com/krm-fields/krm-fields/internal/words"
	"github.com/krm-fields/krm-fields/internal/yamldoc/lines"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// Masked replaces a value of a Secret.
const Masked = "***"

// Mask has the values of the Secrets that a run has seen, for text that others have written. It is
// safe for use by several goroutines. A nil Mask hides nothing.
type Mask struct {
	// KeepsTexts is true if the texts stay in memory without the mask, which then need not copy
	// them.
	KeepsTexts bool
	within     *Mask
	// keepsKeys is true if the keys of within stay in a text, and isMade if names that have
	// values are hidden, too.
	keepsKeys, isMade bool
	mutex             sync.Mutex
	// texts and roots are what was not looked into yet, as nothing has been masked since.
	texts [][]byte
	roots []*tree.Node
	found collector
	index *index
}

// Add adds the Secrets in objects, whose nodes may change afterwards: also in a List, a
// ManifestWork or the documents of a string. The values are all under data and stringData, the data
// values decoded, each line of a value, the strings within a value that is JSON, and what an
// annotation has that is derived from them.
func (m *Mask) Add(roots ...*tree.Node) {
	if m == nil {
		return
	}
	m.mutex.Lock()
	defer m.mutex.Unlock()
	m.add(roots...)
}

func (m *Mask) add(roots ...*tree.Node) {
	m.found.objects(roots)
	m.index = nil
}

// AddKeys adds keys that stay in paths: those of an object without a Secret, too.
func (m *Mask) AddKeys(root *tree.Node) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	if m.found.keys == nil {
		m.found.keys = map[string]bool{}
	}
	addKeys(m.found.keys, root)
	m.index = nil
}

// AddText adds the Secrets in a text of YAML or JSON, which it keeps and looks into when something
// is masked. One that can't be parsed has none.
func (m *Mask) AddText(text []byte) {
	if m == nil || !MayHold(text) {
		return
	}
	if !m.KeepsTexts {
		text = bytes.Clone(text) // of a part of a text, without the whole
	}
	m.mutex.Lock()
	defer m.mutex.Unlock()
	m.texts = append(m.texts, text)
}

// Values returns a Secret with values that were made of another's.
func Values(values ...*tree.Node) *tree.Node {
	values = slices.DeleteFunc(slices.Clone(values), func(n *tree.Node) bool { return n == nil })
	return tree.NewMap("kind", "Secret", "data", tree.NewList(values...))
}

// With returns the mask for texts about an edited object, in whose keys there may be values.
func (m *Mask) With(root *tree.Node) *Mask {
	return &Mask{within: m, keepsKeys: m != nil, roots: []*tree.Node{root}}
}

// WithMade returns the mask for texts that may have values made of others, as keys, too.
func (m *Mask) WithMade(values ...*tree.Node) *Mask {
	return &Mask{within: m, isMade: true, roots: []*tree.Node{Values(values...)}}
}

// read reads what was not looked into yet.
func (m *Mask) read(c *collector) {
	for _, text := range m.texts {
		memory := tree.NewMemory()
		for document := range lines.Documents(text) {
			if root, err := memory.Parse(document.Text); err == nil {
				c.object(root)
			}
		}
		memory.Free()
	}
	c.objects(m.roots)
}

// MayChange tells whether one of some texts may have a value: false is certain. It does not keep
// the values, which take more memory than the Secrets.
func (m *Mask) MayChange(texts ...string) bool {
	if m == nil || len(texts) == 0 {
		return false
	}
	m.mutex.Lock()
	defer m.mutex.Unlock()
	c := asking(strings.Join(texts, "\n"))
	if m.within != nil || c.asked == "" {
		return true
	}
	c.keep(m.found.values...)
	m.read(&c)
	return c.isIn
}

// has tells whether a value is in a text that is no short word, which may be anything.
func (m *Mask) has(text string) bool { return len(text) > maxShort && m.Config(text) != text }

// indexed returns what to search for.
func (m *Mask) indexed() *index {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	if len(m.texts)+len(m.roots) > 0 {
		m.read(&m.found)
		m.texts, m.roots, m.index = nil, nil, nil
	}
	if m.index == nil {
		m.index = newIndex(&m.found)
	}
	if m.keepsKeys {
		m.index.keys = m.within.indexed().keys
	}
	return m.index
}

// ComposedError is an error in our own words, and with text of others: an expression, and data that
// it may have derived from an object, such as a part of a value, that no Mask knows.
type ComposedError interface {
	error
	// Show returns the message with the text of others as a mask shows it; if a Secret was among
	// the data, without all that is derived from them. Own words are left to Error.
	Show(mask words.Mask, hasSecret bool) string
}

// Error returns the message of an error without values of Secrets; if a Secret was among the data,
// without all that an expression derived from them.
func (m *Mask) Error(err error, hasSecret bool) string {
	composed, ok := errors.AsType[ComposedError](err)
	if !ok {
		return m.Text(err.Error())
	}
	before, behind, isQuoted := strings.Cut(err.Error(), composed.Error())
	switch {
	case !isQuoted && !hasSecret:
		return m.Text(err.Error())
	case !isQuoted:
		before, behind = "", ""
	}
	return m.Own(before + composed.Show(m, hasSecret) + behind)
}
