"""The same data for programs: JSON for each entry, axis and pair; a data package; JSON-LD."""
