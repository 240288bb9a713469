"""What holds for a log of any format: one budget for all files of an import, and no link out of its folder."""

from __future__ import annotations

import gzip
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from survey.traces.files import Budget, DecompressionError, decompressed
from survey.traces.importers import BadLog, Log, importers, recognised
from survey.traces.model import Content

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

PACKS = pytest.mark.parametrize("pack", [gzip.compress, zstd.compress], ids=["gzip", "zstd"])
LINE = {"type": "user", "uuid": "u", "sessionId": "s", "timestamp": "2026-03-08T09:30:00Z",
        "message": {"role": "user", "content": "x"}}  # fmt: skip
META = {"type": "session_meta", "payload": {"id": "s"}}
TOO_LARGE = "it unpacks to more than 250 times its size, as no genuine log does"
TOO_MANY = r"[0-9,]+ bytes unpack to values that need more than 128 MB of memory, as no genuine log does"


def imported(log: Log, name: str) -> int:
    return sum(1 for _ in importers()[name].read(log, Content()))


def blanks(first: object, size: int) -> bytes:
    return json.dumps(first).encode() + b"\n" + b" " * size


@PACKS
@pytest.mark.parametrize(("name", "line"), [("claude-code", LINE), ("codex", META)])
def test_the_files_of_a_folder_share_one_budget(
    pack: Callable[[bytes], bytes], name: str, line: object, tmp_path: Path
) -> None:
    for number in range(3):  # each could be read by itself
        (tmp_path / f"{number}.jsonl.gz").write_bytes(pack(blanks({**line, "n": number}, 6 << 20)))  # type: ignore[dict-item]
    with pytest.raises(BadLog, match=rf"2\.jsonl\.gz: cannot be unpacked \({TOO_LARGE}"):
        imported(Log(tmp_path), name)


@PACKS
def test_a_folder_of_genuine_packed_logs_is_read_whatever_its_size(
    pack: Callable[[bytes], bytes], tmp_path: Path
) -> None:
    for number in range(300):
        lines = [json.dumps({**LINE, "sessionId": f"s{number}", "uuid": f"{number}-{n}"}) for n in range(300)]
        (tmp_path / f"{number}.jsonl.gz").write_bytes(pack("\n".join(lines).encode()))
    assert imported(Log(tmp_path), "claude-code") == 300


@PACKS
def test_a_file_that_is_read_again_counts_once(pack: Callable[[bytes], bytes]) -> None:
    budget, data = Budget(), pack(b" " * (12 << 20))
    for _ in range(5):
        decompressed(data, "a", budget)
    with pytest.raises(DecompressionError, match=rf"^b: cannot be unpacked \({TOO_LARGE}"):
        decompressed(data, "b", budget)
    decompressed(data, "a", budget)  # what is refused takes nothing


@PACKS
@pytest.mark.parametrize("value", [b"{},", b"[],", b'{"":{"":0}},', b"00\n"], ids=str)
def test_few_bytes_that_unpack_to_many_values_are_refused(pack: Callable[[bytes], bytes], value: bytes) -> None:
    number = (1 << 24) // len(value) - 10
    with pytest.raises(BadLog, match=rf"^log: cannot be unpacked \({TOO_MANY} \(if it is genuine, unpack it\)\)$"):
        recognised(Log(Path("log"), pack(value * number)))


@PACKS
def test_members_and_frames_count_together(pack: Callable[[bytes], bytes]) -> None:
    with pytest.raises(BadLog, match=rf"^log: cannot be unpacked \({TOO_LARGE}"):
        recognised(Log(Path("log"), pack(b" " * (1 << 20)) * 20))


@PACKS
def test_what_is_packed_twice_is_unpacked_once(pack: Callable[[bytes], bytes]) -> None:
    assert recognised(Log(Path("log"), pack(pack(json.dumps(LINE).encode())))) is None


# Links


@pytest.mark.parametrize(
    ("name", "link", "main", "text"),
    [
        ("claude-code", "two.jsonl", "one.jsonl", LINE),
        ("claude-code", "agent-a.jsonl", "one.jsonl", LINE),
        ("claude-code", "one/subagents/agent-a.jsonl", "one.jsonl", LINE),
        ("claude-code-team", "inboxes/a.json", "config.json", {"members": [], "leadAgentId": "a"}),
        ("claude-code-team", "tasks/1.json", "config.json", {"members": [], "leadAgentId": "a"}),
        ("codex", "two.jsonl", "one.jsonl", META),
        ("atif", "two.json", "one.json", {"schema_version": "ATIF-v1.6", "steps": []}),
    ],
)
def test_a_link_out_of_the_folder_of_a_log_is_refused(
    name: str, link: str, main: str, text: Any, tmp_path: Path
) -> None:
    secret, folder = tmp_path / "secret", tmp_path / "log"
    secret.write_text(json.dumps(text) + "\n")
    (folder / link).parent.mkdir(parents=True)
    (folder / main).write_text(json.dumps(text) + "\n")
    (folder / link).symlink_to(secret)
    expected = (
        rf"{link}: a link to a file outside .*log\S* \(expected files of the log; copy that file into the folder\)"
    )
    with pytest.raises(BadLog, match=expected):
        imported(Log(folder), name)


def test_links_within_the_folder_and_to_the_folder_are_followed(tmp_path: Path) -> None:
    folder = tmp_path / "log"
    folder.mkdir()
    (folder / "one.txt").write_text(json.dumps(LINE) + "\n")
    (folder / "one.jsonl").symlink_to(folder / "one.txt")
    (tmp_path / "named").symlink_to(folder)
    (tmp_path / "named.jsonl").symlink_to(folder / "one.txt")
    assert imported(Log(tmp_path / "named"), "claude-code") == 1
    assert imported(Log(tmp_path / "named.jsonl"), "claude-code") == 1
