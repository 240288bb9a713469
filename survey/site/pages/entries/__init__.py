"""A page for each entry: tags with evidence, how to cite it, what counts it, what is near."""
