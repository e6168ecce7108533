//go:build js

// Command wasm is the engine of the playground as WebAssembly. It gives the page one function,
// krmFields, which takes a request as JSON and returns the answer.
package main

import (
	"runtime/debug"
	"syscall/js"

	"github.com/krm-fields/krm-fields/playground/engine"
)

// A page has one thread, and the garbage collector no other: with room it runs seldom.
const (
	gcPercent   = 400
	memoryLimit = 384 << 20
)

func main() {
	debug.SetGCPercent(gcPercent)
	debug.SetMemoryLimit(memoryLimit)
	js.Global().Set("krmFields", js.FuncOf(func(_ js.Value, args []js.Value) any {
		request := ""
		if len(args) > 0 && args[0].Type() == js.TypeString {
			request = args[0].String()
		}
		return string(engine.Answer([]byte(request)))
	}))
	select {} // the page calls as long as it is open
}
