"""Notebooks as pages: executed once for what they depend on, then filled in and shown like any page.

``execution.executed`` runs a notebook, or finds the run that is still true; ``rendering.filled`` puts live
figures and citations into its text; ``rendering.light`` makes a page of what a notebook plugin gives;
``rendering.markdown`` writes it for generators that know no notebooks; ``rendering.tables`` are the numbers in
it, for pages that show them again. Nothing is imported here: ``recorder`` runs in the notebook's own process
before anything else.
"""
