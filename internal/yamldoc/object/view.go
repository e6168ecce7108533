package object

import "maps"

// View makes v a view of the object's data: an object whose edits change neither the data nor the text
// of o. Original is the data of o as it is now. A view is used no longer than that data is.
func (o *Object) View(v *Object) {
	o.load()
	*v = Object{loaded: true, memory: o.memory, original: o.root, root: o.root}
}

// Adopt makes the edits of a view those of the object. No edit follows on the view.
func (o *Object) Adopt(v *Object) {
	for edited, old := range v.origins {
		if origin, ok := o.origins[old]; ok {
			v.origins[edited] = origin
		}
	}
	if o.origins == nil {
		o.origins, v.origins = v.origins, nil
	} else {
		maps.Copy(o.origins, v.origins)
	}
	if o.strings == nil {
		o.strings = v.strings
	} else {
		maps.Copy(o.strings, v.strings)
	}
	o.root, o.places, o.members = v.root, nil, nil
}

// Discard gives up the edits of a view.
func (v *Object) Discard() { v.dropOrigins() }
