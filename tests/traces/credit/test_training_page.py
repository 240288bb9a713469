"""The examples of the page on credit for training code, run as they stand there."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar

import pytest

from survey.traces.credit import Budget, Game, NotMeasurable, against_policy, differences, exact, shapley_shares
from tests.conftest import ROOT
from tests.traces.credit.drawn import shares
from tests.traces.strategies import small

PAGE = (ROOT / "docs" / "traces" / "training.md").read_text()


def example(beginning: str) -> dict[str, Any]:
    """What the code block of the page defines that begins like this."""
    [code] = [block for block in re.findall(r"(?s)```python\n(.*?)```", PAGE) if block.startswith(beginning)]
    defined: dict[str, Any] = {}
    exec(compile(code, "training.md", "exec"), defined)
    return defined


# ------------------------------------------------------------------------- an environment in Python


VOTERS = small([{"type": "model_call", "agent": agent} for agent in "abc"], rewards={"team": 1.0})


def test_a_python_environment_is_credited_with_what_each_voter_changes() -> None:
    vote = example("from random import Random")["vote"]
    a, b, c = 0.9, 0.7, 0.5
    whole = a * b + a * c + b * c - 2 * a * b * c
    rest = {"a": b * c, "b": a * c, "c": a * b}  # of two voters both have to be right
    found = differences(vote, VOTERS, "agent", Budget(plays=6000))
    assert shares(found) == pytest.approx({voter: whole - both for voter, both in rest.items()}, abs=0.03)

    def won(present: frozenset[str]) -> float:
        return whole if len(present) == 3 else rest[({*"abc"} - present).pop()] if len(present) == 2 else 0.0

    found = shapley_shares(vote, VOTERS, "agent", Budget(plays=12_000))
    assert shares(found) == pytest.approx(shares(exact(Game(tuple("abc"), won))), abs=0.05)
    assert sum(shares(found).values()) == pytest.approx(whole, abs=0.03)


# --------------------------------------------------------------------------- a team behind an endpoint


class Stub(BaseHTTPRequestHandler):
    """An endpoint whose coder writes what the plan says, if there is a plan, and whose tester repeats it."""

    asked: ClassVar[list[dict[str, Any]]] = []

    def do_POST(self) -> None:
        """Answer as chat completions do."""
        assert self.path == "/v1/chat/completions"
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        Stub.asked.append(body)
        heard = " ".join(message["content"] for message in body["messages"][1:])
        said = "sorted" if "sort" in heard else "guessed"
        answer = {"choices": [{"message": {"role": "assistant", "content": said}}]}
        raw = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@pytest.fixture
def endpoint() -> Iterator[str]:
    """A stub on this machine."""
    Stub.asked = []
    with ThreadingHTTPServer(("127.0.0.1", 0), Stub) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/v1"
        server.shutdown()


TALK = small(
    [
        {"type": "message", "agent": "planner", "to": "coder"},
        {"type": "message", "agent": "coder", "to": "tester"},
        {"type": "message", "agent": "tester", "to": "planner"},
    ],
    rewards={"team": 1.0},
)


def team(endpoint: str) -> Any:
    turns = [("e1", "planner", "Plan."), ("e2", "coder", "Write."), ("e3", "tester", "Test.")]
    said = {"e1": "sort it", "e2": "sorted", "e3": "sorted"}
    made = example("import json\nimport urllib.request")["ChatTeam"]
    return made(endpoint, "any", turns, said, lambda talk: float(any(one["content"] == "sorted" for one in talk)))


def test_a_team_behind_an_endpoint_plays_on_from_what_was_said(endpoint: str) -> None:
    found = shares(differences(team(endpoint), TALK, "message", Budget(plays=12)))
    assert found == {"e1": 1.0, "e2": 0.0, "e3": 0.0}  # the tester says it again from the plan
    assert {body["seed"] for body in Stub.asked} == {0, 1}
    first = Stub.asked[0]["messages"]
    assert first[0] == {"role": "system", "content": "You are coder. Write."}
    assert first[1] == {"role": "user", "name": "planner", "content": "sort it"}


def test_another_act_is_said_in_place_of_the_recorded_one(endpoint: str) -> None:
    policy = {"sort it": 0.5, "hope": 0.5}
    found = against_policy(team(endpoint), TALK, "message", lambda event: policy, Budget(plays=18), method="coma")
    assert shares(found)["e1"] == 0.5


def test_without_an_agent_its_turns_are_not_asked_for(endpoint: str) -> None:
    differences(team(endpoint), TALK, "agent", Budget(plays=12))
    without_coder = [body for body in Stub.asked if len(body["messages"]) == 2 and "tester" in str(body["messages"])]
    assert without_coder


def test_an_endpoint_that_fails_is_not_taken_for_a_reward(endpoint: str) -> None:
    broken = team(endpoint)
    broken.judge = lambda talk: float("inf")
    with pytest.raises(NotMeasurable, match="needs a finite reward"):
        differences(broken, TALK, "message", Budget(plays=12))
