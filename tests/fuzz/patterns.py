"""The regular expressions of a package, inputs made to be hostile to each, and how the time grows with their length."""

from __future__ import annotations

import ast
import importlib
import re
import signal
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from itertools import product
from pathlib import Path
from re import _constants as ops  # type: ignore[attr-defined]
from re import _parser  # type: ignore[attr-defined]
from typing import Any

METHODS = ("match", "fullmatch", "search", "sub", "subn", "split", "findall", "finditer")
ALL_MATCHES = ("sub", "subn", "split", "findall", "finditer")

SIZES = (128, 512, 2_048, 8_192)
"""Lengths of inputs, each four times the one before."""

LINEAR = 4
"""How much longer a linear search takes on the next size; a quadratic one takes sixteen times as long."""

TOLERANCE = 2
MEASURABLE = 1e-3
"""Shorter times are mostly noise. An expression that is faster than this at the largest size is not quadratic."""

ENDLESS = 5
"""Seconds of processor time after which a search is given up, as exponential growth would need."""

SIGNS = "x0A \n\t-_.,:;=/\\|@#$%&*+!?'\"`~^()[]{}<>é"
PIECES = ("x", " ", "\n", "\t", "[", "{", "(", "<", '"', "\\", "- ", "x ", "\n ")
"""Pieces that every expression is given."""


class Endless(Exception):
    """Raised where a search takes more than ``ENDLESS`` seconds on a short input."""


@dataclass(frozen=True)
class Expression:
    """A regular expression and the way it is used."""

    where: str
    pattern: str | bytes
    flags: int
    method: str

    def search(self) -> Callable[[str], object]:
        """Return a function that applies the expression to a text, to the last match if it is used for all."""
        compiled = re.compile(self.pattern, self.flags)
        apply: Callable[[Any], object] = (
            (lambda text: sum(1 for _ in compiled.finditer(text)))
            if self.method in ALL_MATCHES
            else getattr(compiled, self.method)
        )
        return (lambda text: apply(text.encode("latin-1"))) if isinstance(self.pattern, bytes) else apply


# ---------------------------------------------------------------- finding


def expressions(package: Path) -> tuple[list[Expression], list[str]]:
    """Return the expressions of a package that lies in the current import path, and the calls that cannot be read."""
    texts = {path: path.read_text(encoding="utf-8") for path in sorted(package.rglob("*.py"))}
    found: dict[Expression, None] = {}
    unreadable: list[str] = []
    for path in (path for path, text in texts.items() if "import re\n" in text):
        names = {call: name for name, call in _constants(texts[path])}
        for node in _nodes(texts[path]):
            if not (isinstance(node, ast.Call) and (method := _method(node))):
                continue
            where = f"{path.relative_to(package.parent)}:{node.lineno}:{node.col_offset + 1}"
            place = {"match": 2, "search": 2, "fullmatch": 2, "findall": 2, "finditer": 2, "compile": 1}.get(method, 9)
            flags = next((k.value for k in node.keywords if k.arg == "flags"), (node.args + [None] * 9)[place])
            try:
                values = vars(importlib.import_module(_module(path, package)))
                pattern = _value(node.args[0], values)
                options = int(_value(flags, values)) if flags else 0
            except Exception as error:  # whatever an expression of the source may raise
                unreadable.append(f"{where}: {error}")
                continue
            methods = {method} if method != "compile" else _methods(names.get(node, ""), texts[path], texts.values())
            found |= dict.fromkeys(Expression(where, pattern, options, one) for one in sorted(methods))
    return list(found), unreadable


@cache
def _nodes(text: str) -> list[ast.AST]:
    return list(ast.walk(ast.parse(text)))


def _method(call: ast.Call) -> str:
    """Return the function of ``re`` that is called, or an empty text."""
    function = call.func
    if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name) and function.value.id == "re":
        return function.attr if function.attr in (*METHODS, "compile") else ""
    return ""


def _constants(text: str) -> Iterator[tuple[str, ast.Call]]:
    for node in _nodes(text):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            yield from ((target.id, node.value) for target in node.targets if isinstance(target, ast.Name))


