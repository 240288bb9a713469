"""Helpers that pages share: links, escaping, lists of works, templates, feeds."""
