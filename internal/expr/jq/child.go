//go:build !js

package jq

import (
	"bufio"
	"io"
	"os"
	"runtime"
	"time"
)

// childArgument is the only argument of a child process.
const childArgument = "krm-fields-jq-child"

// childGreeting is what a child sends when it is ready.
const childGreeting = "jq 1\n"

// IsChild tells whether this process was started to evaluate expressions.
func IsChild() bool {
	return len(os.Args) == 2 && os.Args[1] == childArgument
}

// ChildMain evaluates the requests on stdin until it ends, and exits. A child process does nothing
// else. It reads no environment and no files.
//
// The parent kills a child that takes too long. For memory there are two limits. Between the steps
// of gojq the child checks its heap itself. Within a step a watcher ends the process, and where
// possible the operating system refuses a large allocation (see addressSpace); Go ends the process
// then, as it does on a stack overflow.
func ChildMain() {
	closeInherited()
	time.Local = time.UTC
	runtime.GOMAXPROCS(2) // One to evaluate, one to collect garbage.
	serve(os.Stdin, os.Stdout)
	os.Exit(0)
}

// serve returns when the parent has gone, or where it can't go on.
func serve(in io.Reader, out io.Writer) {
	c := child{
		reader:     bufio.NewReader(in),
		writer:     bufio.NewWriter(out),
		evaluators: map[evaluatorKey]*evaluator{},
		memory:     newMemory(),
	}
	if _, err := io.WriteString(out, childGreeting); err != nil {
		return
	}
	for c.serveOne() == nil {
	}
}

type child struct {
	reader     *bufio.Reader
	writer     *bufio.Writer
	evaluators map[evaluatorKey]*evaluator
	memory     *memory
}

func (c *child) serveOne() error {
	r, e, err := c.readRequest()
	if err != nil {
		return err
	}
	done := c.watchParent()
	results, err := e.run(c.memory, r.value)
	c.memory.pause()
	if err := writeReply(c.writer, results, err, c.memory.hasOutgrown()); err != nil {
		return err
	}
	<-done
	return nil
}

// readRequest compiles the expression and sets the limits on the way.
func (c *child) readRequest() (request, *evaluator, error) {
	r, err := readHeader(c.reader)
	if err != nil {
		return r, nil, err
	}
	e, err := c.evaluator(r)
	if err != nil {
		return r, nil, err
	}
	if err := c.memory.beforeInput(uint64(r.memory), r.isLarge, r.isSmall); err != nil {
		return r, nil, err
	}
	if r.value, err = readValue(c.reader, 0); err != nil {
		return r, nil, err
	}
	return r, e, c.memory.afterInput(r.isLarge)
}

// evaluator compiles an expression when it comes for the first time. What that takes is not counted
// as memory of an evaluation.
func (c *child) evaluator(r request) (*evaluator, error) {
	key := evaluatorKey{r.mode, r.expression}
	if e, known := c.evaluators[key]; known {
		return e, nil
	}
	e, err := newEvaluator(r.expression, r.mode, false)
	if err != nil {
		return nil, err
	}
	c.evaluators[key] = e
	c.memory.setBaseline()
	return e, nil
}

// watchParent ends the process when the parent has gone. The channel that it returns is closed when
// the next request comes in.
func (c *child) watchParent() <-chan struct{} {
	done := make(chan struct{})
	go func() {
		if _, err := c.reader.Peek(1); err != nil {
			os.Exit(0)
		}
		close(done)
	}()
	return done
}
