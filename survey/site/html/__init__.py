"""Addresses and templates for what knows no pool: a notebook that draws a chart depends on nothing else of the site."""
