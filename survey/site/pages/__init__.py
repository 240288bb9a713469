"""The computed pages, one room per family: builder, templates, style and script side by side.

Each builder is a function from ``Facts`` to files; ``survey.site.build`` lists them all.
"""
