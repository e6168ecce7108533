package words

// Shorten returns at most length characters of text, with an ellipsis if some are left out.
func Shorten(text string, length int) string {
	count := 0
	for i := range text {
		if count == length {
			return text[:i] + "…"
		}
		count++
	}
	return text
}
