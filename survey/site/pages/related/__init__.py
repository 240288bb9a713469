"""For a related-work section: comparing a reader's .bib with the pool, and citing cells."""
