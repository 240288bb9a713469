"""All texts and numbers in a nested value, to detect losses."""

from __future__ import annotations

import dataclasses
import tomllib
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec


def leaves(value: Any) -> Iterator[str]:
    """Yield every text, number and date in nested tables, lists, dataclasses and structs."""
    waiting, seen = [value], set()
    while waiting:
        item = waiting.pop()
        if isinstance(item, int) or (isinstance(item, float) and item.is_integer()):
            yield hex(int(item))  # a share of 1 is one of 1.0
        elif isinstance(item, (str, float)) or hasattr(item, "isoformat"):
            yield str(item)
        elif id(item) not in seen:
            seen.add(id(item))
            if isinstance(item, Mapping):
                waiting += [*item.keys(), *item.values()]
            elif dataclasses.is_dataclass(item):
                waiting += [getattr(item, field.name) for field in dataclasses.fields(item)]
            elif isinstance(item, msgspec.Struct):
                waiting += [getattr(item, name) for name in item.__struct_fields__]
            elif isinstance(item, (list, tuple, set, frozenset)):
                waiting += item


def missing_texts(text: str, held: Any) -> list[str]:
    """Return the values of a TOML text that are missing from the parsed result."""
    there = set(leaves(held))
    parts = {part for leaf in there for part in leaf.split(": ")}
    return [leaf for leaf in _values(tomllib.loads(text)) if leaf not in there and leaf not in parts]


def _values(value: Any) -> Iterator[str]:
    """Yield the values without their names."""
    for inner in value.values() if isinstance(value, dict) else value:
        if isinstance(inner, (dict, list)):
            yield from _values(inner)
        elif not isinstance(inner, bool):
            yield from leaves(inner)
