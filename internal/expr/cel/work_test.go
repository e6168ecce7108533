package cel

import (
	"slices"
	"strings"
	"testing"

	"cel.dev/cel-go/common/overloads"
)

// constantWork are the functions whose work does not grow with their arguments, and those that are
// parts of the language.
var constantWork = strings.Fields(`
	!_ -_ _%_ _&&_ _*_ _-_ _/_ _?._ _?_:_ _[?_] _[_] _||_
	@not_strictly_false __not_strictly_false__
	dyn type first last hasValue value or orValue
	optional.none optional.of optional.ofNonZeroValue
	getDate getDayOfMonth getDayOfWeek getDayOfYear getFullYear getHours getMilliseconds getMinutes getMonth getSeconds object
	math.abs math.bitAnd math.bitNot math.bitOr math.bitShiftLeft math.bitShiftRight math.bitXor math.ceil math.floor
	math.isFinite math.isInf math.isNaN math.round math.sign math.sqrt math.trunc
`)

// TestWorkOfEachFunction fails when a new release of cel-go has a function that nobody has thought
// about.
func TestWorkOfEachFunction(t *testing.T) {
	base, err := baseLibrary()
	if err != nil {
		t.Fatal(err)
	}
	for name := range base.env.Functions() {
		isConstant := slices.Contains(constantWork, name)
		_, grows := works[name]
		if grows = grows || name == overloads.Matches; isConstant == grows {
			t.Errorf("the work of the function %s must be known once: it is in works: %v, constant: %v", name, grows, isConstant)
		}
	}
	for name := range works {
		if !base.env.HasFunction(name) {
			t.Errorf("there is no function %s", name)
		}
	}
}
