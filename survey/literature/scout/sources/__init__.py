"""Sources of candidates, one module each. All have one shape: asked what is looked for, they yield candidates."""

from survey.literature.scout.sources.acl_anthology import AclAnthology
from survey.literature.scout.sources.arxiv import Arxiv
from survey.literature.scout.sources.asked import Asked, Source
from survey.literature.scout.sources.crossref import Crossref
from survey.literature.scout.sources.dblp import Dblp
from survey.literature.scout.sources.feeds import Feeds
from survey.literature.scout.sources.files import read_file
from survey.literature.scout.sources.openalex import OpenAlex
from survey.literature.scout.sources.openreview import OpenReview
from survey.literature.scout.sources.pages import Pages
from survey.literature.scout.sources.semantic_scholar import SemanticScholar

__all__ = [
    "AclAnthology", "Arxiv", "Asked", "Crossref", "Dblp", "Feeds", "OpenAlex", "OpenReview", "Pages",
    "SemanticScholar", "Source", "read_file",
]  # fmt: skip
