package fn

import (
	"bytes"
	"errors"
	"io"
	"os"
)

const (
	// pieceSize is the size of the pieces in which the input is read, in bytes.
	pieceSize = 512 << 10
	// freeMemory is how many bytes, besides twice the size of the input, a run may take before
	// garbage is collected.
	freeMemory = 24 << 20
)

// readAll reads everything, in pieces that are joined at the end: for large lists, a growing buffer
// would copy them many times and take twice their size. Once the size is known, at once for a file,
// the heap is allowed what a run on the input takes.
func readAll(in io.Reader) ([]byte, error) {
	if file, ok := in.(*os.File); ok {
		if info, err := file.Stat(); err == nil && info.Mode().IsRegular() {
			allowMemory(info.Size())
			text := bytes.NewBuffer(make([]byte, 0, info.Size()+bytes.MinRead))
			_, err := text.ReadFrom(file)
			return text.Bytes(), err
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
			allowMemory(size)
			return bytes.Join(pieces, nil), nil
		case err != nil:
			return nil, err
		}
	}
}

// allowMemory delays garbage collection as fits a run on so much input.
func allowMemory(input int64) { allowHeap(freeMemory + 2*input) }
