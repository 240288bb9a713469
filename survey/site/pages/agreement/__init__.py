"""Agreement between readers, overall, by pair and by axis."""
