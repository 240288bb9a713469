"""Atom feeds of dated items."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from survey.literature import Entry
from survey.literature.taxonomy import Taxonomy
from survey.site.html.addresses import address
from survey.site.markup.links import entry_page, urn

ATOM = "http://www.w3.org/2005/Atom"
NEWEST = 100


@dataclass(frozen=True, slots=True)
class Item:
    """An item of a feed. ``path`` is its address below the site; ``link`` replaces it if the site has no address."""

    title: str
    path: str
    day: str
    summary: str
    link: str = ""


def newest(entries: Iterable[Entry]) -> list[Item]:
    """Return the entries as items, the most recently added first."""
    ordered = sorted(entries, key=lambda e: (e.added, e.key), reverse=True)[:NEWEST]
    return [
        Item(f"{e.by} ({e.year}): {e.title}", address(entry_page(e.key)), e.added, e.text("summary"), e.url)
        for e in ordered
    ]


def atom(survey: Taxonomy, title: str, path: str, items: Sequence[Item], site_url: str, updated: str) -> str:
    """Return a feed for a path of the site. ``updated`` is the day of the data, even without items.

    The format asks for an author; a survey that names no creator stands for itself.
    """
    ET.register_namespace("", ATOM)
    base = site_url.rstrip("/") + "/" if site_url else ""
    root = ET.Element(f"{{{ATOM}}}feed")
    _text(root, "title", title)
    _text(root, "id", f"{base}{path}" if base else urn(survey.title, path))
    _text(root, "updated", f"{updated}T00:00:00Z")
    ET.SubElement(_node(root, "author"), f"{{{ATOM}}}name").text = survey.settings.creator or survey.title
    if site_url:
        ET.SubElement(root, f"{{{ATOM}}}link", rel="self", href=f"{base}{path}")
    for item in items:
        node = _node(root, "entry")
        _text(node, "title", item.title)
        _text(node, "id", f"{base}{item.path}" if base else urn(survey.title, item.path))
        _text(node, "updated", f"{item.day}T00:00:00Z")
        _text(node, "summary", item.summary)
        if site_url or item.link:
            ET.SubElement(node, f"{{{ATOM}}}link", href=f"{base}{item.path}" if site_url else item.link)
    ET.indent(root)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{ET.tostring(root, encoding="unicode")}\n'


def _node(parent: ET.Element, name: str) -> ET.Element:
    return ET.SubElement(parent, f"{{{ATOM}}}{name}")


def _text(parent: ET.Element, name: str, text: str) -> None:
    _node(parent, name).text = text
