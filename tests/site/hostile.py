"""A data folder in which every text attacks, as far as the checks let it in."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

HOST = "https://attacker.invalid"
"""Where an attack would have the reader's browser ask; the name can never exist."""

ATTACK = " ".join((
    "</script></title></style></textarea><script>attacked('script')</script>",
    "<img src=x onerror=attacked('img')><svg onload=attacked('svg')><iframe srcdoc='<script>parent.attacked()</script>'></iframe>",
    "\" onmouseover=\"attacked('double')\" ' onfocus='attacked()' autofocus x='",
    "[md](javascript:attacked('md')) ![i](" + HOST + "/i.png) <javascript:attacked('auto')> [ref]: javascript:attacked()",
    "<a href='data:text/html,<script>attacked()</script>'>data</a>",
    "{{ attacked('jinja') }} {% raw %} ${7*7} {{ 7*7 }} {# c #} {: onclick=\"attacked('attr')\" #id .md-nav } [@hostile0] $$x^2$$",
    "**bold** _em_ ~~s~~ `code` | a | b | # head !!! note [TOC] --8<-- &lt;b&gt; &#60;i&#62; \\u003cu\\u003e",
    r"\input{secret} \href{javascript:attacked()}{tex} \write18{id} %0d%0a",
))  # fmt: skip
"""Scripts, handlers, links, templates, Markdown and LaTeX in one line."""

FORMULAS = ("=cmd|' /C calc'!A0", "+1+1", "-2+3", "@SUM(1+1)", f'=HYPERLINK("{HOST}","x")', "＝1+1")
"""How a cell begins that a spreadsheet takes for a formula; the last one in full width."""

ADDRESS = f"{HOST}/'onclick='attacked(1)'&lt;x=1)[md](javascript:attacked('url')"
"""A web address by every rule, with all in it that an address may hold."""

DOI = "10.1000/';attacked('doi')//&x=[1](2)"

VALUES = {"reward": ("shared", "process"), "credit": ("agent", "turn"), "decision": ("spawn", "stop"),
          "topology": ("star", "peers")}  # fmt: skip
"""The main axes; decisions say how."""

KEYS = tuple(f"hostile{n}" for n in range(len(FORMULAS)))


def attack(place: str, start: str = "") -> str:
    """The attack, with the name of the place where it stands; ``start`` is what a spreadsheet would obey."""
    return f"{start} {place} {ATTACK}".strip()


def tex(text: str) -> str:
    """A text as a field in LaTeX shows it."""
    signs = {"\\": r"{\textbackslash}", "^": r"{\textasciicircum}", "~": r"{\textasciitilde}", "--": r"-\/-"}
    return re.sub(r"--|[\\{}%&#_$^~]", lambda m: signs.get(m[0], f"\\{m[0]}"), text)


def write_hostile(folder: Path) -> Path:
    """The data in ``folder/bib``; and in ``folder/docs`` a page that asks for all that prose may ask."""
    bib = folder / "bib"
    (bib / "codings").mkdir(parents=True)
    entries = [_entry(key, number) for number, key in enumerate(KEYS)]
    (bib / "pool.bib").write_text("\n".join(entries), encoding="utf-8")
    (bib / "excluded.bib").write_text(_record(), encoding="utf-8")
    (bib / "background.bib").write_text(_block("hostile-ground", _cited(9)), encoding="utf-8")
    tables: Mapping[str, Any] = {
        "taxonomy": _taxonomy(), "claims": _claims(), "gaps": {"note": list(_notes()), "searched": [_searched()]},
        "editions": {day: {"title": attack("edition"), "note": attack("editionnote")} for day in ("2026-05-04", "2026-06-01")},
        "searches": {
            "family": {"all": {"label": attack("family")}},
            "route": {"way": {"label": attack("route"), "kind": "other", "holds": list(KEYS)}},
            "search": [_search()],
        },
        "protocol": _protocol(), "appraisal": _appraisal(),
        "scale": {"kind": [{"id": "any", "label": attack("kind"), "where": {"reward": "shared"}, "says": attack("says")}]},
        "codings/readers": {id: {"reader": attack("reader"), "made": Day("2026-05-04"), "statement": attack("statement")} for id in ("one", "two")},
    }  # fmt: skip
    for name, table in tables.items():
        (bib / f"{name}.toml").write_text(toml(table), encoding="utf-8")
    for id, value in (("one", "shared"), ("two", "process")):
        _csv(bib / "codings" / f"{id}.csv", [("key", "axis", "value", "why"), *((k, "reward", value, attack("why", "=1")) for k in KEYS)])  # fmt: skip
    _csv(bib / "codings" / "adjudications.csv", [("key", "axis", "value", "why"), (KEYS[0], "reward", "shared", attack("settled", "@"))])  # fmt: skip
    _csv(bib / "screened.csv", [
        ("id", "title", "first-seen", "route", "score", "screened", "decision", "criterion"),
        (f"{HOST}/waits", attack("waiting", "=1"), "2026-05-01", "way", "1.5", "", "", ""),
        (f"{HOST}/left", attack("left", "@"), "", "way", "", "2026-05-04", "excluded", "out"),
    ])  # fmt: skip
    (folder / "docs").mkdir()
    (folder / "docs" / "index.md").write_text(PROSE, encoding="utf-8")
    return bib


