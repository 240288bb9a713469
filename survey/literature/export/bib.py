"""BibTeX export: a clean file for citing, and a tagged file with all data."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType

from survey.literature.bibtex import CITED, Block, Field, write_bibtex
from survey.literature.pool import Entry, Pool
from survey.literature.taxonomy import Taxonomy


def to_bib(pool: Pool, stamped: bool = True) -> str:
    """Return BibTeX for citing, with only the fields that styles read; ``stamped`` adds edition and fingerprint."""
    text = "\n".join(pool.map_cached(_cited))
    return f"{_stamp(pool)}{text}" if stamped else text


def to_tagged_bib(pool: Pool) -> str:
    """Return BibTeX with tags and evidence, in the order of the taxonomy; reading it gives the same entries."""
    return _stamp(pool) + write_bibtex(tidy(entry.block, pool.taxonomy) for entry in pool)


def _stamp(pool: Pool) -> str:
    return f"% {pool.stamp}\n\n"


def tidy(block: Block, taxonomy: Taxonomy, on: str = "entry") -> Block:
    """Return the block with its fields in the usual order: citation, tags with evidence, the rest."""
    tagged = [name for axis in taxonomy.on(on) for name in (axis.field, *([] if axis.part_of else [axis.why]))]
    order = [*CITED, "authors-incomplete", "code", "submitted", "announced", "version", "screened", *tagged]
    last = ["summary", "sources", "third-party", "sought", "added"]
    rest = [name for name in block.fields if name not in order and name not in last]
    names = [name for name in (*order, *rest, *last) if name in block.fields]
    return replace(block, fields=MappingProxyType({name: block.fields[name] for name in names}))


def _cited(entry: Entry) -> str:
    return write_bibtex([_citable(entry)])


def _citable(entry: Entry) -> Block:
    fields = {name: entry.block.fields[name] for name in CITED if name in entry.block.fields}
    if entry.text("authors-incomplete"):
        # only here may a list end in "and others": styles then print "et al."
        fields["author"] = replace(fields["author"], text=f"{fields['author'].text} and others")
    if entry.text("eprint") and not fields.keys() & {"journal", "booktitle", "howpublished"}:
        # the standard styles print neither eprint nor url, so that a preprint would have no address
        fields["howpublished"] = Field(f"arXiv:{entry.text('eprint')}", entry.block.line)
    return replace(entry.block, fields=MappingProxyType(fields))
