"""Commands on the literature: one module for each group of subcommands."""
