"""Computed files as MkDocs takes them: their content is loaded when it is needed, and often never."""

from __future__ import annotations

from functools import cached_property

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, InclusionLevel

from survey.site.build import Build, Computed
from survey.site.publishing.incremental.last_build import SiteFiles


class ComputedFile(File):
    """A computed page, or a computed file that stands in the site as it is."""

    generated_by = "survey"
    abs_src_path = None

    def __init__(self, config: MkDocsConfig, path: str, computed: Computed, build: Build, site: SiteFiles) -> None:
        super().__init__(path, src_dir=None, dest_dir=config.site_dir, use_directory_urls=config.use_directory_urls)
        self.computed, self.build, self.site = computed, build, site
        self.inclusion = InclusionLevel.NOT_IN_NAV  # but for what a survey lists: a menu of all entries is on no page

    @cached_property
    def _content(self) -> str | bytes:  # type: ignore[override]
        content = self.computed.load()
        # the text of a page keeps its placeholders, so that the page is recognised
        return content if self.is_documentation_page() else self.build.filled(content)

    def copy_file(self, dirty: bool = False) -> None:
        """Put the file into the site, unless the last build left it there."""
        made_of = self.build.made_of(self.computed.mark, marked=self.computed.mark)
        self.site.put(self.dest_uri, made_of, lambda: self._content)
