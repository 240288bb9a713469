"""Secrets planted in every position of a log or a trace: where they may pass, and that anonymising removes all."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from survey.cli import main
from survey.traces import Trace, check
from survey.traces.files import anonymised
from survey.traces.files.anonymising import LOSS_WORDS, UNNAMED_LOSSES
from survey.traces.importers import BadLog, Log, importers
from survey.traces.importers.coding_agents.claude_code.summaries import SEEN, UNKNOWN
from survey.traces.metrics import measure
from survey.traces.model import UNDERCOUNTED, Content
from survey.traces.rewards import rewards
from tests.traces.importers.samples import sample

PACKAGE = Path(str(files("survey.traces")))

SECRETS = (
    "sk-ant-api03-Zm9vYmFyYmF6cXV4", "ghp_16C7e42F292c6912E7710c838347Ae178B4a", "AKIAIOSFODNN7EXAMPLE",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJtYWxsb3J5In0.c2ln", "mallory@example.org", "/home/mallory/work",
    "/Users/mallory/work", "C:\\Users\\mallory\\work", "buildbox-7.corp.internal", "mallory",
)  # fmt: skip
"""Keys, tokens, an address, home folders, the names of a computer and of a person."""

PLANTED = " ".join(SECRETS)

NAMES = {
    ("trace_id",), ("task_id",), ("system",), ("group", "id"),
    ("agents", "*", "id"), ("agents", "*", "name"), ("agents", "*", "role"), ("agents", "*", "model"),
    ("events", "*", "agent"), ("events", "*", "agent_name"), ("events", "*", "role"), ("events", "*", "from"),
    ("events", "*", "to"), ("events", "*", "tool"), ("events", "*", "model"),
    ("events", "*", "reward", "KEY"), ("rewards", "KEY"), ("metrics", "KEY"),
    ("labels", "*", "label"), ("labels", "*", "by"), ("labels", "*", "name"), ("labels", "*", "agent"),
    ("source", "system"), ("source", "version"),
}  # fmt: skip
"""Fields in which an import stores names. All other text of a log stays out."""

Document = Any
Place = tuple[str, ...]


def planted_at(document: Document, place: Place, path: Place = ()) -> Document:
    """Append the secrets to every text at a position, consistently, so that links stay intact."""
    if isinstance(document, dict):
        return {
            f"{key} {PLANTED}" if (*path, key, "KEY") == place else key: planted_at(value, place, (*path, key))
            for key, value in document.items()
        }
    if isinstance(document, list):
        return [planted_at(value, place, (*path, "*")) for value in document]
    return f"{document} {PLANTED}" if isinstance(document, str) and path == place else document


def places(document: Document, path: Place = ()) -> Iterator[Place]:
    """Return every position of a document with a text or a field name."""
    if isinstance(document, dict):
        for key, value in document.items():
            yield (*path, key, "KEY")
            yield from places(value, (*path, key))
    elif isinstance(document, list):
        for value in document:
            yield from places(value, (*path, "*"))
    elif isinstance(document, str):
        yield path


def found(document: Document, path: Place = ()) -> set[Place]:
    """Return the positions of any of the secrets."""
    if isinstance(document, dict):
        keys = {(*path, "KEY") for key in document if any(secret in key for secret in SECRETS)}
        return keys.union(*(found(value, (*path, key)) for key, value in document.items()))
    if isinstance(document, list):
        return set[Place]().union(*(found(value, (*path, "*")) for value in document))
    return {path} if isinstance(document, str) and any(secret in document for secret in SECRETS) else set()


def documents(path: Path) -> list[Document] | None:
    """Return the JSON documents of a file; None if it holds anything else."""
    text = path.read_text()
    try:
        return [json.loads(text)]
    except ValueError:
        pass
    try:
        return [json.loads(line) for line in text.splitlines() if line.strip()]
    except ValueError:
        return None


def copy(log: Path, to: Path, place: Place) -> Log:
    """Copy a log (a file or a folder) with the secrets at a position."""
    for file in [log] if log.is_file() else sorted(log.rglob("*")):
        target = to if log.is_file() else to / file.relative_to(log)
        if file.is_dir():
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        held = documents(file)
        planted = None if held is None else "\n".join(json.dumps(planted_at(one, place)) for one in held)
        target.write_text(file.read_text() if planted is None else planted)
    return Log(to)


def imports(name: str, folder: Path) -> Iterator[tuple[str, Trace]]:
    """Import every log of an importer with the secrets at each position in turn, and in the names of its files.

    Where a log with a secret in it is a log no more (its kind of record is called otherwise), there is nothing to see.
    """
    for log in sorted(sample(name).iterdir()):
        held = [
            one for file in ([log] if log.is_file() else sorted(log.rglob("*.json*"))) for one in documents(file) or ()
        ]
        everywhere = dict.fromkeys(place for document in held for place in places(document))
        for number, place in enumerate([*everywhere, ()]):
            to = folder / f"{number}" / (log.name if place else f"{SECRETS[4]} {log.name}")
            try:
                made = list(importers()[name].read(copy(log, to, place), Content()))
            except BadLog:
                continue
            for trace in made:
                yield f"{log.name}: {'/'.join(place)}", trace


@pytest.mark.parametrize("name", sorted(importers()))
def test_an_import_says_how_things_are_called_and_nothing_else_in_words(name: str, tmp_path: Path) -> None:
    seen, wrong = 0, {}
    for place, trace in imports(name, tmp_path):
        seen += 1
        if elsewhere := found(trace.to_json()) - NAMES:
            wrong[place] = elsewhere
    assert seen > 10
    assert wrong == {}


@pytest.mark.parametrize("name", sorted(importers()))
def test_nothing_planted_in_a_log_is_left_in_an_anonymised_trace(name: str, tmp_path: Path) -> None:
    wrong = {}
    for place, trace in imports(name, tmp_path):
        if left := found(anonymised(trace).to_json()):
            wrong[place] = left
    assert wrong == {}


def test_stored_content_is_removed_as_well(tmp_path: Path) -> None:
    log = copy(sample("who-and-when/chat.json"), tmp_path / "chat.json", ("history", "*", "content"))
    kept = list(importers()["who-and-when"].read(log, Content(keep=True)))
    assert any(("events", "*", "content") in found(trace.to_json()) for trace in kept)
    assert [found(anonymised(trace).to_json()) for trace in kept] == [set() for _ in kept]


# ------------------------------------------------------- a trace from any source


def full() -> Document:
    """Return a trace with a text or a name in every field that can hold one."""
    document = json.loads(PACKAGE.joinpath("model/example.json").read_text("utf-8"))
    document |= {
        "rewards": {"team": 1.0, "searcher": 0.5, "kpi/writer": 2, "grader": 0.3},
        "costs": {**document["costs"], "gpu_hours": 1},
        "metrics": {"task_success": 1, "house_score": 2},
        "group": {"id": "g", "rollout": 0, "where": "here"},
        "counterfactual_of": {"trace_id": "r0", "without": ["e1"], "how": "removed", "why": "tried"},
        "outcome": {"success": True, "score": 1.0, "answer_ref": "sha256:00", "told": "by hand"},
        "source": {"system": "s", "version": "1", "importer": "i", "started": "2026-01-01T00:00:00Z", "host": "h",
                   "lost": [{"what": "lines that are not JSON objects", "count": 2}, {"what": "of h", "count": 3}]},
    }  # fmt: skip
    document["labels"].append({"event": "e2", "label": "late", "by": "b", "why": "w", "mail": "m"})
    document["agents"][0]["cwd"] = "d"
    document["events"][1] |= {
        "content": "c", "content_ref": "sha256:1:2", "cwd": "d", "env": {"KEY": ["v"]}, "reward": {"grader": 1, "lead": 2},
        "role": "lead", "agent_name": "lead", "from": "lead", "parent": "e1", "t_end": document["events"][1]["t"],
    }  # fmt: skip
    return document


STRUCTURE = {"topology", "time", "type", "status", "how"}
"""Fixed words of the schema: replacing them makes a trace invalid."""


def free(place: Place) -> bool:
    """Return whether the producer chooses the name of a field."""
    figure = (
        place[0] in ("rewards", "costs", "metrics") and len(place) == 3 and place[1] not in ("tokens", "wall_clock_s")
    )
    return figure or bool({"env", "cwd", "host", "mail", "told", "where"} & set(place)) or "reward" in place[:-2]


def named_otherwise(document: Document, place: Place) -> Document:
    """Plant the secrets at a position; ids, agents and the like are renamed wherever they occur."""
    ids = {
        ("events", "*", "id"),
        ("events", "*", "parent"),
        ("edges", "*", "src"),
        ("edges", "*", "dst"),
        ("labels", "*", "event"),
    }
    agents = {("agents", "*", "id"), ("events", "*", "agent"), ("events", "*", "from"), ("events", "*", "to")}
    for group in (ids, agents, {place}):
        if place in group:
            for one in group:
                document = planted_at(document, one)
            return document
    raise AssertionError


def test_nothing_planted_in_any_field_of_a_trace_is_left_when_it_is_anonymised(tmp_path: Path) -> None:
    whole = full()
    names = {place for place in places(whole) if place[-1] == "KEY" and free(place)}
    texts = {place for place in places(whole) if place[-1] not in STRUCTURE | {"KEY"}}
    tried = sorted(names | texts - {("events", "*", "decision", "*")})
    for place in tried:
        path = tmp_path / "run.jsonl"
        path.write_text(json.dumps(named_otherwise(whole, place)))
        result = CliRunner().invoke(main, ["trace", "anonymise", str(path)])
        assert result.exit_code == 0, (place, result.output)
        assert found(json.loads(result.stdout)) == set(), place
    assert len(tried) > 50


def test_a_salt_of_ones_own_is_not_written_down() -> None:
    assert found(anonymised(Trace.of(full()), salt=PLANTED).to_json()) == set()


def test_an_anonymised_trace_is_a_sound_trace() -> None:
    assert not check(anonymised(Trace.of(full()))).errors


# ------------------------------------------------- what stays, and stays useful


def test_known_figures_keep_their_names_and_figures_of_an_agent_follow_its_new_name() -> None:
    shared = anonymised(Trace.of(full()))
    roles = {str(member["role"]) for member in shared.agents.values()}
    assert shared.rewards["team"] == 1.0
    [of_a_role] = [name for name, value in shared.rewards.items() if value == 0.5]
    [of_an_agent] = [name for name, value in shared.rewards.items() if value == 2]
    assert of_a_role in roles
    assert of_an_agent.removeprefix("kpi/") in shared.agents
    assert {"tokens", "wall_clock_s", "tool_calls", "messages"} < set(shared.costs)
    assert shared.head["metrics"]["task_success"] == 1


def test_rewards_that_bear_the_name_of_a_role_are_still_paid_to_that_role() -> None:
    before, after = (rewards(trace, ["R3"]).rewards for trace in (Trace.of(full()), anonymised(Trace.of(full()))))
    assert sorted(one.reward for one in before) == sorted(one.reward for one in after) == [0.5]


def test_an_agent_that_is_called_as_a_cost_leaves_the_cost_its_name() -> None:
    document = full()
    document["agents"].append({"id": "tokens"})
    assert "tokens" in anonymised(Trace.of(document)).costs


def test_labels_that_measures_look_for_keep_their_names() -> None:
    labels = [label["label"] for label in anonymised(Trace.of(full())).labels]
    assert labels == ["unsafe_content", "label-1"]


def test_losses_in_known_words_are_kept_and_others_only_counted() -> None:
    lost = anonymised(Trace.of(full())).source["lost"]
    assert lost == [{"what": "lines that are not JSON objects", "count": 2}, {"what": UNNAMED_LOSSES, "count": 3}]


def test_every_loss_of_our_importers_is_described_in_known_words() -> None:
    told = {
        loss for path in PACKAGE.joinpath("importers").rglob("*.py") for loss in _losses(ast.parse(path.read_text()))
    }
    told |= set(_losses(ast.parse(PACKAGE.joinpath("model/building.py").read_text())))
    told |= {SEEN, UNKNOWN} | UNDERCOUNTED
    assert len(told) > 70
    assert {loss for loss in told if not set(re.findall(r"[^\s,-]+", loss)) <= LOSS_WORDS} == set()


def _losses(code: ast.Module) -> Iterator[str]:
    """Return the texts passed to ``lost(...)``, or used as keys of ``lost[...]`` or ``odd[...]``."""
    for node in ast.walk(code):
        if isinstance(node, ast.Call) and getattr(node.func, "attr", getattr(node.func, "id", "")) == "lost":
            yield from (
                one.value for one in node.args[:1] if isinstance(one, ast.Constant) and isinstance(one.value, str)
            )
        elif isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
            counter = node.value.attr if isinstance(node.value, ast.Attribute) else getattr(node.value, "id", "")
            if counter in ("lost", "odd") and isinstance(node.slice.value, str):
                yield node.slice.value


# ------------------------------------------------- when it was, and how long the names were


def on_the_clock(start: float) -> Trace:
    """The example, with times since 1970 as some logs have them."""
    document = full()
    for event in document["events"]:
        for field in {"t", "t_end", "delivered"} & event.keys():
            event[field] += start
    return Trace.of(document)


def test_times_begin_at_zero_and_no_measure_of_time_changes() -> None:
    clock = on_the_clock(1_767_623_436.0)
    shared = anonymised(clock)
    assert min(event.t for event in shared.events) == 0
    before, after = measure(clock), measure(shared)
    for name in ("wall_s", "work_s", "critical_path_s"):
        assert after[name].value == pytest.approx(before[name].value), name
    assert "1767" not in json.dumps(shared.to_json())
    assert min(event.t for event in anonymised(clock, keep=["times"]).events) > 1e9


def test_no_hash_tells_the_length_of_what_it_replaces() -> None:
    document = full()
    for place, event in enumerate(document["events"]):
        event["content_ref"] = "x" * (place + 1)
    shared = anonymised(Trace.of(document | {"trace_id": "a", "task_id": "b" * 1000}))
    hashes = [shared.id, shared.task, *(str(event.content_ref) for event in shared.events)]
    assert len(set(map(len, hashes))) == 1
    assert len(set(hashes)) == len(hashes), "and different texts stay different"


def test_what_is_kept_is_what_was_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    path.write_text(json.dumps(full()))
    tools = {event.tool for event in Trace.of(full()).events} - {None}
    for arguments, kept in (
        ([], set()),
        (["--keep", "tools"], tools),
        (["--keep", "models", "--keep", "roles"], set()),
    ):
        result = CliRunner().invoke(main, ["trace", "anonymise", str(path), *arguments])
        assert {event.get("tool") for event in json.loads(result.stdout)["events"]} & tools == kept, arguments
