"""arXiv: what was submitted in some classes, and the facts of single works."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from survey.literature.scout.asking import Client, OutOfReach
from survey.literature.scout.candidates import Candidate
from survey.literature.scout.sources.asked import Asked, parts
from survey.literature.scout.sources.feeds import read_feed, tree
from survey.plurals import plural

TOTAL = "{http://a9.com/-/spec/opensearch/1.1/}totalResults"

PAGE = 500
"""Works in one answer: arXiv allows 2,000 and asks for fewer."""

MOST = 30_000
"""How many works arXiv pages through for one query."""


class Arxiv:
    """arXiv's API, which answers in Atom."""

    name = "arxiv"

    def __init__(self, address: str = "https://export.arxiv.org/api/query") -> None:
        self.address = address

    def find(self, client: Client, asked: Asked) -> Iterator[Candidate]:
        """Yield every work of the classes that was submitted in the time that is asked for."""
        if not asked.classes:
            return
        classes = " OR ".join(f"cat:{name}" for name in asked.classes)
        days = f"{asked.since:%Y%m%d}0000 TO {asked.until:%Y%m%d}2359"
        query = f"({classes}) AND submittedDate:[{days}]"
        for start in range(0, MOST, PAGE):
            page = {"search_query": query, "start": str(start), "max_results": str(PAGE), "sortBy": "submittedDate",
                    "sortOrder": "ascending"}  # fmt: skip
            total, found = self._ask(client, page)
            if total > MOST:
                raise OutOfReach(self.name, f"has more than {MOST} works since {asked.since}: ask for fewer days")
            if len(found) < min(PAGE, total - start):  # arXiv sometimes answers with an empty page
                client.forget(self.name, self.address, page)
                raise OutOfReach(
                    self.name, f"gave {plural(len(found), 'work')} from {start + 1} on, of {total}: ask again later"
                )
            yield from found
            if start + PAGE >= total:
                return

    def facts(self, client: Client, ids: Sequence[str]) -> Iterator[Candidate]:
        """Yield the works with these arXiv ids, in their latest version."""
        for some in parts(ids, 100):
            yield from self._ask(client, {"id_list": ",".join(some), "max_results": str(len(some))})[1]

    def _ask(self, client: Client, query: Mapping[str, str]) -> tuple[int, list[Candidate]]:
        """Return how many works there are, and those of the answer. An answer of another form is not kept."""
        body = client.get(self.name, self.address, query)
        try:
            found = list(read_feed(body, self.name))
            for error in found:
                if not error.arxiv:  # arXiv puts an error among the works
                    raise OutOfReach(self.name, f"answered {error.title}: {error.abstract}")
            return _total(body, self.name), found
        except OutOfReach:
            client.forget(self.name, self.address, query)
            raise


def _total(body: bytes, source: str) -> int:
    text = tree(body, source).findtext(TOTAL) or ""
    if not text.isdigit():
        raise OutOfReach(source, "does not say how many works it found")
    return int(text)
