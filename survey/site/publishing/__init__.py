"""Publishing: the MkDocs plugin and the pages that it reuses, staging, the policy, output folders, bill of materials.

Only ``plugin``, ``finished`` and ``warning_count`` depend on MkDocs.
"""
