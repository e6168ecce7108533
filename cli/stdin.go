package cli

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"math"
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

// input is stdin as a stream that can be read again.
type input struct {
	io.ReadSeeker
	start, size int64
	close       func()
}

// rereadable returns stdin, if it is used, as an input: through a temporary file where it is a pipe
// with too much for a run on all objects at once.
func rereadable(stdin *os.File, isUsed bool, m *meter) (input, error) {
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
	size, err := io.Copy(kept, io.MultiReader(bytes.NewReader(head), io.TeeReader(stdin, m)))
	if err == nil {
		err = kept.rewind()
	}
	return input{kept.file, 0, size, kept.close}, err
}

// spool is a temporary file that is written and then read once.
type spool struct {
	*bufio.Writer
	file *os.File
	path string // "" for a file without a name
}

func newSpool() (*spool, error) {
	file, err := os.OpenFile(os.TempDir(), os.O_RDWR|unnamed, 0o600) // nothing stays behind, however the process ends
	if err == nil {
		return &spool{Writer: bufio.NewWriterSize(file, 1<<16), file: file}, nil
	}
	if file, err = os.CreateTemp("", "krm-fields-*"); err != nil {
		return nil, err
	}
	_ = os.Remove(file.Name()) // where an open file can't be removed, close does it
	return &spool{Writer: bufio.NewWriterSize(file, 1<<16), file: file, path: file.Name()}, nil
}

func (s *spool) rewind() error {
	if err := s.Flush(); err != nil {
		return err
	}
	_, err := s.file.Seek(0, io.SeekStart)
	return err
}

// since returns what was written after an offset; what can't be read is left out.
func (s *spool) since(offset int64) []byte {
	_ = s.Flush() // a failed write fails the next one, too
	text, _ := io.ReadAll(io.NewSectionReader(s.file, offset, math.MaxInt64-offset))
	return text
}

// size returns how much was written.
func (s *spool) size() int64 {
	_ = s.Flush()
	info, err := s.file.Stat()
	if err != nil {
		return 0
	}
	return info.Size()
}

func (s *spool) close() {
	_ = s.file.Close()
	if s.path != "" {
		_ = os.Remove(s.path)
	}
}
