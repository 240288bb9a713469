/* Matching of patterns from a position in a text. */

// Returns the match of a global pattern (the next one) or a sticky pattern (exactly there), or null.
export function matchAt(pattern, text, at) {
  pattern.lastIndex = at;
  return pattern.exec(text);
}
