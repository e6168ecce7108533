package manifests

import (
	"bytes"
	"io"
	"iter"
	"slices"

	"github.com/krm-fields/krm-fields/internal/yamldoc/lines"
)

// Count returns how many files there are.
func (f *Found) Count() int { return len(f.files) }

// Size returns how many bytes the files have, as far as the system tells.
func (f *Found) Size() int64 {
	size := int64(0)
	for _, file := range f.files {
		if file.info != nil {
			size += file.info.Size()
		}
	}
	return size
}

// Chunks reads the files in chunks of about a number of bytes, so that they need not be in memory
// together. Stdin, and larger files if they may, come in parts, each a File of its own; other files
// come as a whole. A File is of no use once the next chunk is asked for.
func (f *Found) Chunks(stdin io.Reader, size int64, inParts bool) iter.Seq[Package] {
	return func(yield func(Package) bool) {
		start, sum := 0, int64(0)
		for i, file := range f.files {
			isLarge := inParts && file.info != nil && file.info.Size() > size
			if file.fault == nil && (file.target == "" || isLarge) {
				if !yieldFiles(yield, f.files[start:i], f.options) || !f.yieldParts(yield, file, stdin, size) {
					return
				}
				start, sum = i+1, 0
				continue
			}
			if file.info != nil {
				sum += file.info.Size()
			}
			if sum >= size {
				if !yieldFiles(yield, f.files[start:i+1], f.options) {
					return
				}
				start, sum = i+1, 0
			}
		}
		yieldFiles(yield, f.files[start:], f.options)
	}
}

// yieldFiles reads files, yields them, and drops what was read.
func yieldFiles(yield func(Package) bool, files []*File, options Options) bool {
	if len(files) == 0 {
		return true
	}
	read, _ := (&Found{files: files, options: options}).Read(nil) // which has its Faults
	more := yield(read)
	for _, file := range files {
		file.source, file.documents, file.before, file.noObjects = nil, nil, position{}, nil
	}
	return more
}

// yieldParts reads stdin or a file in parts that end before a document.
func (f *Found) yieldParts(yield func(Package) bool, whole *File, stdin io.Reader, size int64) bool {
	part, holds := *whole, false
	fail := func(err *Error) bool {
		part.fault = err
		broken := Package{HasBroken: holds}
		broken.add(&part, f.options, false)
		return yield(broken)
	}
	opened, err := whole.open(stdin)
	if err != nil {
		return fail(&Error{Path: whole.Path, Reason: reasonOf(err)})
	}
	defer opened.Close()
	var text []byte
	for first, isLast := true, false; !isLast; {
		more, err := io.ReadAll(io.LimitReader(opened, size))
		if err != nil {
			return fail(&Error{Path: whole.Path, Reason: reasonOf(err)})
		}
		isLast = int64(len(more)) < size
		lineStart := bytes.LastIndexByte(text, '\n') + 1
		text = append(text, more...)
		end := len(text)
		if !isLast {
			if end = lastMarker(text, lineStart); end <= 0 {
				if whole.info != nil { // a document is longer, perhaps as long as the file
					text = slices.Grow(text, max(int(whole.info.Size())-len(text), 0))
				}
				continue
			}
		}
		part.source, part.documents = text[:end:end], split(text[:end:end])
		if !first {
			part.documents = part.documents[1:] // which is before the marker, and empty
		}
		first = false
		parse([]*File{&part}, f.options.IsObjectToo)
		if part.fault != nil {
			return fail(part.fault)
		}
		holds = holds || part.holdsObjects(f.options)
		var read Package
		read.add(&part, f.options, holds || !isLast)
		if !yield(read) {
			return false
		}
		part.noObjects = nil
		text = slices.Clone(text[end:])
	}
	return true
}

// lastMarker returns where the last document of a text begins, with its marker, if that is at or
// behind the beginning of a line; else -1. The last line may be cut off, so that it is no marker.
func lastMarker(text []byte, from int) int {
	for end := bytes.LastIndexByte(text, '\n'); end >= from; {
		start := bytes.LastIndexByte(text[:end], '\n') + 1
		if lines.IsMarker(text[start:end+1], "---") {
			return start
		}
		end = start - 1
	}
	return -1
}
