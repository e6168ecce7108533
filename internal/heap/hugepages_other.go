//go:build !linux

package heap

func canAdvise() bool { return false }

func canReserve() bool { return false }

// Advise asks for huge pages for a large buffer, which only Linux gives.
func Advise([]byte) {}
