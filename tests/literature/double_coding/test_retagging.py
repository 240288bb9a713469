"""One tag changes in the text of a pool, and not one other character."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from survey.literature import InvalidSurvey, Pool, Tag, load
from survey.literature.bibtex import parse_bibtex
from survey.literature.double_coding import retagged
from tests.conftest import ROOT
from tests.literature.conftest import ENTRY

SHARED, PROCESS = Tag("reward", "shared"), Tag("reward", "process")


@pytest.fixture(scope="module")
def pool() -> Pool:
    return load(ROOT / "bib")


def test_in_the_real_pool_one_line_changes_and_keeps_its_layout(pool: Pool) -> None:
    text = (ROOT / "bib" / "pool.bib").read_text()
    random = Random(22)
    for _ in range(20):
        entry = random.choice(pool.entries)
        axis = pool.taxonomy[random.choice(["reward-when", "credit-holder", "topology", "category"])]
        if entry.primary(axis.id) == "na":
            continue
        value = random.choice([word for word in axis.values if word != entry.primary(axis.id)])
        new = retagged(text, entry, axis, (Tag(axis.id, value),), "Because.")
        number = entry.block.fields[axis.field].line - 1
        before, after = text.split("\n"), new.split("\n")
        assert after[number] == before[number].partition("{")[0] + f"{{{value}}},"
        assert before[:number] + before[number + 1 :] == after[:number] + after[number + 1 :]


WRITTEN = {
    "braces": ("tag-reward = {shared},", "tag-reward = {process; shared},"),
    "quotes": ('tag-reward = "shared",', 'tag-reward = "process; shared",'),
    "upper case and no blanks": ("TAG-REWARD={shared},", "TAG-REWARD={process; shared},"),
    "two lines": ("tag-reward = {shared;\n    process},", "tag-reward = {process; shared},"),
    "two fields in a line": (
        "tag-reward = {shared}, note = {tag-rewards are {shared}},",
        "tag-reward = {process; shared}, note = {tag-rewards are {shared}},",
    ),
}


@pytest.mark.parametrize(("old", "new"), WRITTEN.values(), ids=WRITTEN)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_field_keeps_the_way_it_is_written(folder: Callable[..., Path], old: str, new: str, end: str) -> None:
    text = f"% tag-reward = {{shared}}\n{ENTRY}\n% end".replace("tag-reward = {shared},", old, 2)
    text = text.replace("\n", end)
    bib = folder()
    (bib / "pool.bib").write_bytes(text.encode())
    pool = load(bib)
    changed = retagged(text, pool["key2026"], pool.taxonomy["reward"], (PROCESS, SHARED), "")
    assert changed == text.replace(old.replace("\n", end), new)
    assert changed != text


ODD = ENTRY.replace("tag-reward = {shared},", 'tag-reward = {sha} # "red",')


def test_a_field_that_is_put_together_is_refused_with_what_to_write(folder: Callable[..., Path]) -> None:
    pool = load(folder())
    line = pool["key2026"].block.fields["tag-reward"].line
    with pytest.raises(InvalidSurvey) as error:
        retagged(ODD, pool["key2026"], pool.taxonomy["reward"], (PROCESS,), "")
    assert str(error.value).endswith(
        f'pool.bib:{line}: entry key2026: tag-reward: cannot be changed safely as it is written; write tag-reward = "process" by hand'
    )


NOT_APPLICABLE = ENTRY.replace("tag-reward = {shared},\n  why-reward = {The abstract says so.},", "tag-reward = {na},")


@pytest.mark.parametrize("last", [False, True])
def test_a_tag_without_evidence_gets_it_on_a_line_of_its_own(folder: Callable[..., Path], last: bool) -> None:
    text = NOT_APPLICABLE
    if last:  # the last field, with no comma after it
        text = text.replace("  tag-reward = {na},\n", "").replace(
            "{2026-05-04}\n", "{2026-05-04},\n  tag-reward = {na}\n"
        )
    pool = load(folder(text))
    changed = retagged(text, pool["key2026"], pool.taxonomy["reward"], (SHARED,), "Section 2 pays all.")
    assert changed == text.replace("tag-reward = {na}", "tag-reward = {shared},\n  why-reward = {Section 2 pays all.}")
    assert parse_bibtex(changed).problems == ()


def test_evidence_that_no_field_can_hold_is_refused(folder: Callable[..., Path]) -> None:
    pool = load(folder(NOT_APPLICABLE))
    with pytest.raises(InvalidSurvey, match="braces do not balance"):
        retagged(NOT_APPLICABLE, pool["key2026"], pool.taxonomy["reward"], (SHARED,), "A { brace.")
