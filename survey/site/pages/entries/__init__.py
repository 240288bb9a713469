"""A page for each entry: tags with evidence, citation, claims that count it, nearest entries."""
