"""Live figures, citations and formulas in hand-written pages."""
