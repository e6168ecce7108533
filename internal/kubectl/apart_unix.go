//go:build unix

package kubectl

import "syscall"

// apart keeps the signals that a terminal sends from kubectl, so that a call under way ends.
func apart() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
