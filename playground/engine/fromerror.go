//go:build !nopatches

package engine

import "github.com/krm-fields/krm-fields/internal/author/suggest"

func init() { fromError = suggest.FromError }
