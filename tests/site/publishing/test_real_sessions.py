"""The page of three real sessions: its sentences hold, its files are those that it is computed from."""

from __future__ import annotations

import re

import pytest
from click.testing import CliRunner

from survey.cli import main
from survey.site.pages.traces.open_log.builder import EXAMPLES
from survey.site.pages.traces.real_sessions import LOGS, PAGE, SESSIONS, real_session_pages

OF_PROGRAM = {"", "[Request interrupted by user for tool use]", "<tool_use_error>"}
"""Texts that the program itself writes."""


@pytest.fixture(scope="module")
def made() -> dict[str, str]:
    files = dict(real_session_pages(None))  # type: ignore[arg-type]
    files[PAGE] = re.sub("[\u00a0\u202f]", " ", files[PAGE])
    return files


@pytest.fixture(scope="module")
def figures() -> dict[str, str]:
    """What the command prints of each session."""
    out = {}
    for name in SESSIONS:
        result = CliRunner().invoke(main, ["trace", "report", str(LOGS / f"{name}.jsonl")])
        assert result.exit_code == 0
        out[name] = result.stdout
    return out


def seconds(report: str, title: str) -> float:
    """A figure of a report in seconds, or the first of its rows."""
    found = re.search(rf"^  {title}(?: \(s[^\n]*\n\s+\S+)?\s+([\d,.]+)", report, re.MULTILINE)
    assert found, title
    return float(found[1].replace(",", ""))


def test_the_page_and_the_page_that_opens_logs_show_the_same_sessions() -> None:
    assert [name for name, _ in EXAMPLES] == [f"{name}.jsonl" for name in SESSIONS]
    assert [words for _, words in EXAMPLES] == [words.lower() for words in SESSIONS.values()]


def test_logs_and_reports_are_files_of_the_site(made: dict[str, str]) -> None:
    for name in SESSIONS:
        assert made[f"traces/real-sessions/{name}.jsonl"] == (LOGS / f"{name}.jsonl").read_text()
        assert made[f"traces/real-sessions/{name}.html"].startswith("<!DOCTYPE html>")
    assert "Permission is hereby granted" in made["traces/real-sessions/LICENSE.txt"]


def test_texts_in_the_logs_are_replaced_by_their_length() -> None:
    for name in SESSIONS:
        texts = re.findall(r'"(?:text|content|prompt|thinking)":"([^"]*)"', (LOGS / f"{name}.jsonl").read_text())
        assert texts
        assert {text for text in texts if not re.fullmatch(r"(agentId: \w+ )?<redacted \d+ chars>", text)} <= OF_PROGRAM


def test_what_the_page_says_of_the_reviewers_holds(made: dict[str, str], figures: dict[str, str]) -> None:
    work, within = (seconds(figures["reviewers"], f"Sub-agent {what}") for what in ("work", "union time"))
    assert work == pytest.approx(408, abs=1)  # six of them, as an independent count says
    assert within == pytest.approx(83, abs=1)
    assert "6 min 48 s of work within 1 min 23 s" in made[PAGE]


def test_what_the_page_says_of_the_interruption_holds(made: dict[str, str], figures: dict[str, str]) -> None:
    waited = seconds(figures["interrupted"], "Waiting for agents")
    assert waited > seconds(figures["interrupted"], "Sub-agent work")
    assert "1 interrupted sub-agents of which the log has nothing but the call" in figures["interrupted"]


def test_what_the_page_says_of_the_questions_holds(made: dict[str, str], figures: dict[str, str]) -> None:
    tokens = int(re.search(r"Tokens +at least ([\d,]+) tokens", figures["questions"])[1].replace(",", ""))  # type: ignore[index]
    lead = int(re.search(r"Tokens by agent.*\n +main +([\d,]+)", figures["questions"])[1].replace(",", ""))  # type: ignore[index]
    assert f"{100 * lead / tokens:.0f} %" in made[PAGE]
    assert re.search(r"^    AskUserQuestion", figures["questions"], re.MULTILINE)


def test_every_drawing_has_a_lane_for_each_agent(made: dict[str, str], figures: dict[str, str]) -> None:
    for name, drawn in zip(SESSIONS, made[PAGE].split("<figure")[1:], strict=True):
        agents = re.search(r"^  Agents +(\d+) agents", figures[name], re.MULTILINE)
        assert agents
        assert drawn.count("<span style") == int(agents[1])
        assert "<rect" in drawn
