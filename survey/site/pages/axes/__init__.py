"""A page for each axis and each value, with their BibTeX and feeds; the glossary."""
