package corpus

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
)

// perFolder is how many objects a package has in WriteFolder.
const perFolder = 100

// PerFile returns the kind with so many YAML documents in a file.
func (k Kind) PerFile(documents int) Kind {
	k.perFile = documents
	return k
}

// WriteFolder writes n objects as files of packages of a hundred objects, and returns how many
// files there are. A JSON object has a file of its own.
func (k Kind) WriteFolder(dir string, n int) (int, error) {
	files := 0
	for first := 0; first < n; first += perFolder {
		folder := filepath.Join(dir, fmt.Sprintf("package-%05d", first/perFolder))
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return files, err
		}
		written, err := k.writePackage(folder, first, min(first+perFolder, n))
		files += written
		if err != nil {
			return files, err
		}
	}
	return files, nil
}

// writePackage writes the objects from first up to end into a folder.
func (k Kind) writePackage(folder string, first, end int) (files int, err error) {
	var text bytes.Buffer
	documents := 0
	flush := func(last int, extension string) error {
		if documents == 0 {
			return nil
		}
		path := filepath.Join(folder, fmt.Sprintf("objects-%d%s", last, extension))
		err := os.WriteFile(path, text.Bytes(), 0o644)
		text.Reset()
		documents = 0
		files++
		return err
	}
	for i := first; i < end; i++ {
		manifest := k.manifest(i)
		if isJSON(manifest) {
			err = flush(i-1, ".yaml")
			text.WriteString(manifest)
			documents = 1
			if err == nil {
				err = flush(i, ".json")
			}
		} else {
			if documents > 0 {
				text.WriteString("---\n")
			}
			text.WriteString(manifest)
			documents++
			if documents >= k.perFile {
				err = flush(i, ".yaml")
			}
		}
		if err != nil {
			return files, err
		}
	}
	return files, flush(end-1, ".yaml")
}
