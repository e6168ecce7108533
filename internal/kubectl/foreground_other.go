//go:build !unix

package kubectl

func isForeground() bool { return true } // a console sends its signals to all its processes
