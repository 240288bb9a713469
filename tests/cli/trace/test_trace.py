"""The trace commands: output, exit status, pipes, and messages with a remedy."""

from __future__ import annotations

import gzip
import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from survey.cli import main
from survey.traces import read
from survey.traces.files.writing import write
from survey.traces.metrics import measure
from tests.traces.importers.samples import sample

Run = Callable[..., Result]


@pytest.fixture
def trace() -> Run:
    """Run ``survey trace ...``."""

    def run(*arguments: str | Path, stdin: bytes | None = None) -> Result:
        result = CliRunner().invoke(main, ["trace", *map(str, arguments)], input=stdin)
        if result.exception and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result

    return run


@pytest.fixture
def example(tmp_path: Path) -> Path:
    """The example in the package."""
    path = tmp_path / "example.json"
    path.write_text(files("survey.traces.model").joinpath("example.json").read_text("utf-8"))
    return path


@pytest.fixture
def broken(example: Path, tmp_path: Path) -> Path:
    """The example with a tool result without a call."""
    document = json.loads(example.read_text())
    document["events"].append({"id": "x", "t": 8.0, "type": "tool_result", "agent": "searcher-1", "tool": "none"})
    path = tmp_path / "broken.json"
    path.write_text(json.dumps(document))
    return path


# ------------------------------------------------------------------- check


def test_check_says_in_one_line_that_all_is_well(trace: Run, example: Path) -> None:
    result = trace("check", example)
    assert result.exit_code == 0
    assert result.stdout == "no problems in 1 trace\n"


def test_check_names_file_line_place_and_event(trace: Run, broken: Path) -> None:
    result = trace("check", broken)
    assert result.exit_code == 1
    assert result.stdout.splitlines() == [
        f'{broken}:1: /events/27: "x" (tool_result): has no matching call',
        "1 error in 1 of 1 trace",
    ]


def test_check_takes_many_files_and_the_pipe(trace: Run, example: Path, broken: Path) -> None:
    assert trace("check", example, example).stdout == "no problems in 2 traces\n"
    result = trace("check", example, "-", stdin=broken.read_bytes())
    assert result.exit_code == 1
    assert "standard input:1: /events/27" in result.stdout
    assert "1 error in 1 of 2 traces" in result.stdout


def test_warnings_are_errors_only_if_asked(trace: Run, example: Path, tmp_path: Path) -> None:
    document = json.loads(example.read_text())
    document["edges"].append(document["edges"][0])
    path = tmp_path / "twice.json"
    path.write_text(json.dumps(document))
    assert trace("check", path).exit_code == 0
    assert "warning: duplicate causal edge" in trace("check", path).stdout
    assert trace("check", "--strict", path).exit_code == 1


def test_check_counts_what_it_does_not_print(trace: Run, example: Path, tmp_path: Path) -> None:
    document = json.loads(example.read_text())
    document["edges"] += [{"src": "e1", "dst": f"nothing-{n}", "type": "causal"} for n in range(30)]
    path = tmp_path / "many.json"
    path.write_text(json.dumps(document))
    lines = trace("check", "--limit", "5", path).stdout.splitlines()
    assert len(lines) == 7
    assert lines[5].endswith("and 25 more; in all 30 unknown-event")
    assert lines[6] == "30 errors in 1 of 1 trace"


def test_check_as_json_is_one_object_for_each_trace(trace: Run, example: Path, broken: Path) -> None:
    lines = trace("check", "--format", "json", example, broken).stdout.splitlines()
    first, second = map(json.loads, lines)
    assert (first["errors"], second["errors"]) == (0, 1)
    assert second["problems"][0]["kind"] == "result-without-call"
    assert second["problems"][0]["events"] == ["x"]


