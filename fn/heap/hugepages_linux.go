package heap

import "syscall"

// useHugePages lets the heap grow by that many bytes, which the next collection frees, and advises the kernel to give them in huge
// pages when they are used. Thousands of page faults would take a sixth of the run.
func useHugePages(bytes int64) {
	room := make([]byte, bytes)
	_ = syscall.Madvise(room, syscall.MADV_HUGEPAGE) // a kernel without huge pages refuses, and gives small ones
}
