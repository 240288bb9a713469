"""Notebooks as pages: executed once per state of their dependencies, then rendered like any page.

``execution.executed`` runs a notebook, or returns a cached run that is still valid; ``background.BackgroundRuns``
lets a server show the other pages meanwhile; ``rendering.with_figures`` fills
live figures and citations into its text; ``rendering.slimmed`` reduces the HTML of a notebook plugin to a page;
``rendering.markdown`` writes it for generators without notebook support; ``rendering.tables`` returns its tables
for other pages. Nothing is imported here: ``recorder`` runs in the notebook's own process before anything else.
"""
