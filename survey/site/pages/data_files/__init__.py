"""The data for programs: JSON for each entry, axis and pair of axes; a data package; JSON-LD."""
