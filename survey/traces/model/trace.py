"""Traces: events in time, and the edges between them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from survey.traces.model.edges import Edge
from survey.traces.model.event import (
    LARGEST,
    NOTHING,
    Event,
)


@dataclass(frozen=True, slots=True)
class Trace:
    """Events, edges, and ``head``: all other top-level fields of the file.

    Nothing is validated here; ``survey.traces.check`` and ``replay`` do that.
    """

    events: Sequence[Event]
    edges: Sequence[Edge]
    head: Mapping[str, Any]

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> Trace:
        """Return the trace for a JSON document of the right form."""
        head = {key: value for key, value in document.items() if key not in ("events", "edges")}
        return cls(
            [Event.of(event) for event in document["events"]],
            [Edge(edge["src"], edge["dst"], edge["type"]) for edge in document["edges"]],
            head,
        )

    def to_json(self) -> dict[str, Any]:
        """Return the document, ready for ``json.dump``: ids and time first, the long lists last."""
        document = dict(self.head)
        document["events"] = [event.to_json() for event in self.events]
        document["edges"] = [edge.to_json() for edge in self.edges]
        return document

    @property
    def id(self) -> str:
        """The id of the run."""
        return str(self.head.get("trace_id", ""))

    @property
    def task(self) -> str:
        """The id of the task."""
        return str(self.head.get("task_id", ""))

    @property
    def time(self) -> str:
        """The unit of ``t``: seconds, ordinal or mixed."""
        return str(self.head.get("time", "seconds"))

    @property
    def topology(self) -> str:
        """The declared topology of the team."""
        return str(self.head.get("topology", "unknown"))

    @property
    def rewards(self) -> Mapping[str, float]:
        """Rewards of the whole run."""
        return self._mapping("rewards")

    @property
    def costs(self) -> Mapping[str, float]:
        """Declared totals."""
        return self._mapping("costs")

    @property
    def source(self) -> Mapping[str, Any]:
        """Provenance: the source system and importer, and the losses of the import."""
        return self._mapping("source")

    @property
    def agents(self) -> Mapping[str, Mapping[str, Any]]:
        """The declared agent instances, by id."""
        declared = self.head.get("agents")
        items = [item for item in declared if isinstance(item, Mapping)] if isinstance(declared, list) else []
        return {item["id"]: item for item in items if isinstance(item.get("id"), str)}

    @property
    def labels(self) -> Sequence[Mapping[str, Any]]:
        """Labels (judgements) of single events."""
        labels = self.head.get("labels")
        return [label for label in labels if isinstance(label, Mapping)] if isinstance(labels, list) else []

    def labelled(self, label: str) -> list[str]:
        """Return the ids of the events with this label."""
        return [str(item["event"]) for item in self.labels if item.get("label") == label]

    def with_head(self, **fields: Any) -> Trace:
        """Return a copy with head fields replaced; None removes a field."""
        head = {key: value for key, value in {**self.head, **fields}.items() if value is not None}
        return Trace(self.events, self.edges, head)

    def keep(self, ids: Iterable[str]) -> Trace:
        """Return the sub-trace of the events with these ids, with the edges and labels among them."""
        wanted = set(ids)
        labels = [label for label in self.labels if label.get("event") in wanted]
        return Trace(
            [event for event in self.events if event.id in wanted],
            [edge for edge in self.edges if edge.src in wanted and edge.dst in wanted],
            {key: labels if key == "labels" else value for key, value in self.head.items()},
        )

    def __iter__(self) -> Iterator[Event]:
        return iter(self.events)

    def __len__(self) -> int:
        return len(self.events)

    def _mapping(self, key: str) -> Mapping[str, Any]:
        value = self.head.get(key)
        return value if isinstance(value, Mapping) else NOTHING


def number(value: object) -> float | None:
    """Return the value if it is a number within the supported range, else None."""
    if isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < LARGEST:
        return value
    return None
