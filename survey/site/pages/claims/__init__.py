"""Claims: a page for each, their robustness, and changes between editions."""
