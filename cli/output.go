package cli

import "io"

// output is the standard output, which remembers the first error of writing to it.
type output struct {
	to  io.Writer
	err error
}

func (o *output) Write(text []byte) (int, error) {
	n, err := o.to.Write(text)
	if err != nil && o.err == nil {
		o.err = err
	}
	return n, err
}

// stream is the stream behind the output; others are themselves.
func stream(of any) any {
	if o, ok := of.(*output); ok {
		return o.to
	}
	return of
}
