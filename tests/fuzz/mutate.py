"""Mutation of valid inputs; the same random seed produces the same mutation.

Mutations work on bytes and tokens, never on parsed values, so that they include what a parser would repair or
refuse to write (a duplicate key, a number of thousands of digits, half a character).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from random import Random

from tests.fuzz import tokens

Act = Callable[[bytes, Sequence[bytes], Random], bytes]

LONGEST = 100_000
"""The maximum size of an input; oversized inputs have their own tests."""


def mutated(data: bytes, others: Sequence[bytes], kind: str, chance: Random) -> bytes:
    """Apply one to four changes to an input of a kind; ``others`` supply parts to insert."""
    careful = chance.random() < 0.5 and kind in CAREFUL
    for _ in range(chance.choice((1, 1, 1, 2, 2, 4))):
        act = chance.choice(CAREFUL[kind] if careful else BYTES if chance.random() < 0.4 else KINDS[kind])
        data = act(data, others, chance)[:LONGEST]
    return data


def _span(data: bytes, chance: Random, longest: int = 200) -> tuple[int, int]:
    """Return the start and end of a random part of the data; short parts are more likely."""
    start = chance.randrange(len(data) + 1)
    return start, min(len(data), start + int(longest ** chance.random()))


# ------------------------------------------------------------------- bytes


def _flip(data: bytes, others: Sequence[bytes], chance: Random) -> bytes:
    if not data:
        return b"\x01"
    place = chance.randrange(len(data))
    return data[:place] + bytes([data[place] ^ (1 << chance.randrange(8))]) + data[place + 1 :]


def _cut_off(data: bytes, others: Sequence[bytes], chance: Random) -> bytes:
    return data[: chance.randrange(len(data) + 1)]


def _cut_out(data: bytes, others: Sequence[bytes], chance: Random) -> bytes:
    start, end = _span(data, chance)
    return data[:start] + data[end:]


def _double(data: bytes, others: Sequence[bytes], chance: Random) -> bytes:
    start, end = _span(data, chance, 2000)
    place = chance.choice((end, chance.randrange(len(data) + 1)))
    return data[:place] + data[start:end] + data[place:]


def _splice(data: bytes, others: Sequence[bytes], chance: Random) -> bytes:
    other = chance.choice(others)
    start, end = _span(other, chance, 5000)
    place, rest = sorted((chance.randrange(len(data) + 1), chance.randrange(len(data) + 1)))
    return data[:place] + other[start:end] + data[rest if chance.random() < 0.3 else place :]


ODD_BYTES = (
    b"\x00", b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xf8\x88\x80\x80\x80", b"\xef\xbb\xbf", b"\r\n", b"\r", b"\n", b"\t",
    b"\x1b[2J", b"\xe2\x80\xae", b"\xe2\x80\xa8", b"\xc2\x85", b"\x7f", b"\xf0\x9f\xa7\x80", b"%", b"\\", b'"', b"{",
    b"}", b"[", b"]", b",", b"=", b"@", b"#", b"'", b"\x0c", b"\xc2\xa0", b"\xe2\x88\x9e", b"\xd9\xa3",
)  # fmt: skip
"""Invalid UTF-8, invisible characters, line ends, special characters, and digits that are not ASCII."""


def _insert(data: bytes, others: Sequence[bytes], chance: Random) -> bytes:
    place = chance.randrange(len(data) + 1)
    return data[:place] + chance.choice(ODD_BYTES) * chance.choice((1, 1, 1, 2, 40)) + data[place:]


def _line_ends(data: bytes, others: Sequence[bytes], chance: Random) -> bytes:
    end = chance.choice((b"\r\n", b"\r", b"\n\n"))
    return data.replace(b"\n", end, chance.choice((-1, 1, 2)))


def _mark(data: bytes, others: Sequence[bytes], chance: Random) -> bytes:
    return chance.choice((b"\xef\xbb\xbf", b"\xff\xfe", b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"PK\x03\x04")) + data


def _move_line(data: bytes, others: Sequence[bytes], chance: Random) -> bytes:
    lines = data.split(b"\n")
    line = lines.pop(chance.randrange(len(lines)))
    if chance.random() < 0.6:
        for _ in range(chance.choice((1, 1, 2))):
            lines.insert(chance.randrange(len(lines) + 1), line)
    return b"\n".join(lines)


def _empty(data: bytes, others: Sequence[bytes], chance: Random) -> bytes:
    return chance.choice((b"", b"\n", b" ", b"{}", b"[]", b"null", b"0"))


BYTES: tuple[Act, ...] = (
    *(_flip, _cut_out, _double, _splice, _insert, _move_line) * 4, _cut_off, _line_ends, _mark, _empty,
)  # fmt: skip
"""Changes on bytes; the most destructive ones are rare."""


# ------------------------------------------------------------------ tokens


def _replaced(pattern: re.Pattern[bytes], strange: Sequence[bytes]) -> Act:
    """Return a change that replaces a matching token by a strange value or by another token of the data."""

    def act(data: bytes, others: Sequence[bytes], chance: Random) -> bytes:
        found = _near(pattern, data, chance)
        if found is None:
            return data + chance.choice(strange)
        if chance.random() < 0.35 and (other := _near(pattern, data, chance)):
            new = other.group()
        else:
            new = chance.choice(strange)
        return data[: found.start()] + new + data[found.end() :]

    return act


def _dropped(pattern: re.Pattern[bytes]) -> Act:
    def act(data: bytes, others: Sequence[bytes], chance: Random) -> bytes:
        found = _near(pattern, data, chance)
        return data[: found.start()] + data[found.end() :] if found else data

    return act


def _repeated(pattern: re.Pattern[bytes]) -> Act:
    def act(data: bytes, others: Sequence[bytes], chance: Random) -> bytes:
        found = _near(pattern, data, chance)
        return (
            data[: found.end()] + found.group() * chance.choice((1, 1, 2, 50)) + data[found.end() :] if found else data
        )

    return act


def _swapped(pattern: re.Pattern[bytes]) -> Act:
    """Two tokens that change places: ids, names, values."""

    def act(data: bytes, others: Sequence[bytes], chance: Random) -> bytes:
        one, two = _near(pattern, data, chance), _near(pattern, data, chance)
        if not one or not two or one.end() > two.start():
            return data
        between = data[one.end() : two.start()]
        return data[: one.start()] + two.group() + between + one.group() + data[two.end() :]

    return act


def _added(pieces: Sequence[bytes]) -> Act:
    """Return a change that inserts a piece of the format between two lines, or anywhere."""

    def act(data: bytes, others: Sequence[bytes], chance: Random) -> bytes:
        place = chance.randrange(len(data) + 1)
        if chance.random() < 0.7:
            place = data.find(b"\n", place) + 1
        return data[:place] + chance.choice(pieces) + data[place:]

    return act


def _near(pattern: re.Pattern[bytes], data: bytes, chance: Random) -> re.Match[bytes] | None:
    """Return the first match after a random position, else the first match."""
    return pattern.search(data, chance.randrange(len(data) + 1)) or pattern.search(data)


def _acts(form: tokens.Form) -> tuple[Act, ...]:
    replaced, whole = _replaced(form.value, form.strange), form.member
    return (
        *(replaced,) * 6, *(_swapped(form.value),) * 2, _dropped(whole), _repeated(whole), _swapped(whole),
        _added(form.pieces), _replaced(form.name, form.names), _swapped(form.name),
    )  # fmt: skip


def _careful_acts(form: tokens.Form) -> tuple[Act, ...]:
    return (
        *(_replaced(form.value, form.sound or form.strange),) * 3,
        _swapped(form.value),
        _replaced(form.name, form.names),
    )


CAREFUL: Mapping[str, tuple[Act, ...]] = {name: _careful_acts(form) for name, form in tokens.FORMS.items()}
"""Changes that keep the input parseable, to reach the code behind the parser."""

KINDS: Mapping[str, tuple[Act, ...]] = {name: _acts(form) for name, form in tokens.FORMS.items()} | {"bytes": BYTES}
"""The syntax-aware changes for each kind of input."""


def arguments(original: Sequence[str], words: Sequence[str], chance: Random) -> list[str]:
    """Mutate a command line: one to three arguments dropped, doubled, moved, replaced or misspelt."""
    found = list(original)
    careful = chance.random() < 0.5
    for _ in range(1 if careful else chance.choice((1, 1, 2, 3))):
        place = chance.randrange(len(found) + 1)
        act = chance.choice((4, 5, 5)) if careful else chance.randrange(6)
        if careful and (place in (0, len(found)) or found[place][:1] == "-"):
            continue
        if act == 0:
            found.insert(place, chance.choice(words))
        elif not found or place == len(found):
            found.append(chance.choice(words))
        elif act == 1:
            found.pop(place)
        elif act == 2:
            found.insert(place, found[place])
        elif act == 3:
            found.append(found.pop(place))
        elif act == 4:
            found[place] = chance.choice(words)
        else:
            spelt = mutated(found[place].encode("utf-8", "surrogateescape"), [b"-", b"=", b"0"], "argument", chance)
            found[place] = spelt.replace(b"\0", b"").decode("utf-8", "surrogateescape")  # no system passes a NUL
    return found
