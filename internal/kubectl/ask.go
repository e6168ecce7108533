package kubectl

import (
	"bytes"
	"cmp"
	"errors"

	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
)

// Ask has the API server check an apply of objects, many at once. It returns for each object what
// would be stored, or why it is refused: those that are missing in the output of a call are checked
// again one by one. The error is that of a kubectl that can't be run.
func (a *Applier) Ask(objects []*object.Object) (stored map[*object.Object]*object.Object, refused map[*object.Object]error, err error) {
	stored, refused = map[*object.Object]*object.Object{}, map[*object.Object]error{}
	ask := func(group Group) error {
		answer, err := a.ask(group)
		if err != nil && !IsExit(err) {
			return err
		}
		find := Finder(answer, a.Kubectl.Namespace)
		for _, o := range group.Objects {
			if stored[o] = find(o); stored[o] == nil {
				refused[o] = err
			}
		}
		return nil
	}
	for _, group := range a.Kubectl.Groups(objects) {
		if err := ask(group); err != nil {
			return nil, nil, err
		}
		for _, o := range group.Objects {
			if stored[o] != nil || len(group.Objects) == 1 {
				continue
			}
			delete(refused, o)
			if err := ask(Group{Objects: []*object.Object{o}, Args: group.Args}); err != nil {
				return nil, nil, err
			}
		}
	}
	return stored, refused, nil
}

func (a *Applier) ask(group Group) ([]*object.Object, error) {
	var text bytes.Buffer
	err := a.send(group, []string{"-o", "json"}, func(line string) { text.WriteString(line + "\n") })
	objects, readErr := objectsIn(text.Bytes(), "apply")
	if len(objects) == 0 {
		err = cmp.Or(err, readErr, errors.New("kubectl apply must print the object, found nothing"))
	}
	return objects, err
}
