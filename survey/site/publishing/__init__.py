"""Publishing: the MkDocs plugin, the pages that it reuses, staging, the policy, output folders, bill of materials.

Only ``plugin``, ``incremental`` and ``serving`` depend on MkDocs.
"""
