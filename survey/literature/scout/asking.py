"""Asking services politely: who asks is said, answers are kept, and a service that wants a pause gets it."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode, urlsplit

import msgspec

from survey.atomic import write_atomically
from survey.extras import lazy

if TYPE_CHECKING:
    import requests
    import urllib3
else:
    requests = lazy("requests")
    urllib3 = lazy("urllib3")

TRIES = 4
"""How often a question is asked, unless a client says otherwise, before the service counts as out of reach."""

LONGEST_PAUSE = 120.0
"""Seconds that a service may ask us to wait. One that wants more is asked again another day."""

MOST_BYTES = 64_000_000
"""Maximum size of one answer."""

WAIT = (10.0, 60.0)
"""Seconds to wait for a connection, and for the next bytes."""

ASK_AGAIN = frozenset({429, 500, 502, 503, 504})


class OutOfReach(Exception):
    """A service that gave no usable answer: its name, and why."""

    def __init__(self, service: str, why: str, status: int = 0) -> None:
        super().__init__(f"{service}: {why}")
        self.service, self.why = service, why
        self.status = status
        """The status of the answer, if there was one that cannot be used."""


class Kept(msgspec.Struct, frozen=True):
    """What is kept beside an answer: when it came, and what the service calls this state of it."""

    address: str
    day: date
    etag: str = ""
    modified: str = ""


@dataclass
class Client:
    """Asks services, at most one question in ``pause`` seconds each, and keeps the raw answers in a folder.

    An answer of today is not asked for again, so that a run that was cut off goes on where it stood. An older one is
    asked for by its ETag or date, and taken from the folder if the service says that nothing has changed.
    """

    folder: Path
    today: date
    agent: str
    """Who asks, as services want to know: a name and an address to write to."""

    pause: float = 3.0
    tries: int = TRIES
    sleep: Any = time.sleep
    _last: dict[str, float] = field(default_factory=dict)
    _session: Any = None

    def get(
        self,
        service: str,
        address: str,
        query: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
        secret: Mapping[str, str] | None = None,
    ) -> bytes:
        """Return the answer to a question. ``secret`` is what of its query must not be kept, such as a key.

        Raises:
            OutOfReach: if the service gives none.

        """
        address = _asked(address, query)
        body, about = self._places(service, address)
        kept = _kept(about, address) if body.is_file() else None
        if kept and kept.day == self.today:
            return body.read_bytes()
        asked = dict(headers or {})
        if kept and kept.etag:
            asked["If-None-Match"] = kept.etag
        if kept and kept.modified:
            asked["If-Modified-Since"] = kept.modified
        status, given, answer = self._ask(service, _asked(address, secret), asked)
        if status == 304 and kept:
            answer, given = body.read_bytes(), {"ETag": kept.etag, "Last-Modified": kept.modified} | dict(given)
        elif status != 200:
            raise OutOfReach(service, f"answered {status} to {_shown(address)}", status)
        body.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(body, answer)
        now = Kept(address, self.today, given.get("ETag", ""), given.get("Last-Modified", ""))
        write_atomically(about, msgspec.json.encode(now))
        return answer

    def forget(self, service: str, address: str, query: Mapping[str, str] | None = None) -> None:
        """Drop the kept answer to a question, so that it is asked again. For answers that turn out to be of no use."""
        for path in self._places(service, _asked(address, query)):
            path.unlink(missing_ok=True)

    def _places(self, service: str, address: str) -> tuple[Path, Path]:
        """Return where an answer is kept, and what is known of it."""
        place = self.folder / service / hashlib.sha256(address.encode()).hexdigest()[:24]
        return place.with_suffix(".body"), place.with_suffix(".json")

    def _ask(self, service: str, address: str, headers: Mapping[str, str]) -> tuple[int, Mapping[str, str], bytes]:
        """Return status, headers and body. What may be passing, such as a body that was cut off, is asked again."""
        why = ""
        for attempt in range(self.tries):
            self._pause(service, 0.0 if not attempt else self.pause * 2**attempt)
            try:
                status, given, body = self._once(service, address, headers)
            except requests.exceptions.ConnectionError as error:
                why = f"cannot be reached at {urlsplit(address).netloc} ({_cause(error)})"
                if not attempt and "resolve" in why:  # no network: asking again will not help
                    break
            except (requests.exceptions.RequestException, urllib3.exceptions.HTTPError) as error:
                why = f"gave no whole answer ({_cause(error)})"
            else:
                if status not in ASK_AGAIN:
                    return status, given, body
                why = f"answered {status} to {_shown(address)}"
                asks = _seconds(given.get("Retry-After", ""))
                if asks > LONGEST_PAUSE:
                    raise OutOfReach(service, f"{why}, and asks to come back in {asks:.0f} seconds", status)
                if asks and attempt < self.tries - 1:
                    self.sleep(asks)
        raise OutOfReach(service, why)

    def _once(self, service: str, address: str, headers: Mapping[str, str]) -> tuple[int, Mapping[str, str], bytes]:
        if self._session is None:
            self._session = requests.Session()
            self._session.headers["User-Agent"] = self.agent
        with self._session.get(address, headers=dict(headers), timeout=WAIT, stream=True) as answer:
            parts, size = [], 0
            for part in answer.iter_content(1 << 16):
                parts.append(part)
                size += len(part)
                if size > MOST_BYTES:
                    raise OutOfReach(service, f"answered more than {MOST_BYTES / 1e6:g} MB to {_shown(address)}")
            return answer.status_code, answer.headers, b"".join(parts)

    def _pause(self, service: str, longer: float) -> None:
        """Wait until the service may be asked again."""
        wait = self._last.get(service, float("-inf")) + self.pause - time.monotonic()
        if max(wait, longer) > 0:
            self.sleep(max(wait, longer))
        self._last[service] = time.monotonic()


def _asked(address: str, query: Mapping[str, str] | None) -> str:
    """Return an address with a query."""
    if not query:
        return address
    return f"{address}{'&' if '?' in address else '?'}{urlencode(query)}"


def _kept(about: Path, address: str) -> Kept | None:
    """Return what is known of an answer; None if it is of another address, or cannot be read."""
    try:
        kept = msgspec.json.decode(about.read_bytes(), type=Kept)
    except (OSError, msgspec.DecodeError):
        return None
    return kept if kept.address == address else None


def _seconds(text: str) -> float:
    """Return how long a Retry-After asks us to wait: a number of seconds, or a date."""
    if text.isdigit():
        return float(text)
    retry = urllib3.util.Retry()
    try:
        return float(retry.parse_retry_after(text)) if text else 0.0
    except urllib3.exceptions.InvalidHeader:
        return 0.0


def _shown(address: str) -> str:
    """Return an address without its query, which may hold a key."""
    return address.partition("?")[0]


def _cause(error: Exception) -> str:
    """Return the innermost reason of an error, in one line and without addresses."""
    text = str(error)
    if "resolve" in text or "Name or service" in text:
        return "its name does not resolve: is there a network?"
    inner: BaseException = error
    while inner.__cause__ or inner.__context__:
        inner = inner.__cause__ or inner.__context__ or inner
    return type(inner).__name__
