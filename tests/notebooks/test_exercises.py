"""The exercises of the notebooks: each has an answer that folds out, code of answers runs, and answers are true."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from survey.site.charts import plots
from tests.conftest import ROOT

NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
EXERCISE = re.compile(r'<details class="more">\n<summary>([^\n]+)</summary>\n\n(.+?)\n\n</details>', re.DOTALL)
CODE = re.compile(r"^```python\n(.+?)^```$", re.DOTALL | re.MULTILINE)
WIDTH = 80
"""Longer lines of code have to be scrolled on a page."""


def sources(path: Path, kind: str) -> list[str]:
    cells = json.loads(path.read_text())["cells"]
    return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == kind]


def exercises(path: Path) -> list[tuple[str, str]]:
    """Return every question of a notebook with its answer."""
    (text,) = [source for source in sources(path, "markdown") if "## Exercises\n" in source]
    return EXERCISE.findall(text[text.index("## Exercises\n") :])


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_ends_with_exercises_whose_answers_fold_out(path: Path) -> None:
    text = "\n".join(sources(path, "markdown"))
    assert text.index("## Exercises\n") < text.index("## Limits\n")
    found = exercises(path)
    assert 3 <= len(found) <= 5
    assert len(found) == text.count("<summary>") == text.count('<details class="more">')
    for question, answer in found:
        assert not re.search(r"[*_`$]", question), "a summary is HTML, where Markdown means nothing"
        assert all(len(line) <= WIDTH for code in CODE.findall(answer) for line in code.splitlines())


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_code_that_prepares_a_chart_is_in_the_cell_of_the_chart_which_folds(path: Path) -> None:
    drawing = [code for code in sources(path, "code") if re.search(r"\balt\.\w", code) and "import " not in code]
    assert not [code for code in drawing if not re.search(r"^ *plot\(", code, re.MULTILINE)]


TRUE: dict[str, tuple[str, ...]] = {
    "schema": (
        """
assert not check(whole) and not end.tasks
assert list(end.alive) == ["lead"] and end.stopped == "e12"
""",
        """
line = Run(replay(less)).timeline
assert "planner" not in {line.actors[place] for place in line.critical_path()}
assert measure(less, ["wall_s"])["wall_s"].value == measure(trace, ["wall_s"])["wall_s"].value
assert most == 1 and not check(less)
""",
        """
assert [event.id for event in trace if messages(broken(event.id))] == ["e2", "e3", "e5", "e8", "e9", "e10"]
assert [event.id for event in trace if "warning: " in messages(broken(event.id))] == ["e10"]
assert all(any(event.id in (edge.src, edge.dst) for edge in trace.edges) for event in trace)
""",
        """
assert used["e4"] != used["e11"] and not messages(swapped)
""",
        """
one, other = (Content(salt=salt).fields("Find it.")["content_ref"] for salt in "ab")
assert one != other and one.split(":")[-1] == other.split(":")[-1]
assert one == Content(salt="a").fields("Find it.")["content_ref"] != Content(salt="a").fields("Find me.")["content_ref"]
""",
    ),
    "metrics": (
        """
assert second not in chain and saved[second] < 2
(early, late) = sorted((e.t, e.agent, e.status) for e in trace if e.type == "return" and e.t < pieces["From (s)"][2])[-2:]
assert late[0] - early[0] < 0.1 and {early[2], late[2]} == {"ok", "timeout"} and second in (early[1], late[1])
""",
        """
assert abs(short[int(top)]) < 0.01 and short[int(top) - 1] > 0.1
assert abs(sides["observed"][1] - 1) < 1e-6 and 0.95 > sides["against one worker"][1]
""",
        """
few, many = (counts(scripted(f"{start}, {what}, a return lead, lead turn")) for what in (inner.replace(turns("b", 40), b), inner))
assert counts(scripted(scripts["Nesting"])) == few
assert (many[0] - few[0], many[1] - few[1]) == (0, 36)
""",
        """
full, lacking = ({k: v.value for k, v in (measure(t) | compare([t], singles)).items()} for t in (trace, less))
assert lacking["speedup_graph"] > full["speedup_graph"]
assert all(lacking[name] == full[name] for name in ("speedup_observed", "speedup_baseline"))
""",
        """
assert 12 <= max(map(len, acting)) < 16 and 7 <= faster <= 13
""",
    ),
    "rewards": (
        """
assert set(sums[0].index[abs(sums[1] - sums[0]) > 1e-9]) == {"R1", "R8"}
""",
        """
def earned(plan, price):
    found = rewards(play(plan), ["R5"], {"R5": {"cost": -price, "price": "seconds"}}).rewards
    return by_agent(play(plan), found).set_index("agent").pay["A"]

