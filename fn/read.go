package fn

import (
	"bytes"
	"errors"
	"io"
	"os"

	"github.com/krm-fields/krm-fields/internal/heap"
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
			heap.ForInput(size)
			return bytes.Join(pieces, nil), nil
		case err != nil:
			return nil, err
		}
	}
}
