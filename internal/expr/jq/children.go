//go:build !js

package jq

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os/exec"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// startTimeout is how long a child may take to come up.
const startTimeout = 10 * time.Second

// children are the processes that evaluate expressions, started on demand and reused.
//
// All of them together keep to the memory limit of one evaluation, however many processors there
// are. So several run side by side only with little memory and time each. An evaluation that needs
// more is restarted, alone and with the full limits.
var children = newPool(min(runtime.GOMAXPROCS(0), maxChildren))

const (
	// maxChildren is how many evaluate at the same time.
	maxChildren = 4
	// smallMemory is what an evaluation beside others may use, and smallTime how long it may take;
	// less if the timeout is short.
	smallMemory = 8 << 20
	smallTime   = 200 * time.Millisecond
)

// Shutdown ends the child processes. One that is needed later is started again.
func Shutdown() {
	children.shutdown()
}

type pool struct {
	// slots has room for one value for each evaluation, and alone for one that takes all slots.
	slots, alone chan struct{}
	mutex        sync.Mutex
	idle         []*process
}

func newPool(size int) pool {
	return pool{slots: make(chan struct{}, size), alone: make(chan struct{}, 1)}
}

// evaluate runs one expression in a child. Errors are *failure, errTimeout, errMemory, that of the
// context, and any other error where no child could be started, or it ended for another reason.
//
// NeedsAll is set where the expression turns out to need more than it can have beside others, and
// then it is not tried again.
func (p *pool) evaluate(ctx context.Context, r request, timeout time.Duration, needsAll *atomic.Bool) ([]any, error) {
	if cap(p.slots) > 1 && !r.isLarge && r.memory >= int64(cap(p.slots))*smallMemory && !needsAll.Load() {
		results, err := p.evaluateSmall(ctx, r, min(smallTime, timeout/4))
		var failed *failure
		if err == nil || errors.As(err, &failed) || ctx.Err() != nil {
			return results, err
		}
		needsAll.Store(true)
	}
	return p.evaluateAlone(ctx, r, timeout)
}

// evaluateSmall runs an expression beside others. If it ends with anything but results or a
// *failure, the small limits may be the reason.
func (p *pool) evaluateSmall(ctx context.Context, r request, timeout time.Duration) ([]any, error) {
	if err := p.acquire(ctx, 1); err != nil {
		return nil, err
	}
	defer p.release(1)
	r.memory, r.isSmall = smallMemory, true
	return p.evaluateInChild(ctx, r, timeout)
}

// evaluateAlone runs an expression while no other child runs or holds memory.
func (p *pool) evaluateAlone(ctx context.Context, r request, timeout time.Duration) ([]any, error) {
	select {
	case p.alone <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { <-p.alone }()
	if err := p.acquire(ctx, cap(p.slots)); err != nil {
		return nil, err
	}
	defer p.release(cap(p.slots))
	p.keepIdle(1)
	return p.evaluateInChild(ctx, r, timeout)
}

// acquire takes slots. A caller that takes more than one must hold alone.
func (p *pool) acquire(ctx context.Context, slots int) error {
	for i := range slots {
		select {
		case p.slots <- struct{}{}:
		case <-ctx.Done():
			p.release(i)
			return ctx.Err()
		}
	}
	return nil
}

func (p *pool) release(slots int) {
	for range slots {
		<-p.slots
	}
}

func (p *pool) evaluateInChild(ctx context.Context, r request, timeout time.Duration) ([]any, error) {
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

func (p *pool) shutdown() { p.keepIdle(0) }

// keepIdle ends the idle children except for the given number.
func (p *pool) keepIdle(number int) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	for len(p.idle) > number {
		p.idle[len(p.idle)-1].end()
		p.idle = p.idle[:len(p.idle)-1]
	}
}

// process is a child process that waits for requests. It is used by one goroutine at a time.
type process struct {
	command *exec.Cmd
	in      io.Closer
	writer  *bufio.Writer
	reader  *bufio.Reader
	// crashOutput is what Go writes to stderr when it ends the process.
	crashOutput crashOutput
	ended       bool
}

func startProcess() (*process, error) {
	if IsChild() {
		return nil, errors.New("main must call jq.ChildMain first thing in a child process")
	}
	executable, err := ownExecutable()
	if err != nil {
		return nil, err
	}
	command := exec.Command(executable, childArgument)
	command.Env = []string{}
	p := &process{command: command}
	command.Stderr = &p.crashOutput
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
	p.in, p.writer, p.reader = in, bufio.NewWriter(in), bufio.NewReader(out)
	if err := p.await(); err != nil {
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
		p.end()
		return p.describeEnd("it did not start")
	}
	return nil
}

func (p *process) kill() {
	_ = p.command.Process.Kill() // it has ended if that fails
}

// end kills the child and waits until its memory is free again.
func (p *process) end() {
	p.ended = true
	p.kill()
	p.in.Close()
	_ = p.command.Wait() // how it ended is in ProcessState
}

// evaluate sends a request and reads the reply. The child is killed where it takes too long, or the
// context is done.
func (p *process) evaluate(ctx context.Context, r request, timeout time.Duration) ([]any, error) {
	timer := time.AfterFunc(timeout, p.kill)
	goOn := context.AfterFunc(ctx, p.kill)
	results, hasOutgrown, err := p.exchange(r)
	inTime, wanted := timer.Stop(), goOn()
	if inTime && wanted && !errors.Is(err, errBroken) {
		if hasOutgrown {
			p.end()
		}
		return results, err
	}
	switch {
	case !inTime:
		p.end()
		return nil, errTimeout
	case !wanted:
		p.end()
		return nil, ctx.Err()
	}
	return nil, p.causeOfEnd()
}

// exchange returns the reply to a request and whether the child must not get another one. It
// returns errBroken where there is no reply.
func (p *process) exchange(r request) (results []any, hasOutgrown bool, err error) {
	if err := r.write(p.writer); err != nil {
		if errors.Is(err, errTooDeep) {
			// It waits for the rest.
			return nil, true, &failure{cause: err.Error()}
		}
		return nil, false, errBroken
	}
	return readReply(p.reader)
}
