"""The schema, checks, measures and formats of traces, with an example."""