PROSE = """# Prose

{{ count("reward=shared") }} {{ authors("hostile0") }} [@hostile1] [@@hostile-ground] {{ cites("credit=agent") }}
{{ term("reward", "shared") }} {{ claim("most") }} {{ emptiest("reward", "credit") }}

{{ chart("reward") }}

{{ chart("reward", "credit") }}

{{ picture("reward", "credit", "decision") }}

{{ coverage("credit") }} {{ lag("read") }}
"""


class Day(str):
    """A date, which TOML writes without quotes."""

    __slots__ = ()


def toml(table: Mapping[str, Any], path: str = "") -> str:
    """Tables as TOML, in their order."""
    lines, later = [], []
    for name, value in table.items():
        place = f"{path}.{name}" if path else name
        if isinstance(value, list) and value and isinstance(value[0], dict):
            later += [f"[[{place}]]\n{toml(one, place)}" for one in value]
        elif isinstance(value, dict) and place.count(".") < 6 and not re.search(r"^(claim|variant|note|kind|rule|impossible|gaps)\b", path):  # fmt: skip
            later.append(f"[{place}]\n{toml(value, place)}")
        else:
            lines.append(f"{name} = {_inline(value)}")
    return "\n".join([*lines, *later])


def _inline(value: Any) -> str:
    if isinstance(value, dict):
        return f"{{ {', '.join(f'{name} = {_inline(one)}' for name, one in value.items())} }}"
    if isinstance(value, list):
        return f"[{', '.join(map(_inline, value))}]"
    return str(value) if isinstance(value, Day) else json.dumps(value, ensure_ascii=False)


def _csv(path: Path, rows: list[tuple[str, ...]]) -> None:
    quoted = (",".join('"' + cell.replace('"', '""') + '"' for cell in row) for row in rows)
    path.write_text("".join(f"{row}\n" for row in quoted), encoding="utf-8")


def _block(key: str, fields: Mapping[str, str], type: str = "article") -> str:
    return f"@{type}{{{key},\n" + "".join(f"  {name} = {{{text}}},\n" for name, text in fields.items()) + "}\n"


def _cited(number: int) -> dict[str, str]:
    start = FORMULAS[number % len(FORMULAS)]
    texts = ("journal", "volume", "pages", "publisher", "note", "series", "address")
    return {
        "author": f"{{{tex(attack('corporate', start))}}} and {{<img src=x onerror=attacked('name')>}}, {{<b>First</b>}}",
        "title": tex(attack(f"title{number}", start)),
        **{name: tex(attack(name, start)) for name in texts},
        "year": "2026", "month": "mar", "doi": f"{DOI}{number}", "url": f"{ADDRESS}&n={number}",
    }  # fmt: skip


def _entry(key: str, number: int) -> str:
    reward, credit, topology = (
        VALUES[axis][number % 2 if number < 5 else 0] for axis in ("reward", "credit", "topology")
    )
    tags = {"reward": reward, "credit": credit, "topology": topology, "decision": "stop: learned" if number else "na",
            "scale": f"agents: {10 ** number}; parallel: {number + 1}"}  # fmt: skip
    start = FORMULAS[number]
    fields = {
        **_cited(number),
        "code": ADDRESS, "sources": f"{ADDRESS} {HOST}/second", "abstract": attack("unread", start),
        "authors-incomplete": attack("incomplete", start), "summary": attack(f"summary{number}", start),
        **{f"tag-{axis}": text for axis, text in tags.items()},
        **{f"why-{axis}": attack(f"why{axis}", start) for axis in tags},
        "ids": f"former{number}", "added": "2026-05-04" if number < 4 else "2026-06-01",
    }  # fmt: skip
    return _block(key, fields)


def _record() -> str:
    reason = {"tag-stage": "title", "tag-reason": "off", "why-reason": attack("reason", "=1"), "screened": "2026-05-04"}
    return _block("hostile-out", {**_cited(7), **reason})


