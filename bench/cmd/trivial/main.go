// Command trivial is a static binary that does nothing: what starting a process costs at least.
package main

func main() {}
