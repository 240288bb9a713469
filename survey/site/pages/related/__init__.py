"""Tools for a related-work section: compare a reader's .bib with the pool, and cite cells."""
