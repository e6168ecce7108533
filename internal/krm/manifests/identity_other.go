//go:build !unix

package manifests

import (
	"io/fs"
	"os"
	"path/filepath"
)

// fileKey is the same for two paths of one file.
func fileKey(target string, _ fs.FileInfo) any {
	if absolute, err := filepath.Abs(target); err == nil {
		return absolute
	}
	return target
}

// hasOtherNames tells whether the file has more than one hard link, which is not known here.
func hasOtherNames(fs.FileInfo) bool { return false }

// IsOwn is true, since files have no owner as Unix knows it.
func IsOwn(fs.FileInfo) bool { return true }

// isAlive tells whether there is a process of a number.
func isAlive(process int) bool {
	_, err := os.FindProcess(process)
	return err == nil
}

// keepOwner does nothing: files have no owner as Unix knows it.
func keepOwner(*os.File, fs.FileInfo) {}
