"""Pages on traces: schema, consistency checks, measures, supported formats, and an example."""
