package jq

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"time"
)

// The outcomes of an evaluation that its limits end.
var (
	errTimeout = errors.New("the evaluation timed out")
	errMemory  = errors.New("the evaluation needed too much memory")
)

// startTimeout is how long a child may take to come up.
const startTimeout = 10 * time.Second

// children are the processes that evaluate expressions, started when the first
// is needed and kept for the next. There are at most as many as processors.
var children = pool{slots: make(chan struct{}, runtime.GOMAXPROCS(0))}

// Shutdown ends the child processes. One that is needed later is started anew.
func Shutdown() {
	children.shutdown()
}

type pool struct {
	slots chan struct{}
	mutex sync.Mutex
	idle  []*process
}

// evaluate runs one expression in a child. Errors are *failure, errTimeout,
// errMemory, that of the context, and any other error where no child could be
// started.
func (p *pool) evaluate(ctx context.Context, r request, timeout time.Duration) ([]any, error) {
	select {
	case p.slots <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { <-p.slots }()
	child := p.take()
	if child == nil {
		var err error
		if child, err = startProcess(); err != nil {
			return nil, err
		}
	}
	results, err := child.evaluate(ctx, r, timeout)
	if !child.ended {
		p.put(child)
	}
	return results, err
}

// take returns a child that is idle, or nil.
func (p *pool) take() *process {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	n := len(p.idle)
	if n == 0 {
		return nil
	}
	child := p.idle[n-1]
	p.idle = p.idle[:n-1]
	return child
}

func (p *pool) put(child *process) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.idle = append(p.idle, child)
}

func (p *pool) shutdown() {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	for _, child := range p.idle {
		child.end()
	}
	p.idle = nil
}

// process is a child process that waits for requests. It is used by one
// goroutine at a time.
type process struct {
	command *exec.Cmd
	in      io.Closer
	writer  *bufio.Writer
	reader  *bufio.Reader
	ended   bool
}

func startProcess() (*process, error) {
	if IsChild() {
		return nil, errors.New("main must call jq.ChildMain first thing in a child process")
	}
	executable, err := os.Executable()
	if err != nil {
		return nil, err
	}
	command := exec.Command(executable, childArgument)
	command.Env = []string{}
	in, err := command.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := command.Start(); err != nil {
		return nil, err
	}
	p := &process{command: command, in: in, writer: bufio.NewWriter(in), reader: bufio.NewReader(out)}
	if err := p.await(); err != nil {
		p.end()
		return nil, err
	}
	return p, nil
}

// await reads the greeting that the child sends when it is ready.
func (p *process) await() error {
	timer := time.AfterFunc(startTimeout, p.kill)
	defer timer.Stop()
	greeting := make([]byte, len(childGreeting))
	if _, err := io.ReadFull(p.reader, greeting); err != nil || string(greeting) != childGreeting {
		return errors.New("it did not come up")
	}
	return nil
}

func (p *process) kill() {
	p.command.Process.Kill()
}

// end kills the child. It does not wait until the child's memory is free again.
func (p *process) end() {
	p.ended = true
	p.kill()
	p.in.Close()
	go p.command.Wait()
}

// evaluate sends a request and reads the reply. The child is killed where it
// takes too long, or the context is done. Where it ends by itself, it has run out
// of memory or stack.
func (p *process) evaluate(ctx context.Context, r request, timeout time.Duration) ([]any, error) {
	timer := time.AfterFunc(timeout, p.kill)
	goOn := context.AfterFunc(ctx, p.kill)
	results, isWorn, err := p.exchange(r)
	inTime, wanted := timer.Stop(), goOn()
	if inTime && wanted && !errors.Is(err, errBroken) {
		if isWorn {
			p.end()
		}
		return results, err
	}
	p.end()
	switch {
	case !inTime:
		return nil, errTimeout
	case !wanted:
		return nil, ctx.Err()
	}
	return nil, errMemory
}

// exchange returns the reply to a request and whether the child must not get
// another one. It returns errBroken where there is no reply.
func (p *process) exchange(r request) (results []any, isWorn bool, err error) {
	if err := r.write(p.writer); err != nil {
		if errors.Is(err, errTooDeep) {
			// It waits for the rest.
			return nil, true, &failure{cause: err.Error()}
		}
		return nil, false, errBroken
	}
	return readReply(p.reader)
}
