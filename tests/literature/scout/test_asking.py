"""Asking services: politely, again where that may help, and never twice for what is known."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable
from datetime import date, timedelta
from itertools import islice
from pathlib import Path

import pytest

from survey.literature.scout import asking
from survey.literature.scout.asking import TRIES, Client, OutOfReach
from survey.literature.scout.sources import Asked, OpenReview
from tests.literature.scout.conftest import AGENT, TODAY
from tests.literature.scout.server import BUSY, CLOSED, CUT_OFF, NOTES, SILENT, Fault, Server

YESTERDAY = TODAY - timedelta(days=1)


def kept(tmp_path: Path) -> list[str]:
    return sorted(path.suffix for path in tmp_path.rglob("*") if path.is_file())


# ------------------------------------------------------------- politely


def test_the_client_says_who_asks(server: Server, client: Client) -> None:
    assert client.get("plain", server.at("/plain"), {"q": "a b"}) == b"plain answer"
    (question,) = server.questions
    assert question.headers["User-Agent"] == AGENT
    assert question.query == {"q": "a b"}


def test_a_service_is_not_asked_twice_within_the_pause(
    server: Server, run: Callable[..., Client], slept: list[float]
) -> None:
    hourly = run(pause=3600.0)
    hourly.get("plain", server.at("/plain"), {"page": "1"})
    assert slept == []
    hourly.get("plain", server.at("/plain"), {"page": "2"})
    assert [0 < pause <= 3600 for pause in slept] == [True]


def test_services_do_not_wait_for_each_other(server: Server, client: Client, slept: list[float]) -> None:
    client.get("one", server.at("/plain"))
    client.get("another", server.at("/plain"))
    assert slept == []


# ------------------------------------------------------------- again


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
def test_a_status_that_may_pass_is_asked_again(server: Server, client: Client, status: int) -> None:
    server.fail("/plain", Fault(status), times=TRIES - 1)
    assert client.get("plain", server.at("/plain")) == b"plain answer"
    assert len(server.questions) == TRIES


def test_each_pause_is_longer_than_the_one_before(server: Server, client: Client, slept: list[float]) -> None:
    server.fail("/plain", Fault(500), times=3)
    client.get("plain", server.at("/plain"))
    assert slept == [6.0, 12.0, 24.0]


def test_the_pause_that_a_service_asks_for_is_kept(
    server: Server, run: Callable[..., Client], slept: list[float]
) -> None:
    server.fail("/plain", Fault(429, {"Retry-After": "17"}))
    run(pause=0.0).get("plain", server.at("/plain"))
    assert slept == [17.0]


def test_a_pause_until_a_date_in_the_past_is_none(
    server: Server, run: Callable[..., Client], slept: list[float]
) -> None:
    server.fail("/plain", Fault(503, {"Retry-After": "Wed, 01 Jan 2020 00:00:00 GMT"}))
    assert run(pause=0.0).get("plain", server.at("/plain")) == b"plain answer"
    assert slept == []


def test_a_service_that_asks_for_a_very_long_pause_is_left_for_another_day(server: Server, client: Client) -> None:
    server.fail("/plain", Fault(429, {"Retry-After": "86400"}))
    with pytest.raises(OutOfReach, match=r"^plain: answered 429 to .*/plain, and asks to come back in 86400 seconds$"):
        client.get("plain", server.at("/plain"))
    assert len(server.questions) == 1


def test_the_client_gives_up_and_says_why(server: Server, client: Client, tmp_path: Path) -> None:
    server.fail("/plain", BUSY, times=TRIES)
    with pytest.raises(OutOfReach) as error:
        client.get("plain", server.at("/plain"))
    assert str(error.value) == f"plain: answered 429 to {server.at('/plain')}"
    assert len(server.questions) == TRIES
    assert kept(tmp_path) == []


def test_no_pause_follows_the_last_try(server: Server, run: Callable[..., Client], slept: list[float]) -> None:
    server.fail("/plain", Fault(429, {"Retry-After": "60"}), times=TRIES)
    with pytest.raises(OutOfReach):
        run(pause=0.0).get("plain", server.at("/plain"))
    assert slept == [60.0] * (TRIES - 1)


@pytest.mark.parametrize("status", [400, 401, 403, 404, 410])
def test_a_status_that_stays_is_not_asked_again(server: Server, client: Client, status: int, tmp_path: Path) -> None:
    server.fail("/plain", Fault(status))
    with pytest.raises(OutOfReach, match=f"answered {status}") as error:
        client.get("plain", server.at("/plain"))
    assert error.value.status == status
    assert len(server.questions) == 1
    assert kept(tmp_path) == []


def test_a_body_that_is_cut_off_is_asked_again(server: Server, client: Client) -> None:
    server.fail("/plain", CUT_OFF, times=2)
    assert client.get("plain", server.at("/plain")) == b"plain answer"


def test_a_body_that_stays_cut_off_is_never_kept(server: Server, client: Client, tmp_path: Path) -> None:
    server.fail("/plain", CUT_OFF, times=TRIES)
    with pytest.raises(OutOfReach, match=r"gave no whole answer \(IncompleteRead\)"):
        client.get("plain", server.at("/plain"))
    assert kept(tmp_path) == []


def test_a_connection_that_closes_without_an_answer_is_asked_again(server: Server, client: Client) -> None:
    server.fail("/plain", CLOSED)
    assert client.get("plain", server.at("/plain")) == b"plain answer"


def test_a_service_that_stays_silent_is_out_of_reach(
    server: Server, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(asking, "WAIT", (5.0, 0.05))
    server.fail("/plain", SILENT, times=TRIES)
    with pytest.raises(OutOfReach, match=r"plain: gave no whole answer|plain: cannot be reached at 127.0.0.1"):
        client.get("plain", server.at("/plain"))
    while len(server.questions) < TRIES:  # the client may give up before a busy machine has read what it asks
        time.sleep(0.01)
    assert len(server.questions) == TRIES


def test_too_large_an_answer_is_refused_at_once(
    server: Server, client: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(asking, "MOST_BYTES", 5)
    with pytest.raises(OutOfReach, match=r"answered more than 5e-06 MB to .*/plain$"):
        client.get("plain", server.at("/plain"))
    assert len(server.questions) == 1
    assert kept(tmp_path) == []


def test_without_a_network_one_line_says_so(
    client: Client, monkeypatch: pytest.MonkeyPatch, slept: list[float]
) -> None:
    def unknown(*_: object, **__: object) -> None:
        raise socket.gaierror(-2, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    with pytest.raises(OutOfReach) as error:
        client.get("service", "https://api.service.example/works", {"key": "secret"})
    assert str(error.value) == (
        "service: cannot be reached at api.service.example (its name does not resolve: is there a network?)"
    )
    assert slept == []


def test_a_service_that_is_not_there_is_out_of_reach(client: Client) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(
        OutOfReach, match=rf"^service: cannot be reached at 127.0.0.1:{port} \(ConnectionRefusedError\)$"
    ):
        client.get("service", f"http://127.0.0.1:{port}/works")


# ------------------------------------------------------------- keys


@pytest.mark.parametrize("fault", [Fault(400), Fault(500), CLOSED, CUT_OFF])
def test_a_key_never_shows_in_a_message(server: Server, client: Client, fault: Fault) -> None:
    server.fail("/plain", fault, times=TRIES)
    with pytest.raises(OutOfReach) as error:
        client.get("plain", server.at("/plain"), {"q": "open"}, secret={"api_key": "s3cret"})
    assert server.asked("api_key")[0] == "s3cret"
    assert "s3cret" not in str(error.value)


def test_a_key_is_never_kept(server: Server, client: Client, tmp_path: Path) -> None:
    client.get("plain", server.at("/plain"), {"q": "open"}, {"x-api-key": "t0ken"}, {"api_key": "s3cret"})
    assert server.questions[0].query == {"q": "open", "api_key": "s3cret"}
    assert server.questions[0].headers["x-api-key"] == "t0ken"
    texts = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert b"q=open" in texts
    assert b"s3cret" not in texts
    assert b"t0ken" not in texts


def test_another_key_finds_what_was_kept(server: Server, client: Client) -> None:
    for key in ("old", "new"):
        client.get("plain", server.at("/plain"), {"q": "open"}, secret={"api_key": key})
    assert len(server.questions) == 1


# ------------------------------------------------------------- what is known


def test_an_answer_of_today_is_not_asked_for_again(server: Server, run: Callable[..., Client]) -> None:
    assert run().get("plain", server.at("/plain")) == run().get("plain", server.at("/plain"))
    assert len(server.questions) == 1


def test_another_query_is_another_question(server: Server, client: Client) -> None:
    client.get("plain", server.at("/plain"), {"page": "1"})
    client.get("plain", server.at("/plain"), {"page": "2"})
    assert server.asked("page") == ["1", "2"]


def test_an_answer_of_yesterday_is_taken_if_nothing_has_changed(server: Server, run: Callable[..., Client]) -> None:
    server.etags["/plain"] = '"first"'
    run(YESTERDAY).get("plain", server.at("/plain"))
    assert run().get("plain", server.at("/plain")) == b"plain answer"
    assert server.questions[1].headers["If-None-Match"] == '"first"'
    run().get("plain", server.at("/plain"))
    assert len(server.questions) == 2, "what was confirmed today is of today"


def test_an_answer_of_yesterday_is_replaced_if_it_has_changed(server: Server, run: Callable[..., Client]) -> None:
    server.etags["/plain"] = '"first"'
    run(YESTERDAY).get("plain", server.at("/plain"))
    server.etags["/plain"] = '"second"'
    server.answers["/plain"] = lambda rest, query: b"other answer"
    assert run().get("plain", server.at("/plain")) == b"other answer"
    run(date(2026, 3, 21)).get("plain", server.at("/plain"))
    assert server.questions[2].headers["If-None-Match"] == '"second"'


def test_an_answer_of_yesterday_outlives_a_service_that_fails(server: Server, run: Callable[..., Client]) -> None:
    run(YESTERDAY).get("plain", server.at("/plain"))
    server.fail("/plain", Fault(500), times=TRIES)
    with pytest.raises(OutOfReach):
        run().get("plain", server.at("/plain"))
    assert run(YESTERDAY).get("plain", server.at("/plain")) == b"plain answer"
    assert len(server.questions) == 1 + TRIES


def test_a_damaged_note_of_an_answer_is_asked_for_again(
    server: Server, run: Callable[..., Client], tmp_path: Path
) -> None:
    run().get("plain", server.at("/plain"))
    (about,) = tmp_path.rglob("*.json")
    about.write_text("{")
    assert run().get("plain", server.at("/plain")) == b"plain answer"
    assert len(server.questions) == 2


def test_a_forgotten_answer_is_asked_for_again(server: Server, client: Client, tmp_path: Path) -> None:
    client.get("plain", server.at("/plain"), {"page": "1"})
    client.forget("plain", server.at("/plain"), {"page": "1"})
    assert kept(tmp_path) == []
    client.forget("plain", server.at("/plain"), {"page": "1"})
    client.get("plain", server.at("/plain"), {"page": "1"})
    assert len(server.questions) == 2


def test_a_run_that_was_cut_off_goes_on_without_repeating(
    server: Server, run: Callable[..., Client], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("survey.literature.scout.sources.openreview.PAGE", 1)
    source, asked = OpenReview(server.at("/openreview")), Asked(TODAY, TODAY, venues=("RELAY.cc/2026/Conference",))
    assert len(list(islice(source.find(run(), asked), 2))) == 2
    assert server.asked("offset") == ["0", "1"]
    assert len(list(source.find(run(), asked))) == len(NOTES)
    assert server.asked("offset") == ["0", "1", "2"]