def _labels(place: str) -> dict[str, str]:
    return {language: attack(f"{place}{language}") for language in ("en", "zh", "ja")}


def _value(place: str) -> dict[str, Any]:
    texts = ("definition", "rule", "positive", "negative", "code", "unit")
    return {
        "label": _labels(place),
        "also": [attack(f"{place}also")],
        **{name: attack(f"{place}{name}") for name in texts},
    }


SETTINGS = {
    "creator": attack("creator"), "scope": attack("scope"), "licence": "CC0-1.0", "wings": ["traces", "dependencies"],
}  # fmt: skip


def _taxonomy() -> dict[str, Any]:
    axes: dict[str, Any] = {}
    for id, values in VALUES.items():
        axes[id] = {
            "label": _labels(id), "definition": attack(f"{id}definition"), "main": True, "required": True,
            "also": [attack(f"{id}also")],
            "shape": "set" if id == "decision" else "ranked", "absence": ["na", "unknown"],
            "family": {"R1": {"label": _labels(f"{id}family"), "definition": attack("familydefinition")}},
            "value": {value: _value(value) | {"family": "R1"} for value in values},
        }  # fmt: skip
    axes["decision"]["qualifier"] = {how: {"label": _labels(how)} for how in ("learned", "designed")}
    axes["scale"] = {"label": _labels("scale"), "definition": attack("scaledefinition"), "shape": "quantity",
                     "absence": ["unknown"], "value": {value: _value(value) for value in ("agents", "parallel")}}  # fmt: skip
    for id, value in (("stage", "title"), ("reason", "off")):
        axes[id] = {"label": _labels(id), "definition": attack(id), "on": "record", "evidence": id == "reason",
                    "required": True, "value": {value: _value(value)}}  # fmt: skip
    term = {"label": _labels("absent"), "definition": attack("absentdefinition")}
    return {
        "survey": {"title": attack("survey"), "languages": ["en", "zh", "ja"], **SETTINGS},
        "absence": {"na": term, "unknown": term},
        "axis": axes,
        "rule": [{"when": {"reward": ["unknown"]}, "only": {"credit": ["unknown"]}, "because": attack("because")}],
        "impossible": [{"cells": {"reward": "process", "topology": "star"}, "why": attack("impossible")}],
        "gaps": {"triples": [["reward", "credit", "topology"]]},
    }


def _claims() -> dict[str, Any]:
    said = {"limit": attack("limit"), "changes": attack("changes")}
    return {
        "readings": {"published": "one", "second": "two", "day": Day("2026-05-04")},
        "claim": {
            "most": {"sentence": attack("sentence"), "source": "ours", "chapters": ["index.md"], **said,
                     "count": {"reward": "shared"}, "at-least": 1, "dissent": {KEYS[0]: attack("dissent")}},
            "few": {"sentence": attack("second"), "source": attack("source"), **said,
                    "count": {"credit": "turn"}, "of": {"reward": "process"}, "share-at-least": 0.9},
        },
        "table": {"rewards": {"axis": "reward", "title": attack("table"), "counts": {"shared": 4}}},
        "variant": {
            "kept": {"label": attack("variant"), "says": attack("variantsays"), "keep": {"credit": "agent"}},
            "second": {"label": attack("variant2"), "says": attack("variantsays"), "reading": "second"},
        },
    }  # fmt: skip


def _notes() -> Iterator[dict[str, Any]]:
    said = {"matters": attack("matters"), "fills": attack("fills")}
    yield {"cells": {"reward": "process", "credit": "agent"}, **said}
    yield {"cells": {"decision": "spawn"}, **said}


def _searched() -> dict[str, Any]:
    return {"cells": {"reward": "process"}, "date": Day("2026-05-04"), "why": attack("searched")}


def _protocol() -> dict[str, Any]:
    texts = {"label": attack("criterion"), "definition": attack("criteriondefinition")}
    decided = {"record": "hostile-out", "date": Day("2026-05-05"), "eligible": "in", "why": attack("decided")}
    return {"inclusion": {"in": texts}, "exclusion": {"out": texts}, "decision": [decided]}


def _appraisal() -> dict[str, Any]:
    item = {"label": attack("item"), "question": attack("itemquestion")}
    found = {"answer": "yes", "evidence": attack("itemevidence"), "source": f"{HOST}/study"}
    return {"of": {}, "item": {"one": item}, "work": {key: {"one": found} for key in KEYS}}


def _search() -> dict[str, Any]:
    return {"date": Day("2026-05-04"), "source": attack("source"), "family": "all", "query": attack("query"),
            "hits": 9, "screened": 7, "kept": 6, "route": "way", "found": list(KEYS[:2])}  # fmt: skip
