package main

import (
	"fmt"
	"os"
	"regexp"
	"runtime"
	"strconv"
	"strings"
)

var (
	modelName = regexp.MustCompile(`(?m)^model name\s*:\s*(.+)$`)
	memTotal  = regexp.MustCompile(`(?m)^MemTotal:\s*(\d+) kB$`)
)

// machine describes the computer in a line. What /proc doesn't tell (other systems than Linux) is
// left out.
func machine() string {
	parts := []string{fmt.Sprintf("%d cores", runtime.NumCPU())}
	if model := firstMatch("/proc/cpuinfo", modelName); model != "" {
		parts = append(parts, model)
	}
	if kib, err := strconv.ParseInt(firstMatch("/proc/meminfo", memTotal), 10, 64); err == nil {
		parts = append(parts, fmt.Sprintf("%.0f GiB of memory", float64(kib)/(1<<20)))
	}
	if kernel, err := os.ReadFile("/proc/sys/kernel/osrelease"); err == nil {
		parts = append(parts, "Linux "+strings.TrimSpace(string(kernel)))
	}
	parts = append(parts, runtime.GOOS+"/"+runtime.GOARCH, runtime.Version())
	return strings.Join(parts, ", ")
}

// firstMatch returns the first group of the pattern in a file, or "".
func firstMatch(path string, pattern *regexp.Regexp) string {
	text, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	match := pattern.FindSubmatch(text)
	if match == nil {
		return ""
	}
	return string(match[1])
}
