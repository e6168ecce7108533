//go:build !nopatches

package suggest

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/krm-fields/krm-fields/internal/expr/hint"
	"github.com/krm-fields/krm-fields/internal/words"
)

// ownList is how a tool lists the fields of a resource that it leaves to their owners.
type ownList struct {
	// how says where the list stands, and list is its form.
	how, list string
	// always are entries that the list has where none is given.
	always []string
	// step writes a step; false if the tool can't name it, so that it leaves all that is around it.
	step func(p hint.Path, i int) (string, bool)
}

var (
	identifier = words.Pattern(`^[A-Za-z_][A-Za-z0-9_-]*$`)
	plainKey   = words.Pattern(`^[A-Za-z0-9_]+$`)
)

// terraform is what the apply of a kubernetes_manifest fills in from the live object, unless the
// configuration has changed; ignore_changes would send the old value all the same. The source is
// https://github.com/hashicorp/terraform-provider-kubernetes/blob/v3.2.1/manifest/provider/plan.go.
var terraform = ownList{
	how:    "leave the field out of manifest; or, if its value there is that of the last apply",
	list:   "computed_fields = [%s]",
	always: []string{"metadata.annotations", "metadata.labels"},
	step: func(p hint.Path, i int) (string, bool) {
		switch inMap := i > 0 && isStringMap(p, i-1); {
		case p[i].Kind == hint.Index:
			return "[" + p[i].Key + "]", true
		case p[i].Kind == hint.Key && !inMap && matches(identifier, p[i].Key):
			return "." + p[i].Key, true
		}
		return "[" + strconv.Quote(p[i].Key) + "]", p[i].Kind == hint.Key
	},
}

// pulumi is what an update leaves out, or sends as it is on the cluster. It splits names at dots,
// so only plain keys work. The source is
// https://github.com/pulumi/pulumi-kubernetes/blob/v4.32.0/provider/pkg/await/await.go.
var pulumi = ownList{
	how:  "as an option of the resource",
	list: "ignoreChanges: [%s]",
	step: func(p hint.Path, i int) (string, bool) {
		return "." + p[i].Key, p[i].Kind == hint.Key && matches(plainKey, p[i].Key)
	},
}

func matches(pattern func() *regexp.Regexp, text string) bool { return pattern().MatchString(text) }

// OwnRules returns lines that say how the tool itself leaves fields of an object to their owners;
// none if it has no way but those of package convert.
func (t *Tool) OwnRules(object string, fields []hint.Path) []string {
	if t.own == nil {
		return nil
	}
	var wide []string
	names := slices.Clone(t.own.always)
	for _, field := range fields {
		name, isWhole := t.own.name(field)
		if !isWhole && !slices.Contains(wide, name) {
			wide = append(wide, name)
		}
		if name != "" && !slices.ContainsFunc(names, func(n string) bool { return isInside(name, n) }) {
			names = append(slices.DeleteFunc(names, func(n string) bool { return isInside(n, name) }), name)
		}
	}
	lines := []string{fmt.Sprintf("The same for %s (%s), %s:", t.Title, cmp.Or(object, "the object"), t.own.how)}
	for i, name := range names {
		names[i] = strconv.Quote(name)
	}
	lines = append(lines, "    "+fmt.Sprintf(t.own.list, strings.Join(names, ", ")))
	if len(wide) > 0 {
		lines = append(lines, fmt.Sprintf("That leaves all of %s, since %s can't name the field alone.", words.All(wide), t.Title))
	}
	return lines
}

// name writes a field; isWhole is false if the name is that of something around it.
func (l *ownList) name(field hint.Path) (name string, isWhole bool) {
	for i := range field {
		step, ok := l.step(field, i)
		if !ok {
			return strings.TrimPrefix(name, "."), false
		}
		name += step
	}
	return strings.TrimPrefix(name, "."), true
}

// isInside tells whether a name is that of a field or something in it.
func isInside(name, outer string) bool {
	rest, ok := strings.CutPrefix(name, outer)
	return ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
}
