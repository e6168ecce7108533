package heap

import (
	"bytes"
	"os"
	"sync"
	"syscall"
	"unsafe"
)

// hugePage is the size of a huge page of amd64 and arm64.
const hugePage = 2 << 20

// canAdvise tells whether the system backs memory with huge pages where it is asked to, and only
// there (https://docs.kernel.org/admin-guide/mm/transhuge.html).
var canAdvise = sync.OnceValue(func() bool {
	enabled, err := os.ReadFile("/sys/kernel/mm/transparent_hugepage/enabled")
	return err == nil && bytes.Contains(enabled, []byte("[madvise]"))
})

// canReserve tells whether memory that is never touched costs nothing: it counts against a limit of
// the address space, and where the system promises no more memory than it has
// (https://docs.kernel.org/mm/overcommit-accounting.html).
var canReserve = sync.OnceValue(func() bool {
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_AS, &limit) != nil || limit.Cur != ^uint64(0) {
		return false
	}
	overcommit, err := os.ReadFile("/proc/sys/vm/overcommit_memory")
	return err == nil && !bytes.HasPrefix(overcommit, []byte("2"))
})

// Advise asks for huge pages for a large buffer that has not been written to. A page of the usual
// size costs the system a fault for each 4 KiB, which takes longer than to read a file into it.
func Advise(buffer []byte) {
	if len(buffer) < hugePage || !canAdvise() {
		return
	}
	start := uintptr(unsafe.Pointer(unsafe.SliceData(buffer)))
	end := (start + uintptr(len(buffer)) + hugePage - 1) &^ (hugePage - 1)
	start &^= hugePage - 1
	// Without it the program works as well, and around the buffer there is only other heap.
	_, _, _ = syscall.Syscall(syscall.SYS_MADVISE, start, end-start, syscall.MADV_HUGEPAGE)
}
