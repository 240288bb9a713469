"""What is wrong with a trace: kinds, places, words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from difflib import get_close_matches

LIMIT = 100


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong, where, and which events it concerns."""

    kind: str
    message: str
    pointer: str = ""
    """A JSON Pointer into the document."""
    events: tuple[str, ...] = ()
    warning: bool = False

    def __str__(self) -> str:
        place = f"{_shown(self.pointer)}: " if self.pointer else ""
        return f"{place}{'warning: ' if self.warning else ''}{self.message}"


@dataclass
class Problems:
    """All problems of one trace: every one counted, the first ``limit`` of each sort in words."""

    limit: int = LIMIT
    counts: Counter[tuple[str, bool]] = field(default_factory=Counter)
    _kept: list[Problem] = field(default_factory=list)

    def add(
        self,
        kind: str,
        message: str | Callable[[], str],
        *,
        pointer: str = "",
        events: Iterable[str] = (),
        warning: bool = False,
    ) -> None:
        """Count a problem, and keep it while there is room. Words that take long to find are asked for only then."""
        self.counts[kind, warning] += 1
        if (self.warnings if warning else self.errors) <= self.limit:
            words = message if isinstance(message, str) else message()
            self._kept.append(Problem(kind, words, pointer, tuple(events), warning))

    def extend(self, others: Problems) -> None:
        """Take in the problems of another check of the same trace."""
        self._kept += others._kept
        self.counts += others.counts

    @property
    def errors(self) -> int:
        """How many errors there are, kept or not."""
        return sum(number for (_, warning), number in self.counts.items() if not warning)

    @property
    def warnings(self) -> int:
        """How many warnings there are, kept or not."""
        return sum(number for (_, warning), number in self.counts.items() if warning)

    @property
    def kinds(self) -> Counter[str]:
        """How many problems of each kind."""
        totals: Counter[str] = Counter()
        for (kind, _), number in self.counts.items():
            totals[kind] += number
        return totals

    def __iter__(self) -> Iterator[Problem]:
        """Those kept: errors first, each sort in the order in which it was found."""
        return iter(sorted(self._kept, key=lambda problem: problem.warning))

    def __bool__(self) -> bool:
        return bool(self.counts)

    def __len__(self) -> int:
        return self.errors + self.warnings


class InvalidTrace(ValueError):
    """A trace with errors; carries all of them."""

    def __init__(self, problems: Problems) -> None:
        self.problems = problems
        super().__init__("\n".join(map(str, problems)))


def nearest(word: str, words: Iterable[str], likeness: float = 0.6) -> str:
    """A hint at the nearest of the words, or nothing.

    >>> nearest("mesage", ["message", "return"])
    ' (did you mean "message"?)'
    """
    found = get_close_matches(word[:100], list(words), 1, likeness)
    return f" (did you mean {quoted(found[0])}?)" if found else ""


def quoted(value: object, longest: int = 60) -> str:
    """A found value in few words: long ones are cut, control characters shown."""
    if isinstance(value, (dict, list)):
        return "an object" if isinstance(value, dict) else "a list"
    if isinstance(value, str):
        shown = value if len(value) <= longest else f"{value[:longest]}…"
        return f'"{_shown(shown)}"'
    words = {None: "null", True: "true", False: "false"}
    shown = words[value] if value is None or isinstance(value, bool) else _digits(value)
    return shown if len(shown) <= longest else f"{shown[:longest]}…"


def _shown(text: str) -> str:
    return text if text.isprintable() else "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def _digits(value: object) -> str:
    try:
        return repr(value)
    except ValueError:  # Python does not write out whole numbers of thousands of digits
        return "a number of very many digits"
