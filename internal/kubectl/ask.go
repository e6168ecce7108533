package kubectl

import (
	"bytes"
	"cmp"
	"errors"

	"github.com/krm-fields/krm-fields/internal/yamldoc/object"
)

// Ask has the API server check applies of objects, many at once, and those again, one by one, that
// are missing in the output. It returns for each object what would be stored, or why it is refused.
// The error is that of a kubectl that can't be run.
func (a *Applier) Ask(objects []*object.Object) (stored map[*object.Object]*object.Object, refused map[*object.Object]error, err error) {
	stored, refused = map[*object.Object]*object.Object{}, map[*object.Object]error{}
	groups := a.Kubectl.Groups(objects)
	for i := 0; i < len(groups); i++ {
		var text bytes.Buffer
		err := a.send(groups[i], []string{"-o", "json"}, func(line string) { text.WriteString(line + "\n") })
		if err != nil && !IsExit(err) {
			return nil, nil, err
		}
		answer, readErr := objectsIn(text.Bytes(), "apply")
		find := Finder(answer, a.Kubectl.Namespace)
		for _, o := range groups[i].Objects {
			switch found := find(o); {
			case found != nil:
				stored[o] = found
			case len(groups[i].Objects) > 1:
				groups = append(groups, Group{Objects: []*object.Object{o}, Args: groups[i].Args})
			default:
				refused[o] = cmp.Or(err, readErr, errors.New("kubectl apply must print the object, found nothing of it"))
			}
		}
	}
	return stored, refused, nil
}
