package cli

import (
	"bufio"
	"io"
	"os"
)

// spool is a temporary file that is written and then read once.
type spool struct {
	*bufio.Writer
	file *os.File
}

func newSpool() (*spool, error) {
	file, err := os.CreateTemp("", "krm-fields-*")
	if err != nil {
		return nil, err
	}
	_ = os.Remove(file.Name()) // so that nothing stays behind; where an open file can't be removed, close does it
	return &spool{Writer: bufio.NewWriterSize(file, 1<<16), file: file}, nil
}

// rewind goes back to the beginning, to read.
func (s *spool) rewind() error {
	if err := s.Flush(); err != nil {
		return err
	}
	_, err := s.file.Seek(0, io.SeekStart)
	return err
}

// copyTo copies what was written.
func (s *spool) copyTo(out io.Writer) error {
	if err := s.rewind(); err != nil {
		return err
	}
	_, err := io.Copy(out, s.file)
	return err
}

func (s *spool) close() {
	_ = s.file.Close()
	_ = os.Remove(s.file.Name())
}
