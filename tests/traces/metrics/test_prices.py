"""Costs at list prices: by hand, against what a platform recorded, and with a table of one's own."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from survey.cli import main
from survey.traces import Trace
from survey.traces.importers import Log, recognised
from survey.traces.metrics import measure
from survey.traces.metrics.prices import BadPrices, Prices, prices, public
from survey.traces.model import Content

OWN = prices(
    """
    as-of = 2026-01-01
    [models]
    "Big" = { input = 10, cache_read = 1, cache_write = 12, output = 50, above = { prompt = 1000, input = 20, output = 60 } }
    "small" = { input = 1, output = 4 }
    """,
    "own.toml",
)


def run(*events: dict[str, Any], models: dict[str, str]) -> Trace:
    whole = [{"id": f"e{n}", "t": n, "type": "model_call", **event} for n, event in enumerate(events)]
    agents = [{"id": id, "model": model} for id, model in models.items()]
    head = {
        "trace_id": "r",
        "task_id": "t",
        "rewards": {},
        "costs": {"tokens": 0, "wall_clock_s": 0},
        "edges": [],
        "agents": agents,
    }
    return Trace.of({**head, "events": whole})


def cost(trace: Trace, of: str = "list_cost_usd", table: Prices = OWN) -> Any:
    found = measure(trace, [of], prices=table)[of]
    return found.value if found.value is not None else found.why_not


def test_each_kind_of_token_has_its_price() -> None:
    spent = {"input": 100, "cache_read": 500, "cache_write": 200, "output": 40, "reasoning": 30}
    # 100 x 10 + 500 x 1 + 200 x 12 + 40 x 50: reasoning is a part of the output
    assert cost(run({"agent": "a", "tokens": spent}, models={"a": "big"})) == pytest.approx(5900e-6)


def test_a_kind_without_a_price_costs_as_new_input() -> None:
    spent = {"input": 100, "cache_read": 500, "output": 10}
    assert cost(run({"agent": "a", "tokens": spent}, models={"a": "small"})) == pytest.approx(640e-6)


def test_a_call_with_a_long_prompt_has_other_prices_and_the_prompt_is_that_of_one_call() -> None:
    short, long = {"input": 900, "cache_read": 100, "output": 10}, {"input": 600, "cache_read": 401, "output": 10}
    trace = run(*[{"agent": "a", "tokens": short}] * 3, {"agent": "a", "tokens": long}, models={"a": "big"})
    # 3 x (900 x 10 + 100 x 1 + 10 x 50), and 600 x 20 + 401 x 20 + 10 x 60
    assert cost(trace) == pytest.approx((3 * 9600 + 20_620) * 1e-6)


def test_a_call_is_priced_by_its_own_model_else_by_that_of_its_agent() -> None:
    spent = {"input": 100, "output": 0}
    trace = run(
        {"agent": "a", "tokens": spent}, {"agent": "a", "tokens": spent, "model": "small"},
        {"agent": "b", "tokens": spent}, models={"a": "big", "b": "small"},
    )  # fmt: skip
    assert cost(trace, "list_cost_by_model") == pytest.approx({"big": 1000e-6, "small": 200e-6})
    assert cost(trace, "list_cost_by_agent") == pytest.approx({"a": 1100e-6, "b": 100e-6})


@pytest.mark.parametrize(
    ("trace", "why"),
    [
        (run({"agent": "a", "tokens": {"input": 1}}, models={"a": "tiny"}), 'no price is known for "tiny" (--prices takes your own)'),
        (run({"agent": "a", "tokens": {"input": 1}}, models={}), 'the trace names no model for 1 of its agents'),
        (run({"agent": "a", "tokens": 7}, models={"a": "big"}), "some events record only a total of tokens, and each kind has its own price"),
        (run({"agent": "a"}, models={"a": "big"}), "no event records its tokens"),
    ],
    ids=["an unknown model", "no model", "a total", "no tokens"],
)  # fmt: skip
def test_a_cost_that_is_not_known_in_full_is_none_and_says_why(trace: Trace, why: str) -> None:
    assert cost(trace) == why


@pytest.mark.parametrize(
    ("logged", "listed"),
    [
        ("claude-opus-4-5-20251101", "claude-opus-4-5"),
        ("us.anthropic.claude-opus-4-5-20251101-v1:0", "claude-opus-4-5"),
        ("anthropic/claude-opus-4-5", "claude-opus-4-5"),
        ("claude-sonnet-4@20250514", "claude-sonnet-4"),
        ("openai/gpt-4o-mini-2024-07-18", "gpt-4o-mini"),
        ("GPT-4.1-2025-04-14", "gpt-4.1"),
        ("models/gemini-2.5-pro", "gemini-2.5-pro"),
    ],
)
def test_the_names_in_logs_are_found(logged: str, listed: str) -> None:
    assert public().of(logged) is public().models[listed]


@pytest.mark.parametrize("name", ["gpt-4o-audio-preview", "claude", "gpt", "my-gpt-4o", "", "gpt-4o-2024-05"])
def test_a_name_that_only_resembles_one_of_the_list_has_no_price(name: str) -> None:
    assert public().of(name) is None


def test_a_version_with_its_own_price_is_not_taken_for_the_newest() -> None:
    old, new = public().of("gpt-4o-2024-05-13"), public().of("gpt-4o")
    assert old is not None and new is not None
    assert (old.usual.of["input"], new.usual.of["input"]) == (5, 2.5)


def test_in_the_public_list_cached_input_is_never_dearer_and_output_never_cheaper_than_new_input() -> None:
    assert public().as_of and len(public().models) > 40
    for name, price in public().models.items():
        for rates in filter(None, (price.usual, price.long)):
            assert rates.of.get("cache_read", 0) <= rates.of["input"] <= rates.of["output"], name
            assert rates.of["input"] <= rates.of.get("cache_write", rates.of["input"]) <= 2 * rates.of["input"], name
        if price.long:
            assert all(price.usual.of[kind] < price.long.of[kind] for kind in price.long.of), name


def test_the_list_gives_the_costs_that_a_platform_recorded(real: Callable[[str], Path]) -> None:
    """Langfuse prices calls by its own list; this log has its prices of September 2025."""
    log = Log(real("langfuse/openai-agents-2025-09-30.json"))
    importer = recognised(log)
    assert importer is not None
    [trace] = importer.read(log, Content(salt=""))
    observations = json.loads(log.text)["observations"]
    recorded = sum(one["costDetails"]["total"] for one in observations if one["type"] == "GENERATION")
    assert recorded > 0
    assert measure(trace)["list_cost_usd"].value == pytest.approx(recorded)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[models", "t.toml: not TOML: "),
        ("", "t.toml: found no models (expected a table [models]"),
        ('[model]\n"m" = {input = 1, output = 2}', "t.toml: found no models"),
        ('currency = "EUR"\n[models]\n"m" = {input = 1, output = 2}', 't.toml: unknown field "currency"'),
        ('[models]\n"m" = 3', 't.toml: "m": found 3 (expected prices, as in { input = 3, output = 15 })'),
        ('[models]\n"m" = {input = 3}', 't.toml: "m": has no price for output'),
        ('[models]\n"m" = {imput = 3, output = 1}', 't.toml: "m": unknown kind "imput" (did you mean "input"?)'),
        ('[models]\n"m" = {input = -3, output = 1}', 't.toml: "m": input is -3 (expected dollars for a million tokens)'),
        ('[models]\n"m" = {input = "3", output = 1}', 't.toml: "m": input is "3" (expected dollars'),
        ('[models]\n"m" = {input = nan, output = 1}', 't.toml: "m": input is nan (expected dollars'),
        ('[models]\n"m" = {input = 3, output = 1, above = {input = 2, output = 1}}', 't.toml: "m": above needs prompt, a number'),
        ('[models]\n"m" = {input = 3, output = 1, above = {prompt = 9, output = 1}}', 't.toml: "m": above: has no price for input'),
    ],
)  # fmt: skip
def test_a_table_that_cannot_be_used_says_where(text: str, said: str) -> None:
    with pytest.raises(BadPrices) as error:
        prices(text, "t.toml")
    assert str(error.value).startswith(said)


# the commands

TRACE = run({"agent": "a", "tokens": {"input": 1000, "output": 100}}, models={"a": "mine"}).with_head(
    costs={"tokens": 1100, "wall_clock_s": 0}
)


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    (tmp_path / "run.jsonl").write_text(json.dumps(TRACE.to_json()) + "\n")
    (tmp_path / "own.toml").write_text("[models]\nmine = { input = 2, output = 10 }\n")
    return str(tmp_path / "run.jsonl"), str(tmp_path / "own.toml")


def command(*words: str) -> str:
    result = CliRunner().invoke(main, ["trace", *words])
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.mark.parametrize("form", ["text", "json", "html"])
def test_a_report_takes_a_table_of_ones_own(files: tuple[str, str], form: str) -> None:
    path, own = files
    shown = {"text": "0.003 US dollars", "json": '"value": 0.003', "html": "$0.003"}[form]
    assert shown not in command("report", path, "--format", form)
    assert shown in command("report", path, "--format", form, "--prices", own)


def test_scores_take_a_table_of_ones_own(files: tuple[str, str]) -> None:
    path, own = files
    words = ("score", path, "--measure", "list_cost_usd", "--no-rewards", "--workers", "2")
    assert json.loads(command(*words))["measures"] == {}
    assert json.loads(command(*words, "--prices", own))["measures"] == {"list_cost_usd": 0.003}
