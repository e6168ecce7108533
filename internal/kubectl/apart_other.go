//go:build !unix

package kubectl

import "syscall"

func apart() *syscall.SysProcAttr { return nil }
