/* Patterns that are matched from a place in a text on. */

// The match of a pattern that is global (the next one) or sticky (exactly there), or null.
export function matchAt(pattern, text, at) {
  pattern.lastIndex = at;
  return pattern.exec(text);
}
