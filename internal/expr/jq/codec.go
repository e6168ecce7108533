package jq

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"strings"
)

// Values go between the two processes in a binary form of our own. JSON would lose what a number
// is, NaN, and bytes that are not UTF-8. A value is a tag, and for
//
//	tagInt     a zigzag varint
//	tagBig     a sign byte (0 or 1), the length and the bytes of the magnitude
//	tagFloat   8 bytes, big-endian IEEE 754
//	tagString  its length and its bytes
//	tagList    its length and its elements
//	tagObject  its length and, for each member, the key as a string and the value
//
// Lengths are unsigned varints. Members come in any order.
const (
	tagNull = iota
	tagFalse
	tagTrue
	tagInt
	tagBig
	tagFloat
	tagString
	tagList
	tagObject
)

// maxDepth is how deep values may be nested, the list of results included. It keeps the stack of
// the parent small.
const maxDepth = 10_000

var (
	errTooDeep   = fmt.Errorf("a value must not be nested more than %d levels deep", maxDepth)
	errBadValue  = errors.New("not an encoded value")
	errNotAValue = errors.New("not a value of jq")
)

// writeValue writes v; it flushes nothing.
func writeValue(w *bufio.Writer, v any, depth int) error {
	if depth > maxDepth+2 {
		return errTooDeep
	}
	switch v := plainNumber(v).(type) {
	case nil:
		return w.WriteByte(tagNull)
	case bool:
		return writeBool(w, v)
	case int:
		return writeInt(w, v)
	case *big.Int:
		return writeBig(w, v)
	case float64:
		return writeFloat(w, v)
	case string:
		w.WriteByte(tagString)
		return writeText(w, v)
	case []any:
		return writeList(w, v, depth)
	case map[string]any:
		return writeObject(w, v, depth)
	}
	return errNotAValue
}

// A bufio.Writer keeps its first error, so these need not be asked for theirs.

func writeBool(w *bufio.Writer, b bool) error {
	if b {
		return w.WriteByte(tagTrue)
	}
	return w.WriteByte(tagFalse)
}

func writeInt(w *bufio.Writer, i int) error {
	var buffer [binary.MaxVarintLen64]byte
	w.WriteByte(tagInt)
	_, err := w.Write(binary.AppendVarint(buffer[:0], int64(i)))
	return err
}

func writeBig(w *bufio.Writer, i *big.Int) error {
	w.WriteByte(tagBig)
	sign := byte(0)
	if i.Sign() < 0 {
		sign = 1
	}
	w.WriteByte(sign)
	return writeText(w, string(i.Bytes()))
}

func writeFloat(w *bufio.Writer, f float64) error {
	var buffer [8]byte
	w.WriteByte(tagFloat)
	_, err := w.Write(binary.BigEndian.AppendUint64(buffer[:0], math.Float64bits(f)))
	return err
}

func writeList(w *bufio.Writer, list []any, depth int) error {
	w.WriteByte(tagList)
	writeLength(w, len(list))
	for _, element := range list {
		if err := writeValue(w, element, depth+1); err != nil {
			return err
		}
	}
	return nil
}

func writeObject(w *bufio.Writer, object map[string]any, depth int) error {
	w.WriteByte(tagObject)
	writeLength(w, len(object))
	for key, member := range object {
		if err := writeText(w, key); err != nil {
			return err
		}
		if err := writeValue(w, member, depth+1); err != nil {
			return err
		}
	}
	return nil
}

func writeLength(w *bufio.Writer, n int) {
	var buffer [binary.MaxVarintLen64]byte
	w.Write(binary.AppendUvarint(buffer[:0], uint64(n)))
}

func writeText(w *bufio.Writer, s string) error {
	writeLength(w, len(s))
	_, err := w.WriteString(s)
	return err
}

// readValue reads one value. io.EOF means that there is none; any other error that it is broken.
func readValue(r *bufio.Reader, depth int) (any, error) {
	if depth > maxDepth+2 {
		return nil, errTooDeep
	}
	tag, err := r.ReadByte()
	if err != nil {
		return nil, err
	}
	switch tag {
	case tagNull:
		return nil, nil
	case tagFalse, tagTrue:
		return tag == tagTrue, nil
	case tagInt:
		i, err := binary.ReadVarint(r)
		return int(i), err
	case tagBig:
		return readBig(r)
	case tagFloat:
		return readFloat(r)
	case tagString:
		return readText(r)
	case tagList:
		return readList(r, depth)
	case tagObject:
		return readObject(r, depth)
	}
	return nil, errBadValue
}

func readFloat(r *bufio.Reader) (any, error) {
	var bits [8]byte
	_, err := io.ReadFull(r, bits[:])
	return math.Float64frombits(binary.BigEndian.Uint64(bits[:])), err
}

func readBig(r *bufio.Reader) (any, error) {
	negative, err := r.ReadByte()
	if err != nil {
		return nil, err
	}
	magnitude, err := readText(r)
	if err != nil {
		return nil, err
	}
	i := new(big.Int).SetBytes([]byte(magnitude))
	if negative == 1 {
		i.Neg(i)
	}
	return i, nil
}

// maxPrealloc is how many elements or bytes a length that was read may reserve at once, but for a
// text that is long.
const maxPrealloc = 1 << 10

func readLength(r *bufio.Reader) (int, error) {
	n, err := binary.ReadUvarint(r)
	if err != nil {
		return 0, err
	}
	if n > math.MaxInt32 {
		return 0, errBadValue
	}
	return int(n), nil
}

func readText(r *bufio.Reader) (string, error) {
	n, err := readLength(r)
	if err != nil {
		return "", err
	}
	if n <= maxPrealloc {
		short := make([]byte, n)
		_, err := io.ReadFull(r, short)
		return string(short), err
	}
	var text strings.Builder
	text.Grow(n) // Not more: what it leaves behind would stay in the process.
	if _, err := io.CopyN(&text, r, int64(n)); err != nil {
		return "", err
	}
	return text.String(), nil
}

func readList(r *bufio.Reader, depth int) (any, error) {
	n, err := readLength(r)
	if err != nil {
		return nil, err
	}
	list := make([]any, 0, min(n, maxPrealloc))
	for range n {
		element, err := readValue(r, depth+1)
		if err != nil {
			return nil, err
		}
		list = append(list, element)
	}
	return list, nil
}

func readObject(r *bufio.Reader, depth int) (any, error) {
	n, err := readLength(r)
	if err != nil {
		return nil, err
	}
	object := make(map[string]any, min(n, maxPrealloc))
	for range n {
		key, err := readText(r)
		if err != nil {
			return nil, err
		}
		if object[key], err = readValue(r, depth+1); err != nil {
			return nil, err
		}
	}
	return object, nil
}
