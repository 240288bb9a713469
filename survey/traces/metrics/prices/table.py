"""List prices of models: a dated public table, or one's own."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any

from survey.traces.problems import nearest, quoted

KINDS = ("input", "cache_read", "cache_write", "output")
"""Kinds of tokens that have a price; those of reasoning are part of the output."""

MILLION = 1_000_000

PREFIX = re.compile(r"(?:[a-z]{2,6}\.)?(?:anthropic\.)?")
"""What gateways put before the name of a model, after the last slash: regions, providers."""

DATE = re.compile(r"[-@](?:20\d{6}|20\d\d-\d\d-\d\d)(?:-v\d+(?::\d+)?)?")
"""The date of a version, and what a cloud puts after it."""


class BadPrices(ValueError):
    """A table of prices that cannot be used; the message says where and what was expected."""


@dataclass(frozen=True, slots=True)
class Rates:
    """Prices for a million tokens of each kind, in dollars."""

    of: Mapping[str, float]

    def cost(self, tokens: Mapping[str, float]) -> float:
        """Return the cost of tokens by kind; a kind without a price costs as new input."""
        return sum(count * self.of.get(kind, self.of["input"]) for kind, count in tokens.items()) / MILLION


@dataclass(frozen=True, slots=True)
class Price:
    """The price of a model."""

    usual: Rates
    long: Rates | None = None
    """For a call whose whole prompt has more than ``limit`` tokens."""
    limit: float = 0

    def rates(self, prompt: float) -> Rates:
        """Return the prices of a call, by the tokens of its prompt."""
        return self.long if self.long is not None and prompt > self.limit else self.usual


@dataclass(frozen=True)
class Prices:
    """A table of prices, by the names of models."""

    as_of: str
    models: Mapping[str, Price]
    text: str
    """The table as it was written."""
    _found: dict[str, Price | None] = field(default_factory=dict, compare=False, repr=False)

    def of(self, model: str) -> Price | None:
        """Return the price of a model by its name in a log; None if the table lacks it.

        >>> public().of("us.anthropic.claude-opus-4-5-20251101-v1:0") is public().of("claude-opus-4-5")
        True
        """
        if model not in self._found:
            last = model.lower().rpartition("/")[2]
            plain = last[end.end() :] if (end := PREFIX.match(last)) else last
            names = (model, model.lower(), plain, DATE.sub("", plain))
            self._found[model] = next((self.models[name] for name in names if name in self.models), None)
        return self._found[model]


@cache
def public() -> Prices:
    """Return the public table."""
    name = "prices.toml"
    return prices(files("survey.traces.metrics.prices").joinpath(name).read_text("utf-8"), name)


@cache
def prices(text: str, name: str) -> Prices:
    """Return the table in a TOML text. Raises ``BadPrices``, which names the file."""
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BadPrices(f"{name}: not TOML: {error}") from None
    models = table.get("models")
    if not isinstance(models, dict) or not models:
        raise BadPrices(f'{name}: found no models (expected a table [models] with lines such as "m" = {{ input = 1 }})')
    strange = table.keys() - {"as-of", "sources", "models"}
    if strange:
        word = min(strange)
        raise BadPrices(f"{name}: unknown field {quoted(word)}{nearest(word, ('as-of', 'sources', 'models'))}")
    read = {model.lower(): _price(fields, f"{name}: {quoted(model)}") for model, fields in models.items()}
    return Prices(str(table.get("as-of", "")), read, text)


def _price(fields: Any, place: str) -> Price:
    if not isinstance(fields, dict):
        raise BadPrices(f"{place}: found {quoted(fields)} (expected prices, as in {{ input = 3, output = 15 }})")
    usual = {key: value for key, value in fields.items() if key != "above"}
    if "above" not in fields:
        return Price(_rates(usual, place))
    above = dict(fields["above"]) if isinstance(fields["above"], dict) else {}
    limit = above.pop("prompt", None)
    if not isinstance(limit, int) or isinstance(limit, bool) or limit < 1:
        raise BadPrices(f"{place}: above needs prompt, a number of tokens (found {quoted(limit)})")
    return Price(_rates(usual, place), _rates(above, f"{place}: above"), limit)


def _rates(fields: Mapping[str, Any], place: str) -> Rates:
    for key, value in fields.items():
        if key not in KINDS:
            raise BadPrices(f"{place}: unknown kind {quoted(key)}{nearest(key, KINDS)}; expected {', '.join(KINDS)}")
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < MILLION:
            raise BadPrices(f"{place}: {key} is {quoted(value)} (expected dollars for a million tokens)")
    for key in ("input", "output"):
        if key not in fields:
            raise BadPrices(f"{place}: has no price for {key}")
    return Rates(dict(fields))