def test_a_file_that_is_no_trace_is_an_error_and_no_traceback(trace: Run, tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("Dear diary")
    result = trace("check", path)
    assert result.exit_code == 1
    assert f'{path}:1: invalid JSON: found "Dear diary", expected {{' in result.stdout


def test_a_file_that_is_not_there_is_used_wrongly(trace: Run, tmp_path: Path) -> None:
    result = trace("check", tmp_path / "gone.json")
    assert result.exit_code == 2
    assert "does not exist" in result.stderr


# ------------------------------------------------------------------ report


def test_the_report_is_a_page_of_figures_and_says_what_is_missing(trace: Run, example: Path) -> None:
    page = trace("report", example).stdout
    assert "task release-notes, illustration, 27 events, 31 edges" in page
    assert "  Critical path               42.2 s" in page
    assert "Not measurable in this trace" in page
    assert "  cost, cost by agent, cost by role: no event records its cost" in page


def test_the_report_names_the_losses_and_what_is_too_low_for_them(trace: Run, example: Path, tmp_path: Path) -> None:
    document = json.loads(example.read_text())
    document["source"] = {**document.get("source", {}), "lost": [{"what": "model calls without tokens", "count": 3}]}
    lossy = tmp_path / "lossy.json"
    lossy.write_text(json.dumps(document))
    page = trace("report", lossy).stdout
    assert "Losses in the import\n  3 model calls without tokens" in page
    assert "  Tokens                      at least " in page
    assert "Losses in the import" not in trace("report", example).stdout


def test_the_report_as_json_holds_every_measure(trace: Run, example: Path) -> None:
    found = json.loads(trace("report", "--format", "json", example).stdout)["measures"]
    assert found.keys() == measure(read(example)).keys()
    assert found["sub_agents_at_once"] == {"value": 2, "unit": "agents"}
    assert found["cost_usd"]["why_not"] == "no event records its cost"


def test_the_report_as_html_is_one_file(trace: Run, example: Path, tmp_path: Path) -> None:
    out = tmp_path / "run.html"
    assert trace("report", "--format", "html", example, "-o", out).exit_code == 0
    assert out.read_text().lower().startswith("<!doctype html>")


def test_a_file_of_several_traces_asks_which(trace: Run, example: Path, tmp_path: Path) -> None:
    path = tmp_path / "two.jsonl"
    one = read(example)
    write([one, one.with_head(trace_id="other")], path)
    result = trace("replay", path)
    assert result.exit_code == 2
    assert "holds 2 traces; name one with --trace ID (example, other)" in result.stderr
    assert trace("report", "--trace", "other", path).stdout.startswith("other\n")
    assert trace("report", "--trace", "third", path).exit_code == 2


# ----------------------------------------------------------- import, export

LOG = {
    "type": "user",
    "uuid": "u1",
    "sessionId": "s1",
    "timestamp": "2026-02-01T10:00:00Z",
    "message": {"role": "user", "content": "Hello there"},
}
ANSWER = {"type": "assistant", "uuid": "u2", "parentUuid": "u1", "sessionId": "s1", "timestamp": "2026-02-01T10:00:04Z",
          "message": {"id": "m1", "role": "assistant", "model": "x", "content": [{"type": "text", "text": "Good day"}],
                      "usage": {"input_tokens": 5, "output_tokens": 2}}}  # fmt: skip


@pytest.fixture
def session(tmp_path: Path) -> Path:
    """A log of Claude Code with one question and one answer."""
    path = tmp_path / "session.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in (LOG, ANSWER)))
    return path


def test_a_log_is_recognised_by_its_content(trace: Run, session: Path, tmp_path: Path) -> None:
    out = tmp_path / "run.jsonl"
    result = trace("import", "auto", session, "-o", out)
    assert result.exit_code == 0
    assert "(claude-code)" in result.stderr
    assert trace("check", out).stdout == "no problems in 1 trace\n"


def test_free_text_stays_out_unless_it_is_asked_for(trace: Run, session: Path) -> None:
    plain = trace("import", "auto", session).stdout
    assert "Good day" not in plain
    assert "Hello" not in plain
    assert "Good day" in trace("import", "auto", "--keep-content", session).stdout


def test_hashes_can_be_compared_with_a_salt_of_ones_own_only(trace: Run, session: Path) -> None:
    assert (
        trace("import", "auto", "--salt", "x", session).stdout == trace("import", "auto", "--salt", "x", session).stdout
    )
    assert trace("import", "auto", session).stdout != trace("import", "auto", session).stdout


def test_an_import_goes_through_a_pipe_into_a_report(trace: Run, session: Path) -> None:
    imported = trace("import", "auto", "-", stdin=session.read_bytes())
    assert "task" in trace("report", "-", stdin=imported.stdout_bytes).stdout


def test_the_ending_of_a_name_packs(trace: Run, session: Path, tmp_path: Path) -> None:
    out = tmp_path / "run.jsonl.gz"
    trace("import", "claude-code", session, "-o", out)
    assert gzip.decompress(out.read_bytes()).startswith(b"{")
    assert trace("check", out).exit_code == 0


def test_an_unknown_format_names_the_nearest(trace: Run, session: Path) -> None:
    result = trace("import", "claude-cod", session)
    assert result.exit_code == 2
    assert 'did you mean "claude-code"?' in result.stderr


def test_a_log_of_no_known_kind_names_those_that_are(trace: Run, tmp_path: Path) -> None:
    path = tmp_path / "strange.json"
    path.write_text('{"hello": 1}')
    result = trace("import", "auto", path)
    assert result.exit_code == 1
    assert "found no log in a known format (expected one of claude-code" in result.stderr


@pytest.mark.parametrize("form", ["perfetto", "otlp", "atif", "ocel"])
def test_every_export_in_json_is_json(trace: Run, example: Path, form: str) -> None:
    assert json.loads(trace("export", form, example).stdout)


def test_formats_lists_both_directions(trace: Run) -> None:
    listed = trace("formats").stdout
    assert listed.index("Import") < listed.index("claude-code ") < listed.index("Export") < listed.index("perfetto")
    assert "codex" in listed
    assert "(experimental)" in listed


# ------------------------------------------------- replay, diff, anonymise


def test_replay_prints_the_state_after_each_event(trace: Run, example: Path) -> None:
    lines = trace("replay", example).stdout.splitlines()
    assert len(lines) == 27
    assert lines[3].split() == [
        "e4",
        "6.400",
        "lead:",
        "spawn",
        "→",
        "searcher-2",
        "3",
        "alive,",
        "2",
        "tasks",
        "open,",
        "1,110",
        "tokens",
    ]


def test_replay_until_an_event_stops_there(trace: Run, example: Path) -> None:
    lines = trace("replay", "--until", "e13", "--format", "json", example).stdout.splitlines()
    last = json.loads(lines[-1])
    assert len(lines) == 13
    assert last["in_flight"] == {"e13": "searcher-2"}
    assert sorted(last["tasks"]) == ["searcher-1", "searcher-2"]


def test_a_cut_trace_is_a_trace(trace: Run, example: Path) -> None:
    cut = trace("replay", "--cut", "--until", "e13", example)
    assert trace("check", "-", stdin=cut.stdout_bytes).exit_code == 0


def test_replay_until_no_event_names_the_nearest(trace: Run, example: Path) -> None:
    result = trace("replay", "--until", "e133", example)
    assert result.exit_code == 2
    assert 'no event has the id "e133" (did you mean "e13"?)' in result.stderr


def test_diff_says_where_two_runs_part(trace: Run, example: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.jsonl"
    document = read(example)
    events = [event.with_fields(tool="web.crawl") if event.id in ("e8", "e11") else event for event in document.events]
    write([type(document)(events, document.edges, document.head)], other)
    result = trace("diff", example, other)
    assert result.exit_code == 1
    assert result.stdout.splitlines()[:3] == [
        "7 events in common",
        f"  then {example}: e8: searcher-2: tool_call web.search",
        f"  then {other}: e8: searcher-2: tool_call web.crawl",
    ]
    assert trace("diff", example, example).stdout == "no difference in 27 events\n"


@pytest.mark.parametrize("keep", [(), ("--keep", "models")], ids=["no name", "names of models"])
def test_anonymised_traces_keep_every_figure_and_no_name(trace: Run, example: Path, keep: tuple[str, ...]) -> None:
    result = trace("anonymise", *keep, example)
    for name in ("searcher", "lead", "writer", "web.search", "release-notes", "illustration", "large"):
        assert name not in result.stdout or (keep and name == "large")
    before = json.loads(trace("report", "--format", "json", example).stdout)["measures"]
    after = json.loads(trace("report", "--format", "json", "-", stdin=result.stdout_bytes).stdout)["measures"]
    if not keep:  # prices go by the names of models
        for name in [name for name in before if name.startswith("list_cost_")]:
            assert after.pop(name)["value"] is None
            del before[name]
    single = {name for name, found in before.items() if not isinstance(found["value"], dict)}
    assert {name: after[name] for name in single} == {name: before[name] for name in single}
    assert {n: sorted(after[n]["value"].values()) for n in after if n not in single} == {
        n: sorted(before[n]["value"].values()) for n in before if n not in single
    }


# ---------------------------------------------------------------- the whole


def test_trace_commands_load_neither_pandas_nor_mkdocs(example: Path) -> None:
    program = (
        "import sys; from survey.cli import main\n"
        f"try: main(['trace', 'report', {str(example)!r}])\nexcept SystemExit: pass\n"
        "print('heavy:', sorted({'pandas', 'mkdocs', 'altair', 'numpy', 'bibtexparser'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "heavy: []"


@pytest.mark.parametrize("command", ["check", "report", "import", "export", "replay", "diff", "anonymise", "formats"])
def test_every_command_explains_itself(trace: Run, command: str) -> None:
    assert len(trace(command, "--help").stdout.splitlines()) > 5


# ------------------------------------------------------------------- logs in place of traces

READ = "read as a claude-code log; survey trace import keeps the result"


@pytest.mark.parametrize(
    "command",
    [
        ("check",), ("report",), ("replay",), ("reward",), ("export", "mermaid"), ("anonymise",),
        ("credit", "--method", "leave-one-out"),
    ],
    ids=lambda command: command[0],
)  # fmt: skip
def test_a_log_in_place_of_a_trace_is_imported_on_the_way(trace: Run, session: Path, command: tuple[str, ...]) -> None:
    made = session.with_name("made.jsonl")
    trace("import", "auto", session, "-o", made)
    of_log, of_trace = trace(*command, session), trace(*command, made)
    assert of_log.exit_code == of_trace.exit_code == (command[0] == "credit")  # this run has no reward
    assert of_log.stderr == f"{session}: {READ}\n{of_trace.stderr}"
    if command != ("anonymise",):  # it hashes names with a new salt
        assert of_log.stdout == of_trace.stdout


def test_a_log_through_a_pipe_is_imported_on_the_way(trace: Run, session: Path) -> None:
    result = trace("report", "-", stdin=session.read_bytes())
    assert (result.exit_code, result.stderr) == (0, f"standard input: {READ}\n")
    assert result.stdout == trace("report", session).stdout


def test_a_packed_log_is_imported_on_the_way(trace: Run, session: Path, tmp_path: Path) -> None:
    packed = tmp_path / "packed.gz"
    packed.write_bytes(gzip.compress(session.read_bytes()))
    assert trace("check", packed).stderr == f"{packed}: {READ}\n"


def test_two_reads_of_one_log_do_not_differ(trace: Run, session: Path) -> None:
    assert trace("diff", session, session).exit_code == 0


def test_a_folder_in_place_of_a_trace_is_imported_on_the_way(trace: Run, session: Path, tmp_path: Path) -> None:
    folder = tmp_path / "logs"
    folder.mkdir()
    session.rename(folder / "session.jsonl")
    result = trace("report", folder)
    assert result.exit_code == 0
    assert READ in result.stderr


def test_a_trace_is_not_taken_for_a_log(trace: Run, example: Path, broken: Path) -> None:
    assert trace("check", example).stderr == ""
    assert trace("check", "-", stdin=example.read_bytes()).stderr == ""
    assert trace("check", broken).stderr == ""


def test_what_is_neither_trace_nor_log_is_one_line(trace: Run, tmp_path: Path) -> None:
    strange, folder = tmp_path / "strange.jsonl", tmp_path / "empty"
    strange.write_text('{"colour": "red", "size": 3}\n' * 300)
    folder.mkdir()
    result = trace("check", strange, folder)
    known = "expected a trace, with trace_id, events and edges, or a log in a known format: claude-code, "
    first, second, last = result.stdout.splitlines()
    assert first.startswith(f'{strange}: found 300 documents with the fields "colour", "size" ({known}')
    assert second.startswith(f"{folder}: found a folder without a log ({known}")
    assert (last, result.exit_code) == ("2 errors in 2 of 2 traces", 1)


def test_a_stray_line_does_not_hide_the_traces_after_it(trace: Run, example: Path, tmp_path: Path) -> None:
    path = tmp_path / "some.jsonl"
    path.write_text('{"colour": "red"}\n' + json.dumps(json.loads(example.read_text())) + "\n")
    assert trace("check", path).stdout.splitlines()[-1].endswith("in 1 of 2 traces")


def test_one_id_for_two_traces_of_a_file_is_an_error(trace: Run, example: Path, tmp_path: Path) -> None:
    twice = tmp_path / "twice.jsonl"
    twice.write_text((json.dumps(json.loads(example.read_text())) + "\n") * 2)
    result = trace("check", twice)
    id = json.loads(example.read_text())["trace_id"]
    assert result.stdout.splitlines() == [
        f'{twice}:2: /trace_id: the id "{id}" is already used by {twice}:1', "1 error in 1 of 2 traces",
    ]  # fmt: skip
    assert trace("check", example, example).exit_code == 0


@pytest.mark.parametrize("name", ["who-and-when", "marble", "inspect"])
@pytest.mark.parametrize("form", ["auto", "by name"])
def test_a_folder_of_logs_is_imported_file_by_file(trace: Run, tmp_path: Path, name: str, form: str) -> None:
    folder = tmp_path / name
    shutil.copytree(sample(name), folder)
    paths = sorted(folder.glob("*.json*"))
    (folder / "LICENSE.txt").write_text("Do what you like.")
    by_name = name if form == "by name" else form
    result = trace("import", by_name, folder, "--salt", "x")
    assert result.exit_code == 0
    assert result.stdout == "".join(trace("import", by_name, path, "--salt", "x").stdout for path in paths)
    assert result.stderr.endswith(f"{folder}: left out 1 file in no known format: LICENSE.txt\n")


def test_a_folder_without_logs_names_the_known_formats(trace: Run, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("nothing")
    result = trace("import", "auto", tmp_path)
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith(f"{tmp_path}: found no log in a known format (expected one of claude-code, ")
