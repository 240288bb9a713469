"""Problems found in a trace: their kind, location and message."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from survey.escaping import visible

LIMIT = 100


@dataclass(frozen=True, slots=True)
class Problem:
    """One problem: what is wrong, where, and in which events."""

    kind: str
    message: str
    pointer: str = ""
    """JSON Pointer into the document."""
    events: tuple[str, ...] = ()
    warning: bool = False

    def __str__(self) -> str:
        place = f"{visible(self.pointer)}: " if self.pointer else ""
        return f"{place}{'warning: ' if self.warning else ''}{self.message}"


@dataclass
class Problems:
    """The problems of one trace. All are counted; the first ``limit`` errors and warnings are stored with messages."""

    limit: int = LIMIT
    counts: Counter[tuple[str, bool]] = field(default_factory=Counter)
    _stored: list[Problem] = field(default_factory=list)

    def add(
        self,
        kind: str,
        message: str | Callable[[], str],
        *,
        pointer: str = "",
        events: Iterable[str] = (),
        warning: bool = False,
    ) -> None:
        """Count a problem, and store it while below the limit; a callable ``message`` is only called then."""
        self.counts[kind, warning] += 1
        if (self.warnings if warning else self.errors) <= self.limit:
            text = message if isinstance(message, str) else message()
            self._stored.append(Problem(kind, text, pointer, tuple(events), warning))

    def extend(self, others: Problems) -> None:
        """Add the problems found by another check of the same trace."""
        self._stored += others._stored
        self.counts += others.counts

    @property
    def errors(self) -> int:
        """Number of errors, stored or not."""
        return sum(number for (_, warning), number in self.counts.items() if not warning)

    @property
    def warnings(self) -> int:
        """Number of warnings, stored or not."""
        return sum(number for (_, warning), number in self.counts.items() if warning)

    @property
    def kinds(self) -> Counter[str]:
        """Number of problems of each kind."""
        totals: Counter[str] = Counter()
        for (kind, _), number in self.counts.items():
            totals[kind] += number
        return totals

    def __iter__(self) -> Iterator[Problem]:
        """Iterate over the stored problems: errors first, then warnings, each in the order found."""
        return iter(sorted(self._stored, key=lambda problem: problem.warning))

    def __bool__(self) -> bool:
        return bool(self.counts)

    def __len__(self) -> int:
        return self.errors + self.warnings


class InvalidTrace(ValueError):
    """Raised for a trace with errors; ``problems`` holds all of them."""

    def __init__(self, problems: Problems) -> None:
        self.problems = problems
        super().__init__("\n".join(map(str, problems)))


class NotMeasurable(Exception):
    """Raised by a measure, a reward or a method of credit with what it needs."""


def nearest(word: str, words: Iterable[str], likeness: float = 0.6) -> str:
    """Return a hint at the most similar of the words, or "" if none is similar enough.

    >>> nearest("mesage", ["message", "return"])
    ' (did you mean "message"?)'
    """
    from difflib import get_close_matches

    found = get_close_matches(word[:100], list(words), 1, likeness)
    return f" (did you mean {quoted(found[0])}?)" if found else ""


def quoted(value: object, longest: int = 60) -> str:
    """Return a short form of a value for messages: truncated, with control characters escaped."""
    if isinstance(value, (dict, list)):
        return "an object" if isinstance(value, dict) else "a list"
    if isinstance(value, str):
        shown = value if len(value) <= longest else f"{value[:longest]}…"
        return f'"{visible(shown)}"'
    words = {None: "null", True: "true", False: "false"}
    shown = words[value] if value is None or isinstance(value, bool) else _digits(value)
    return shown if len(shown) <= longest else f"{shown[:longest]}…"


def _digits(value: object) -> str:
    try:
        return repr(value)
    except ValueError:  # Python refuses to convert integers of thousands of digits
        return "a number of very many digits"
