"""Commands on traces: ``survey trace`` and its subcommands."""
