"""Chapters: live figures, citations and formulas in pages that a person wrote."""
