package fn

import (
	"bytes"
	"errors"
	"io"
	"os"
	"slices"

	"github.com/krm-fields/krm-fields/internal/heap"
	"github.com/krm-fields/krm-fields/internal/parallel"
)

// pieceSize is the size of the pieces in which the input is read, in bytes.
const pieceSize = 512 << 10

// readAll reads everything, in pieces that are joined at the end: for large lists, a growing buffer
// would copy them many times and take twice their size. Once the size is known, at once for a file,
// the heap is allowed what a run on the input takes.
func readAll(in io.Reader) ([]byte, error) {
	if file, ok := in.(*os.File); ok {
		if info, err := file.Stat(); err == nil && info.Mode().IsRegular() {
			heap.ForInput(info.Size())
			return readFile(file, info.Size())
		}
	}
	var pieces [][]byte
	size := int64(0)
	for {
		piece := make([]byte, pieceSize)
		n, err := io.ReadFull(in, piece)
		pieces, size = append(pieces, piece[:n]), size+int64(n)
		switch {
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			heap.ForInput(size)
			return bytes.Join(pieces, nil), nil
		case err != nil:
			return nil, err
		}
	}
}

// readFile reads a file of the given size from its offset on, several pieces at once.
func readFile(file *os.File, size int64) ([]byte, error) {
	text := make([]byte, size, size+bytes.MinRead)
	if start, err := file.Seek(0, io.SeekCurrent); err != nil || start != 0 {
		text = text[:0]
	}
	pieces := slices.Collect(slices.Chunk(text, pieceSize))
	err := parallel.Each(len(pieces), func(i int) error {
		_, err := file.ReadAt(pieces[i], int64(i)*pieceSize)
		return err
	})
	if err != nil { // it may have become shorter
		text = text[:0]
	}
	if len(text) > 0 {
		if _, err := file.Seek(int64(len(text)), io.SeekCurrent); err != nil {
			return nil, err
		}
	}
	rest := bytes.NewBuffer(text)
	_, err = rest.ReadFrom(file)
	return rest.Bytes(), err
}
