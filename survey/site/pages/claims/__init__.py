"""Claims: a page for each, their robustness, and what changed between editions."""
