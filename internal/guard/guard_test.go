package guard

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"time"

	"github.com/krm-fields/krm-fields/internal/krm/report"
)

const mib = 1 << 20

// at says where a work is.
type at string

func (a at) Report(err error) report.Result {
	return report.Result{Message: string(a) + ": " + err.Error()}
}

// broken fails to say where a work is.
type broken struct{}

func (broken) Report(error) report.Result { panic("no place") }

// TestWatch has works under way that ask for no limit.
func TestWatch(t *testing.T) {
	var compilation Compilation
	var kept []byte
	for _, test := range []struct {
		name  string
		enter func() *Work
		want  string
	}{
		{
			"time", func() *Work {
				return Enter(What{Noun: "X", Text: "a", Timeout: time.Millisecond, Memory: mib, Reporter: at("here")})
			},
			"here: X timed out after 1ms: 'a'",
		},
		{
			"memory", func() *Work {
				w := Enter(What{Noun: "X", Text: "a", Timeout: time.Hour, Memory: mib, Reporter: broken{}})
				kept = make([]byte, 64*mib) // less than what may be garbage
				return w
			},
			"X exceeded 1Mi of memory: 'a'",
		},
		{
			"compilation", func() *Work {
				return compilation.Enter(What{Noun: "X", Text: "a", Memory: mib, Timeout: time.Nanosecond})
			},
			"X took more than 2s to compile: 'a'",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			ended := make(chan report.Result, 1)
			runtime.GC() // what is collected later would count against what the work takes
			stop := Start(func(failed report.Result, isTold bool) {
				if isTold {
					ended <- failed
				}
				runtime.Goexit() // as a process that ends
			})
			defer stop()
			done := OnAbort(func(report.Result) bool { return true })
			work := test.enter()
			if failed := <-ended; failed.Message != test.want {
				t.Errorf("got %q, want %q", failed.Message, test.want)
			}
			work.Leave()
			done()
		})
	}
	runtime.KeepAlive(kept)
}

// TestGraceful asks a work between its steps, as a library does, in a program without a watch.
func TestGraceful(t *testing.T) {
	stopped, stop := context.WithCancel(t.Context())
	stop()
	var kept [][]byte
	for _, test := range []struct {
		name string
		what What
		step func()
		want string
	}{
		{"time", What{Noun: "X", Text: "a", Timeout: time.Microsecond, Memory: 1 << 40}, func() {}, "X timed out after 1µs: 'a'"},
		{
			"memory", What{Noun: "X", Text: "a", Timeout: time.Hour, Memory: mib},
			func() { kept = append(kept, make([]byte, mib/16)) }, "X exceeded 1Mi of memory: 'a'",
		},
		{"stop", What{Timeout: time.Hour, Memory: 1 << 40, Stop: stopped}, func() {}, context.Canceled.Error()},
	} {
		t.Run(test.name, func(t *testing.T) {
			work := Enter(test.what)
			defer work.Leave()
			for work.Done() == nil {
				test.step()
			}
			if err := work.Err(); err == nil || err.Error() != test.want {
				t.Errorf("got %v, want %s", err, test.want)
			}
		})
	}
	runtime.KeepAlive(kept)
}

// TestGarbage makes much more garbage than may be live.
func TestGarbage(t *testing.T) {
	stop := Start(func(failed report.Result, _ bool) {
		t.Errorf("got %s, want no end", failed.Message)
		runtime.Goexit()
	})
	defer stop()
	work := Enter(What{Timeout: time.Hour, Memory: 8 * mib})
	defer work.Leave()
	for range 1000 {
		if sink = make([]byte, mib); work.Check() != nil {
			t.Fatal(work.Err())
		}
	}
}

var sink []byte

// TestCompilation uses up the time of a run.
func TestCompilation(t *testing.T) {
	var c Compilation
	work := c.Enter(What{Noun: "X", Text: "a", Memory: 1 << 40})
	if err := c.Err("X"); err != nil {
		t.Fatal(err)
	}
	work.start = work.start.Add(-time.Minute)
	work.Leave()
	_, isAll := errors.AsType[*CompilationError](c.Err("X"))
	if !isAll || !IsLimit(c.Err("X")) {
		t.Errorf("got %v, want a limit", c.Err("X"))
	}
}
