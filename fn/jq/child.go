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

// ChildMain evaluates what comes on stdin until it ends, and exits. It is all
// that a child process does. It reads no environment and no files.
//
// The parent ends a child that takes too long. For memory there are two limits.
// Between the steps of gojq the child looks at its heap itself. Within a step the
// operating system refuses what goes too far, where it can (see limitMemory); Go
// ends the process then, as it does on a stack overflow.
func ChildMain() {
	time.Local = time.UTC
	runtime.GOMAXPROCS(2) // One to evaluate, one to collect garbage.
	if err := serve(os.Stdin, os.Stdout); err != nil {
		os.Exit(1)
	}
	os.Exit(0)
}

func serve(in io.Reader, out io.Writer) error {
	c := child{
		reader:     bufio.NewReader(in),
		writer:     bufio.NewWriter(out),
		evaluators: map[evaluatorKey]*evaluator{},
		memory:     newMemory(),
	}
	if _, err := io.WriteString(out, childGreeting); err != nil {
		return err
	}
	for {
		if err := c.serveOne(); err != nil {
			return err
		}
	}
}

type child struct {
	reader     *bufio.Reader
	writer     *bufio.Writer
	evaluators map[evaluatorKey]*evaluator
	memory     *memory
}

type evaluatorKey struct {
	mode       mode
	expression string
}

func (c *child) serveOne() error {
	c.memory.beforeInput()
	r, err := readRequest(c.reader)
	if err != nil {
		return err
	}
	if err := c.memory.limit(uint64(r.memory)); err != nil {
		return err
	}
	done := c.watchParent()
	results, err := c.evaluate(r)
	if err := writeReply(c.writer, results, err); err != nil {
		return err
	}
	<-done
	return nil
}

// watchParent ends the process when the parent has gone. The channel that it
// returns is closed when the next request comes in.
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

func (c *child) evaluate(r request) ([]any, error) {
	key := evaluatorKey{r.mode, r.expression}
	e, known := c.evaluators[key]
	if !known {
		var err error
		if e, err = newEvaluator(r.expression, r.mode, false); err != nil {
			return nil, &failure{cause: err.Error()}
		}
		c.evaluators[key] = e
	}
	return e.run(c.memory, r.value)
}
