package object

import "maps"

// View makes v a view of the object's data: an object whose edits change neither the data nor the
// text of o. Original is the current data of o. A view must not outlive that data.
func (o *Object) View(v *Object) {
	o.load()
	*v = Object{loaded: true, memory: o.memory, original: o.root, root: o.root, viewed: o}
}

// Adopt applies the edits of a view to the object. The view must not be edited afterwards.
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

// Discard discards the edits of a view.
func (v *Object) Discard() { v.origins = nil }
