"""The trajectories of a log: embedded in one another, continued in other files, or referenced."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from survey.traces.files import Budget
from survey.traces.importers.json_values import flag, items, mapping, text
from survey.traces.importers.log import Log
from survey.traces.importers.rollouts.atif.steps import objects, outcomes, references


@dataclass(frozen=True, eq=False)
class Document:
    """A trajectory and its file."""

    fields: Mapping[str, Any]
    path: Path | None

    @property
    def name(self) -> str | None:
        """The name of the trajectory: its own id or, before 1.7, the id of the run."""
        return text(self.fields.get("trajectory_id")) or text(self.fields.get("session_id"))

    @property
    def agent(self) -> Mapping[str, Any]:
        """The description of the agent."""
        return mapping(self.fields.get("agent"))

    @property
    def steps(self) -> list[Mapping[str, Any]]:
        """The steps."""
        return objects(self.fields.get("steps"))

    def references(self) -> Iterator[Mapping[str, Any]]:
        """Yield the references of its own steps to sub-agents."""
        fresh = (step for step in self.steps if not flag(step.get("is_copied_context")))
        return (reference for step in fresh for outcome in outcomes(step) for reference in references(outcome))

    def embedded(self) -> Iterator[Document]:
        """Yield the embedded trajectories, at any depth."""
        waiting = [self.fields]
        while waiting:
            for fields in objects(waiting.pop().get("subagent_trajectories")):
                yield Document(fields, self.path)
                waiting.append(fields)


class TrajectoryIndex:
    """An index of trajectories by id and by file."""

    def __init__(self, documents: list[Document], folder: Path | None, budget: Budget) -> None:
        self._folder, self._budget = folder.resolve() if folder else None, budget
        self._files: dict[Path, Document | None] = {d.path.resolve(): d for d in documents if d.path}
        self._named: dict[str, Document] = {}
        for document in documents:
            self._take(document)

    def _take(self, document: Document) -> None:
        for each in (*document.embedded(), document):
            if each.name:
                self._named.setdefault(each.name, each)

    def at(self, name: object, near: Path | None) -> Document | None:
        """Return the trajectory in a referenced file. Nothing outside the folder of the log is read."""
        name = text(name)
        if not name or not near or not self._folder or len(name) > 255 or not name.isprintable():
            return None
        path = (near.parent / name).resolve()
        if path not in self._files and path.is_relative_to(self._folder):
            found = documents(Log(path, budget=self._budget)) if path.is_file() else []
            self._files[path] = found[0] if found else None
            for document in found[:1]:
                self._take(document)
        return self._files.get(path)

    def resolve(self, reference: Mapping[str, Any], near: Path | None) -> Document | None:
        """Return the trajectory of a reference. Before 1.7 the id of the run serves as key if there is no other."""
        id, path = text(reference.get("trajectory_id")), reference.get("trajectory_path")
        found = (self._named.get(id) if id else None) or self.at(path, near)
        session = None if id or text(path) else text(reference.get("session_id"))
        return found or (self._named.get(session) if session else None)

    def parts(self, document: Document) -> list[Document]:
        """Return the trajectory and its continuations."""
        parts = [document]
        while (more := self.at(parts[-1].fields.get("continued_trajectory_ref"), parts[-1].path)) and more not in parts:
            parts.append(more)
        return parts

    def referenced(self, document: Document) -> list[Document]:
        """Return the continuations and the referenced trajectories."""
        parts = self.parts(document)
        found = (self.resolve(reference, part.path) for part in parts for reference in part.references())
        return [*parts[1:], *(each for each in found if each)]


def embed_sidechains(fields: Mapping[str, Any]) -> Mapping[str, Any]:
    """Move interleaved steps of sub-agents from a trajectory into embedded trajectories."""
    sidechains: dict[str, list[Any]] = {}
    steps: list[Any] = []
    for step in objects(fields.get("steps")):
        extra = mapping(step.get("extra"))
        child = text(extra.get("agent_id")) if flag(extra.get("is_sidechain")) else None
        if child is None:
            steps.append(step)
        elif child in sidechains:
            sidechains[child].append(step)
        else:
            sidechains[child] = [step]
            reference = {"trajectory_id": child, "extra": {"is_sidechain": True}}
            steps.append(
                {
                    "source": "system",
                    "timestamp": step.get("timestamp"),
                    "observation": {"results": [{"subagent_trajectory_ref": [reference]}]},
                }
            )
    if not sidechains:
        return fields
    agents = [{"trajectory_id": child, "agent": {"name": child}, "steps": own} for child, own in sidechains.items()]
    return {**fields, "steps": steps, "subagent_trajectories": [*items(fields.get("subagent_trajectories")), *agents]}


def is_trajectory(value: object) -> bool:
    """Return whether a JSON value is a trajectory of any version."""
    version = mapping(value).get("schema_version")
    return isinstance(version, str) and version.startswith("ATIF-v") and isinstance(mapping(value).get("steps"), list)


def documents(log: Log) -> list[Document]:
    """Return the trajectories of a file (one, a list, or one on each line) or of all JSON files in a folder."""
    if log.is_folder:
        return [document for file in log.files("**/*.json") for document in documents(file)]
    if isinstance(log.document, (dict, list)):
        found = log.document if isinstance(log.document, list) else [log.document]
    else:
        found = [record.fields for record in log.records()]
    path = log.path if log.data is None else None
    return [Document(embed_sidechains(fields), path) for fields in found if is_trajectory(fields)]
