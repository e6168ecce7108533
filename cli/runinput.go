package cli

import (
	"bytes"
	"errors"
	"io"
	"os"
	"slices"

	"github.com/krm-fields/krm-fields/internal/krm/manifests"
)

// Manifests of more bytes than chunkedFrom are read, run and written in chunks of about chunkSize,
// if the functionConfigs and the flags allow it.
var (
	chunkedFrom int64 = 16 << 20
	chunkSize   int64 = 4 << 20
)

// errNotInChunks says that a run needs all objects at once after all.
var errNotInChunks = errors.New("not in chunks")

// mayRunInChunks tells whether no flag needs all objects at once. The places of results that a
// review shows are looked up in the objects.
func (o runOptions) mayRunInChunks() bool {
	return o.operations == "" && !o.hasLive() && len(o.crds) == 0 && !o.outcome.needsObjects()
}

// input is stdin as a stream that can be read again.
type input struct {
	io.ReadSeeker
	start, size int64
	close       func()
}

// again returns the stream from its beginning.
func (i input) again() (io.Reader, error) {
	_, err := i.Seek(i.start, io.SeekStart)
	return i, err
}

// rereadable returns stdin, if it is used, as an input. What comes through a pipe and is too large
// for a run on all objects at once is copied to a temporary file.
func rereadable(stdin *os.File, isUsed bool) (input, error) {
	nothing := input{ReadSeeker: bytes.NewReader(nil), close: func() {}}
	if !isUsed {
		return nothing, nil
	}
	if info, err := stdin.Stat(); err == nil && info.Mode().IsRegular() {
		start, err := stdin.Seek(0, io.SeekCurrent)
		return input{stdin, start, info.Size() - start, nothing.close}, err
	}
	head, err := manifests.ReadText(manifests.Stdin, io.LimitReader(stdin, chunkedFrom))
	if err != nil || int64(len(head)) < chunkedFrom {
		return input{bytes.NewReader(head), 0, int64(len(head)), nothing.close}, err
	}
	kept, err := newSpool()
	if err != nil { // there is no place for temporary files
		rest, err := manifests.ReadText(manifests.Stdin, stdin)
		return input{bytes.NewReader(slices.Concat(head, rest)), 0, 0, nothing.close}, err
	}
	_, _ = kept.Write(head) // which rewind tells of
	size, err := io.Copy(kept, stdin)
	if err == nil {
		err = kept.rewind()
	}
	return input{kept.file, 0, chunkedFrom + size, kept.close}, err
}
