//go:build unix

package manifests

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// fileKey is the same for two paths of one file: links, hard links among them, and different
// spellings.
func fileKey(target string, info fs.FileInfo) any {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return [2]uint64{uint64(stat.Dev), uint64(stat.Ino)}
	}
	return target
}

// hasOtherNames tells whether the file has more than one hard link.
func hasOtherNames(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && stat.Nlink > 1
}

// IsOwn tells whether the user of the process owns the file.
func IsOwn(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return !ok || int(stat.Uid) == os.Geteuid()
}

// isAlive tells whether there is a process of a number.
func isAlive(process int) bool { return !errors.Is(syscall.Kill(process, 0), syscall.ESRCH) }

// keepOwner gives a file the owner and the group of another, if the process may do so.
func keepOwner(file *os.File, like fs.FileInfo) {
	stat, ok := like.Sys().(*syscall.Stat_t)
	if !ok {
		return
	}
	if file.Chown(int(stat.Uid), int(stat.Gid)) != nil {
		_ = file.Chown(-1, int(stat.Gid)) // only root may give a file away
	}
}