def _methods(name: str, own: str, texts: Iterable[str]) -> set[str]:
    """Return the methods called on a constant in its module and in those that import it.

    A constant that is only passed on has those called on a local name there; nothing known counts as all matches.
    """
    users = [text for text in texts if text is own or (name and name in text and name in _mentioned(text))]
    called = [use for text in users for use in _called(text)]
    direct = {method for on, method in called if on == name}
    passed_on = {method for on, method in called if on.islower() and method != "split"}  # a text has that as well
    return direct or (passed_on if name else set()) or {"finditer"}


@cache
def _mentioned(text: str) -> set[str]:
    """Return the names that a module imports or takes from other modules."""
    imports = (node for node in _nodes(text) if isinstance(node, ast.ImportFrom))
    attributes = {node.attr for node in _nodes(text) if isinstance(node, ast.Attribute)}
    return {alias.name for node in imports for alias in node.names} | attributes


@cache
def _called(text: str) -> list[tuple[str, str]]:
    """Return names and the methods called on them."""
    uses = [node for node in _nodes(text) if isinstance(node, ast.Attribute) and node.attr in METHODS]
    return [(getattr(use.value, "id", getattr(use.value, "attr", "")), use.attr) for use in uses]


def _module(path: Path, package: Path) -> str:
    return ".".join(path.relative_to(package.parent).with_suffix("").parts).removesuffix(".__init__")


def _value(node: ast.expr, values: dict[str, Any]) -> Any:
    """Evaluate an expression of the source; a local variable within an f-string stands for a name."""
    if isinstance(node, ast.JoinedStr):
        parts = [part.value if isinstance(part, ast.FormattedValue) else part for part in node.values]
        return "".join(str(_value_or(part, values, "table")) for part in parts)
    return eval(compile(ast.Expression(node), "source", "eval"), dict(values))


def _value_or(node: ast.expr, values: dict[str, Any], otherwise: str) -> Any:
    try:
        return _value(node, values)
    except NameError:
        return otherwise


# ---------------------------------------------------------------- hostile inputs


def hostile(expression: Expression) -> list[tuple[str, str]]:
    """Return beginnings and the pieces to repeat after them, of everything that the expression matches."""
    pattern = expression.pattern if isinstance(expression.pattern, str) else expression.pattern.decode("latin-1")
    parsed = _parser.parse(pattern, expression.flags & ~re.UNICODE & ~re.DEBUG)
    own = "".join(dict.fromkeys(_literals(parsed)))
    top = _items(parsed)
    starts = dict.fromkeys(("", "\n", *(_word(top[:end], own, 0) for end in range(1, len(top) + 1))))
    pieces: dict[str, None] = dict.fromkeys(PIECES)
    for items in _sequences(parsed):
        ends = {(first, last) for first in range(len(items)) for last in (first + 1, first + 2, len(items))}
        ends |= {(0, last) for last in range(1, len(items) + 1)}
        parts = (_word(items[first:last], own, way) for first, last in sorted(ends) for way in range(3))
        pieces |= dict.fromkeys(part for part in parts if 0 < len(part) <= SIZES[0])
    return list(product(starts, pieces))


def _sequences(parsed: Any) -> Iterator[list[Any]]:
    """Yield the sequence of items at every level of a parsed expression."""
    yield _items(parsed)
    for _, value in parsed:
        for part in value if isinstance(value, (tuple, list)) else [value]:
            for inner in part if isinstance(part, list) else [part]:
                if isinstance(inner, _parser.SubPattern):
                    yield from _sequences(inner)


def _items(parsed: Any) -> list[Any]:
    """Return the items of a sequence, with neighbouring literals as one item."""
    items: list[Any] = []
    for op, value in parsed:
        sign = chr(value) if op is ops.LITERAL and isinstance(value, int) else value
        if op is ops.LITERAL and items and items[-1][0] is ops.LITERAL:
            items[-1] = (op, items[-1][1] + sign)
        else:
            items.append((op, sign))
    return items


def _literals(parsed: Any) -> Iterator[str]:
    for items in _sequences(parsed):
        for op, value in items:
            if op is ops.LITERAL:
                yield from value
            elif op is ops.NOT_LITERAL:
                yield chr(value)
            elif op is ops.IN:
                yield from (chr(inner) for kind, inner in value if kind is ops.LITERAL)


def _word(items: Sequence[Any], own: str, way: int) -> str:
    """Return a text that the items match, in one of several ways."""
    return "".join(_example(op, value, own, way) for op, value in _items(items))


