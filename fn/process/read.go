package process

import (
	"bytes"
	"errors"
	"io"
	"os"
)

const (
	// pieceSize is the size of the pieces in which the input is read, in bytes.
	pieceSize = 512 << 10
	// freeMemory is how many bytes, and twice the size of the input, a run may take before garbage is collected.
	freeMemory = 30 << 20
)

// readAll reads everything, in pieces that are joined at the end: lists are large, and a buffer that grows would copy
// them many times, and take twice their size. A file's size is known.
func readAll(in io.Reader) ([]byte, error) {
	if file, ok := in.(*os.File); ok {
		if info, err := file.Stat(); err == nil && info.Mode().IsRegular() {
			text := bytes.NewBuffer(make([]byte, 0, info.Size()+bytes.MinRead))
			_, err := text.ReadFrom(file)
			return text.Bytes(), err
		}
	}
	var pieces [][]byte
	for {
		piece := make([]byte, pieceSize)
		n, err := io.ReadFull(in, piece)
		pieces = append(pieces, piece[:n])
		switch {
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			return bytes.Join(pieces, nil), nil
		case err != nil:
			return nil, err
		}
	}
}