assert earned(padded, 0.9) > earned(PLAN, 0.9) > 0 == earned(PLAN, 1) == earned(padded, 1)
assert earned(padded, 1.1) < earned(PLAN, 1.1) < 0
""",
        """
moves = {move: (loss(before, who), loss(after, who)) for _, move, who, before, after in MOVES if who in before and "D" in before}
assert all(after <= before for before, after in moves.values())
nothing = {move for move, (_, after) in moves.items() if abs(after) < 1e-9}
assert nothing == {"C free-rides", "B skips the hard part", "D rules without looking", "B feigns confidence"}
assert [move for move, (before, _) in moves.items() if abs(before) < 1e-9] == ["C free-rides"]
""",
        """
def earned(plan, w):
    return next(one.reward for one in hybrid(Run(replay(play(plan))), local=w) if one.unit == "B")

assert earned(easy, 0.49) < earned(PLAN, 0.49) and earned(easy, 0.51) > earned(PLAN, 0.51)
assert all(earned(single, w) < earned(PLAN, w) for w in (0.1, 0.5, 0.9))
assert abs(earned(single, 1.0) - earned(PLAN, 1.0)) < 1e-9
""",
        """
assert right["r_finish"] == spurious["r_finish"] and 0 <= 1 - even_at / 2 - until < 0.01
""",
    ),
    "scales": (
        """
assert all(abs(found / mean.loc[8, shape] - 1) < 0.1 for shape in pair)
assert found < 2 * np.mean([wide_as("harness", 4, seed)["speedup_observed"] for seed in range(3)])
""",
        """
assert found["speedup_observed"] > 8 and found["speedup_graph"] - found["speedup_observed"] < 0.2
""",
        """
talking = pd.DataFrame(measured("debate", 33, seed, messages=1, **TASK) for seed in range(3))
assert abs(runs["speedup_observed"].mean() / talking["speedup_observed"].mean() - 1) < 0.1
assert runs["speedup_graph"].mean() > 1.1 * talking["speedup_graph"].mean()
""",
        """
cheapest = [(same["tokens"] + more * same["agents"]).div(same["score"]).groupby(by).mean().unstack().idxmin(axis=1) for more in (0, charge)]
assert cheapest[0].min() >= 17 and cheapest[1].max() <= 5
""",
        """
started = most.set_index("Shape")["Started"]
assert abs(started["harness"] / started["swarm"] - 1) < 0.05
""",
    ),
    "sessions": (
        """
assert back["tester"] > back["explorer"]
""",
        """
assert abs(busy.sum() / (busy.sum() - busy["explorer"]) - metrics.speedup_observed(run)) < 1e-9
""",
        """
rest = metrics.Run(replay(less))
on_path, still = ({one.timeline.actors[place] for place in one.timeline.critical_path()} for one in (run, rest))
assert on_path == still and abs(metrics.critical_path_s(rest) - length) < 5 and not check(less)
assert metrics.tokens(run) - metrics.tokens(rest) == by_agent["Tokens"]["tester"]
""",
        """
share, removed = ({names[one.unit]: one.value for one in assign(Trace.of(document), "agent", method, value=outcome)[0]} for method in ("shapley", "leave-one-out"))
assert len(edit) == 1 and 0 < share["explorer"] == share["tester"] < share["reviewer"]
assert removed["explorer"] == removed["tester"] == 0 < removed["reviewer"]
""",
        """
assert guess == called.content_ref and shared.events[place].content_ref.count(":") == guess.count(":") - 1
""",
    ),
}
"""What each answer says, about the names of the notebook and those of the answer's code."""


@cache
def played(name: str) -> dict[str, Any]:
    """Return the names of a notebook after its last cell."""
    names: dict[str, Any] = {"__name__": name}
    for code in sources(ROOT / "notebooks" / f"{name}.ipynb", "code"):
        exec(code, names)
    return names


@pytest.mark.parametrize("name", TRUE)
def test_the_code_of_every_answer_runs_and_what_the_answer_says_is_true(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(plots, "plot", lambda *given, **more: None)
    monkeypatch.setattr(plots, "table", lambda *given, **more: None)
    found = exercises(ROOT / "notebooks" / f"{name}.ipynb")
    for (question, answer), holds in zip(found, TRUE[name], strict=True):
        names = dict(played(name))
        for code in CODE.findall(answer):
            capsys.readouterr()
            exec(code, names)
            assert capsys.readouterr().out, "the code of an answer shows something"
        exec(compile(holds, question, "exec"), names)
