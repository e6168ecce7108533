//go:build !linux

package heap

// useHugePages does nothing where the kernel takes no advice.
func useHugePages(int64) {}
