// Command bound bounds the memory that programs in WebAssembly may have, which no flag of the
// linker does.
package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
)

// maxPages bounds the memory: a hostile expression then ends the program, and not the tab. A page
// has 64 KiB.
const maxPages = 512 << 20 / (64 << 10)

func main() {
	for _, path := range os.Args[1:] {
		if err := bound(path); err != nil {
			fmt.Fprintf(os.Stderr, "error: %s: %v\n", path, err)
			os.Exit(1)
		}
	}
}

// bound gives a program its bound.
func bound(path string) error {
	program, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if program, err = bounded(program); err != nil {
		return err
	}
	return os.WriteFile(path, program, 0o666)
}

// What a module begins with, and the section of its memories
// (https://webassembly.github.io/spec/core/binary/modules.html).
const (
	magic         = "\x00asm\x01\x00\x00\x00"
	memorySection = 5
	hasMaximum    = 1
)

// bounded returns a module whose one memory, which must have no maximum, has one.
func bounded(module []byte) ([]byte, error) {
	if !bytes.HasPrefix(module, []byte(magic)) {
		return nil, errors.New("the file must be a module of WebAssembly")
	}
	for at := len(magic); at < len(module); {
		length, n := binary.Uvarint(module[at+1:])
		start := at + 1 + n
		if n <= 0 || length > uint64(len(module)-start) {
			break
		}
		end := start + int(length)
		if module[at] != memorySection {
			at = end
			continue
		}
		memory := module[start:end] // their number, flags, and the number of pages at the beginning
		if len(memory) < 3 || memory[0] != 1 || memory[1] != 0 {
			return nil, fmt.Errorf("the module must have one memory without a maximum, found %x", memory)
		}
		if pages, _ := binary.Uvarint(memory[2:]); pages > maxPages {
			return nil, fmt.Errorf("the program must begin with at most %d pages of memory, found %d", maxPages, pages)
		}
		limits := binary.AppendUvarint(append([]byte{1, hasMaximum}, memory[2:]...), maxPages)
		section := append(binary.AppendUvarint([]byte{memorySection}, uint64(len(limits))), limits...)
		return bytes.Join([][]byte{module[:at], section, module[end:]}, nil), nil
	}
	return nil, errors.New("the module must have a memory")
}
