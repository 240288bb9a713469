"""Trajectories at hand: embedded in one another, continued in other files, or named by a reference."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from survey.traces.importers.atif.steps import MARK, objects, outcomes, references
from survey.traces.importers.json_values import flag, items, mapping, text
from survey.traces.importers.log import Log


@dataclass(frozen=True, eq=False)
class Document:
    """A trajectory, and the file that it stands in."""

    fields: Mapping[str, Any]
    path: Path | None

    @property
    def name(self) -> str | None:
        """What the trajectory is called: its own id, or as before 1.7 the id of the run."""
        return text(self.fields.get("trajectory_id")) or text(self.fields.get("session_id"))

    @property
    def agent(self) -> Mapping[str, Any]:
        """What it says of the agent."""
        return mapping(self.fields.get("agent"))

    @property
    def steps(self) -> list[Mapping[str, Any]]:
        """Its steps."""
        return objects(self.fields.get("steps"))

    def references(self) -> Iterator[Mapping[str, Any]]:
        """The sub-agents that its own steps call."""
        fresh = (step for step in self.steps if not flag(step.get("is_copied_context")))
        return (reference for step in fresh for outcome in outcomes(step) for reference in references(outcome))

    def embedded(self) -> Iterator[Document]:
        """The trajectories in it, at any depth."""
        waiting = [self.fields]
        while waiting:
            for fields in objects(waiting.pop().get("subagent_trajectories")):
                yield Document(fields, self.path)
                waiting.append(fields)


class Shelf:
    """The trajectories at hand: by id, and by the file that a reference names."""

    def __init__(self, documents: list[Document], folder: Path | None) -> None:
        self._folder = folder.resolve() if folder else None
        self._files: dict[Path, Document | None] = {d.path.resolve(): d for d in documents if d.path}
        self._named: dict[str, Document] = {}
        for document in documents:
            self._take(document)

    def _take(self, document: Document) -> None:
        for each in (*document.embedded(), document):
            if each.name:
                self._named.setdefault(each.name, each)

    def at(self, name: object, near: Path | None) -> Document | None:
        """The trajectory in a file that another names. Nothing outside the folder of the log is read."""
        name = text(name)
        if not name or not near or not self._folder or len(name) > 255 or not name.isprintable():
            return None
        path = (near.parent / name).resolve()
        if path not in self._files and path.is_relative_to(self._folder):
            found = documents(Log(path)) if path.is_file() else []
            self._files[path] = found[0] if found else None
            for document in found[:1]:
                self._take(document)
        return self._files.get(path)

    def meant(self, reference: Mapping[str, Any], near: Path | None) -> Document | None:
        """The trajectory that a reference means. Before 1.7 the id of the run was a key, where there was no other."""
        id, path = text(reference.get("trajectory_id")), reference.get("trajectory_path")
        found = (self._named.get(id) if id else None) or self.at(path, near)
        session = None if id or text(path) else text(reference.get("session_id"))
        return found or (self._named.get(session) if session else None)

    def parts(self, document: Document) -> list[Document]:
        """The trajectory and those that continue it."""
        parts = [document]
        while (more := self.at(parts[-1].fields.get("continued_trajectory_ref"), parts[-1].path)) and more not in parts:
            parts.append(more)
        return parts

    def called(self, document: Document) -> list[Document]:
        """The trajectories that this one goes on in or refers to."""
        parts = self.parts(document)
        found = (self.meant(reference, part.path) for part in parts for reference in part.references())
        return [*parts[1:], *(each for each in found if each)]


def unfolded(fields: Mapping[str, Any]) -> Mapping[str, Any]:
    """The trajectory with the steps of sub-agents, where they stand between its own, taken out and embedded."""
    aside: dict[str, list[Any]] = {}
    steps: list[Any] = []
    for step in objects(fields.get("steps")):
        extra = mapping(step.get("extra"))
        child = text(extra.get("agent_id")) if flag(extra.get("is_sidechain")) else None
        if child is None:
            steps.append(step)
        elif child in aside:
            aside[child].append(step)
        else:
            aside[child] = [step]
            reference = {"trajectory_id": child, "extra": {MARK: {"returned": False}}}
            steps.append(
                {
                    "source": "system",
                    "timestamp": step.get("timestamp"),
                    "observation": {"results": [{"subagent_trajectory_ref": [reference]}]},
                    "extra": {MARK: {"type": "nothing"}},
                }
            )
    if not aside:
        return fields
    agents = [{"trajectory_id": child, "agent": {"name": child}, "steps": own} for child, own in aside.items()]
    return {**fields, "steps": steps, "subagent_trajectories": [*items(fields.get("subagent_trajectories")), *agents]}


def is_trajectory(value: object) -> bool:
    """Whether a JSON value is a trajectory of any version."""
    version = mapping(value).get("schema_version")
    return isinstance(version, str) and version.startswith("ATIF-v") and isinstance(mapping(value).get("steps"), list)


def documents(log: Log) -> list[Document]:
    """The trajectories of a file (one, a list, or one to a line) or of all JSON files in a folder."""
    if log.is_folder:
        return [document for file in log.files("**/*.json") for document in documents(file)]
    if isinstance(log.document, (dict, list)):
        found = log.document if isinstance(log.document, list) else [log.document]
    else:
        found = [record.fields for record in log.records()]
    path = log.path if log.data is None else None
    return [Document(unfolded(fields), path) for fields in found if is_trajectory(fields)]
