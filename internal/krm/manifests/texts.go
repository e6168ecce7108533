package manifests

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"iter"
	"os"
	"slices"
	"strings"

	"github.com/krm-fields/krm-fields/internal/yamldoc/lines"
	"github.com/krm-fields/krm-fields/internal/yamldoc/tree"
)

// Text is that of a document, or of an item of a list.
type Text struct {
	Bytes  []byte
	IsItem bool
}

// Texts yields the texts of the documents of a stream in YAML or JSON, and in place of a document
// with a list of items, such as kubectl prints it, those of the items: none needs more memory than
// one object. Each text may be kept. After an error there are no more.
func Texts(stream io.Reader) iter.Seq2[Text, error] {
	return func(yield func(Text, error) bool) {
		c := textCutter{in: bufio.NewReaderSize(stream, 1<<18), yield: yield}
		err := c.cut()
		if !errors.Is(err, errStopped) && !errors.Is(err, io.EOF) {
			yield(Text{}, err)
		}
	}
}

var (
	errStopped = errors.New("no more texts are wanted")
	errCutOff  = errors.New("the text must hold whole objects, found an end within one")
	errNoMap   = errors.New("the items of a list must be maps, found something else")
)

type textCutter struct {
	in    *bufio.Reader
	yield func(Text, error) bool
	text  []byte // what has been read of a document or an item
}

// end yields what has been read.
func (c *textCutter) end(isItem bool) error {
	text := c.text
	c.text = make([]byte, 0, len(text))
	if lines.HasContent(text) && !c.yield(Text{text, isItem}, nil) {
		return errStopped
	}
	return nil
}

// cut cuts the stream; the error is io.EOF at its end.
func (c *textCutter) cut() error {
	for {
		first, err := c.in.ReadByte()
		switch {
		case err != nil:
			return err
		case lines.IsBlank([]byte{first}) || first == 0xEF || first == 0xBB || first == 0xBF: // of a byte order mark
			continue
		}
		if err := c.in.UnreadByte(); err != nil {
			return err
		}
		if first == '{' {
			err = c.json()
		} else {
			err = c.yaml()
		}
		if err != nil {
			return err
		}
	}
}

// jsonPlace is where in an object a cut through JSON is.
type jsonPlace struct {
	depth             int
	inString, escaped bool
	// key is where the last string of the object itself begins in the text.
	key int
	// inList is true between the brackets of items, and isList from there on.
	inList, isList bool
}

// json reads one JSON object.
func (c *textCutter) json() error {
	var p jsonPlace
	for {
		_, err := c.in.Peek(1)
		if errors.Is(err, io.EOF) {
			return errCutOff
		}
		if err != nil {
			return err
		}
		chunk, _ := c.in.Peek(c.in.Buffered())
		used, err := c.jsonChunk(&p, chunk)
		if err != nil {
			return err
		}
		if _, err := c.in.Discard(used); err != nil || p.depth == 0 {
			return err
		}
	}
}

// jsonChunk reads to the end of the chunk or of the object.
func (c *textCutter) jsonChunk(p *jsonPlace, chunk []byte) (used int, err error) {
	from := 0 // what is before has been kept or dropped
	for i, b := range chunk {
		switch {
		case p.inString:
			p.inString = b != '"' || p.escaped
			p.escaped = b == '\\' && !p.escaped
		case p.inList && p.depth == 2 && b != '{' && b != ']':
			if !lines.IsBlank(chunk[i:i+1]) && b != ',' {
				return 0, errNoMap
			}
			from = i + 1
		case b == '"':
			if p.inString = true; p.depth == 1 {
				p.key = len(c.text) + i - from
			}
		case b == '{' || b == '[':
			if p.depth++; b == '[' && p.depth == 2 && !p.isList {
				c.text, from = append(c.text, chunk[from:i]...), i
				if isItems(c.text, p.key) && isHeadOfList(c.text, "null}") {
					p.inList, p.isList, c.text, from = true, true, c.text[:0], i+1
				}
			}
		case b == '}' || b == ']':
			p.depth--
			isItem := p.inList && p.depth == 2
			if p.inList = p.inList && p.depth > 1; isItem || !p.isList && p.depth == 0 {
				c.text, from = append(c.text, chunk[from:i+1]...), i+1
				if err := c.end(isItem); err != nil {
					return 0, err
				}
			}
			if p.depth == 0 {
				return i + 1, nil
			}
		}
	}
	if !p.isList || p.inList {
		c.text = append(c.text, chunk[from:]...)
	}
	return len(chunk), nil
}

