package report

import "github.com/krm-fields/krm-fields/fn/locate"

// Hidden returns the places whose values are all hidden: data and stringData of
// each Secret, and the annotation with its last applied state.
func (m Mask) Hidden() []locate.Location { return m.hidden }
