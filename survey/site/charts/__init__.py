"""Charts: specifications computed from the pool, drawn as pictures that follow the palette.

``pool_charts`` builds the charts of the pool, ``Pictures`` draws them, ``plots`` is for notebooks, ``overview`` is
the diagram on the home page.
"""