// isHeadOfList tells whether what stands before the items of a document, which the rest completes,
// is that of a list of objects. The kind may follow behind the items; then the apiVersion tells, as
// kubectl prints it. A document that is no list for certain is read as a whole.
func isHeadOfList(head []byte, rest string) bool {
	root, err := tree.Parse(append(slices.Clip(head), rest...))
	if err != nil {
		return false
	}
	if kind := tree.GetString(root, "kind"); kind != "" {
		return strings.HasSuffix(kind, "List")
	}
	return tree.GetString(root, "apiVersion") == "v1"
}

// maxChecks is how many lines of an item may stand further left than the item.
const maxChecks = 100

func parses(text []byte) bool {
	_, err := tree.Parse(text)
	return err == nil
}

// isItems tells whether a text ends in the key items, which begins at an offset, and a colon.
func isItems(text []byte, key int) bool {
	rest, ok := bytes.CutPrefix(text[min(key, len(text)):], []byte(`"items"`))
	return ok && string(bytes.TrimSpace(rest)) == ":"
}

// yaml reads one document in YAML.
func (c *textCutter) yaml() error {
	var line []byte
	depth, checks, isList, isTail := -1, 0, false, false
	for {
		part, err := c.in.ReadSlice('\n')
		if line = append(line, part...); errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		switch indent := lines.Indent(line); {
		case lines.IsMarker(line, "---") || lines.IsMarker(line, "..."):
			if fault := c.end(isList); fault != nil {
				return fault
			}
			if c.text = append(c.text[:0], line[3:]...); err != nil || !lines.HasContent(c.text) {
				c.text = c.text[:0]
				return err
			}
			depth, isList, isTail = -1, false, false
		case !isList && lines.IsItemsKey(line) && isHeadOfList(c.text, ""):
			isList, c.text = true, c.text[:0]
		case !isList:
			c.text = append(c.text, line...)
		case isTail || lines.IsBlankOrComment(line) && len(c.text) == 0:
		case lines.IsDash(line) && (depth < 0 || indent == depth):
			if fault := c.end(isList); fault != nil {
				return fault
			}
			depth, line[indent], checks = indent, ' ', 0
			c.text = append(c.text, line...)
		case lines.IsBlankOrComment(line) || indent > depth && depth >= 0:
			c.text = append(c.text, line...)
		case depth < 0:
			return errNoMap
		case checks < maxChecks && !parses(c.text): // a flow collection or a string that goes on
			checks++
			c.text = append(c.text, line...)
		default:
			isTail = true
			if fault := c.end(isList); fault != nil {
				return fault
			}
		}
		if line = line[:0]; err != nil {
			return errors.Join(c.end(isList), err)
		}
	}
}

// Streams opens the files one after the other, each time anew, stdin where it is, and returns which
// of them are faulty or skipped. read tells whether what it has read has objects, or is empty.
func (f *Found) Streams(stdin io.Reader, read func(io.Reader) (bool, error)) Package {
	var all Package
	for _, file := range f.files {
		holds := false
		if file.fault == nil {
			stream, err := file.reopen(stdin)
			if err == nil {
				holds, err = read(stream)
				_ = stream.Close()
			}
			if err != nil {
				file.fault = &Error{Path: file.Path, Reason: reasonOf(err)}
			}
		}
		all.add(file, f.options, holds)
	}
	return all
}

// open opens the file, or returns stdin for that.
func (f *File) open(stdin io.Reader) (io.ReadCloser, error) {
	if f.target == "" {
		return io.NopCloser(stdin), nil
	}
	return os.Open(f.Path)
}

// reopen is open for what is read several times: the text of a pipe is kept.
func (f *File) reopen(stdin io.Reader) (io.ReadCloser, error) {
	if f.target == "" || f.info.Mode()&os.ModeNamedPipe == 0 {
		return f.open(stdin)
	}
	if f.source == nil {
		text, err := os.ReadFile(f.Path)
		if err != nil {
			return nil, err
		}
		f.source = text
	}
	return io.NopCloser(bytes.NewReader(f.source)), nil
}