def _example(op: Any, value: Any, own: str, way: int) -> str:
    if op is ops.LITERAL:
        return str(value)
    if op in (ops.NOT_LITERAL, ops.ANY, ops.IN):
        signs = {0: SIGNS, 1: own + SIGNS, 2: " \n" + SIGNS[::-1]}[way]
        found = [sign for sign in signs if _matches(op, value, sign)]
        return found[0] if found else _first(value)
    if op in (ops.MAX_REPEAT, ops.MIN_REPEAT, ops.POSSESSIVE_REPEAT):
        return _word(value[2], own, way) * max(1, int(value[0]))
    if op is ops.SUBPATTERN:
        return _word(value[-1], own, way)
    if op is ops.ATOMIC_GROUP:
        return _word(value, own, way)
    if op is ops.BRANCH:
        return _word(value[1][way % len(value[1])], own, way)
    if op is ops.ASSERT:
        return _word(value[1], own, way)
    return ""  # anchors, negative assertions and references to groups


def _first(value: Any) -> str:
    """Return the first character of a set that no usual character belongs to."""
    return next(chr(inner[0] if kind is ops.RANGE else int(inner)) for kind, inner in value if kind is not ops.NEGATE)


CATEGORIES: dict[Any, Callable[[str], bool]] = {
    ops.CATEGORY_DIGIT: str.isdigit,
    ops.CATEGORY_SPACE: str.isspace,
    ops.CATEGORY_WORD: lambda sign: sign.isalnum() or sign == "_",
}


def _matches(op: Any, value: Any, sign: str) -> bool:
    if op is ops.ANY:
        return sign != "\n"
    if op is ops.NOT_LITERAL:
        return chr(value) != sign
    negated = any(kind is ops.NEGATE for kind, _ in value)
    return negated != any(_in(kind, inner, sign) for kind, inner in value)


def _in(kind: Any, inner: Any, sign: str) -> bool:
    if kind is ops.LITERAL:
        return chr(inner) == sign
    if kind is ops.RANGE:
        return bool(inner[0] <= ord(sign) <= inner[1])
    if kind is ops.CATEGORY:
        known = CATEGORIES.get(inner)
        return bool(known(sign)) if known else not CATEGORIES[OPPOSITE[inner]](sign)
    return False


OPPOSITE = {
    ops.CATEGORY_NOT_DIGIT: ops.CATEGORY_DIGIT,
    ops.CATEGORY_NOT_SPACE: ops.CATEGORY_SPACE,
    ops.CATEGORY_NOT_WORD: ops.CATEGORY_WORD,
}


# ---------------------------------------------------------------- measuring


def growth(expression: Expression) -> tuple[float, str]:
    """Return the largest growth of time from one size to the next, and the input.

    0 if no input takes long enough to be measured.
    """
    worst = (0.0, "")
    search = expression.search()
    for start, piece in hostile(expression):
        found = _growth(search, start, piece)
        if found > LINEAR * TOLERANCE:  # another program may have disturbed it: the best of several must agree
            found = min(found, *(_growth(search, start, piece, 5) for _ in range(2)))
        if found > worst[0]:
            worst = found, f"{start!r} + {piece!r} * n"
        if found > LINEAR * TOLERANCE:
            break
    return worst


def _growth(search: Callable[[str], object], start: str, piece: str, runs: int = 1) -> float:
    """Return the growth at the first size that takes long enough to be measured."""
    before = 0.0
    for size in SIZES:
        text = start + piece * (size // len(piece)) + "\0"
        try:
            took = min(_seconds(search, text) for _ in range(runs))
            if took >= MEASURABLE:
                took = min([took, *(_seconds(search, text) for _ in range(2))])
        except Endless:
            return float("inf")
        if took >= MEASURABLE and before:
            return took / before
        before = took
    return 0.0


def _seconds(search: Callable[[str], object], text: str) -> float:
    with _given_up():
        began = time.thread_time()
        search(text)
        return time.thread_time() - began


@contextmanager
def _given_up() -> Iterator[None]:
    def give_up(*_: object) -> None:
        raise Endless

    before = signal.signal(signal.SIGPROF, give_up)
    signal.setitimer(signal.ITIMER_PROF, ENDLESS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
