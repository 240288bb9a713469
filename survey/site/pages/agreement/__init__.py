"""Agreement between readers: overview, a page for each pair, a page for each axis."""
