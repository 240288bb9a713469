"""Tokens of the formats, and strange values to replace them."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Form:
    """Patterns of the tokens of a format, and strange replacements."""

    value: re.Pattern[bytes]
    strange: Sequence[bytes]
    name: re.Pattern[bytes]
    names: Sequence[bytes]
    member: re.Pattern[bytes]
    """A name with its value, and the following separator."""
    pieces: Sequence[bytes]
    sound: Sequence[bytes] = ()
    """The strange values that a parser accepts; empty if it accepts all."""


LONG = b"x" * 20_000
DIGITS = b"9" * 5_000
"""More digits than Python converts to a number."""

NUMBERS = (b"0", b"-1", b"1e400", b"-1e400", b"1e308", b"-0.0", b"9007199254740993", b"9" * 400, b"-" + b"9" * 400,
           DIGITS, b"1" + b"0" * 25, b"0.1", b"253402300800", b"-62135596801", b"1e18")  # fmt: skip

TEXTS = (b'""', b'"x"', b'"\\u0000"', b'"\\ud800"', b'"\\u202e"', b'"e1"', b'"user"', b'"main"', b'"O1"',
         b'"' + LONG + b'"', b'"' + "ü".encode() * 300 + b'"', b'"2026-03-08T09:30:00Z"', b'"0001-01-01T00:00:00Z"',
         b'"9999-12-31T23:59:59.999999-23:59"', b'"' + DIGITS + b'"', b'"NaN"', b'"../../x"', b'"/"', b'"."',
         b'"\\n{\\"trace_id\\""', b'"{\\"type\\": 1}"', b'"=1+1"')  # fmt: skip

JSON_VALUES = (
    *NUMBERS, *TEXTS, b"null", b"true", b"false", b"NaN", b"Infinity", b"-Infinity", b"[]", b"{}", b"[[]]", b"[null]",
    b'{"a": {}}', b"[1, \"x\", null]", b'{"": ""}', b'{"a": 1, "a": 2}', b"[" * 40 + b"]" * 40,
    b"[" * 5_000 + b"]" * 5_000, b'{"a":' * 5_000 + b"1" + b"}" * 5_000, b"[" * 900 + b"]" * 900,
    b'{"a":' * 400 + b"1" + b"}" * 400, b"[" * 3_000, b"",
)  # fmt: skip

TOML_VALUES = (
    b"0", b"-1", b"1.5", b"inf", b"nan", b"1e400", b"0x" + b"f" * 6_000, DIGITS, b"true", b'""', b'"x"', b"'x'",
    b'"""\nx\n"""', b"2026-05-04", b"2026-05-04T00:00:00", b"07:30:00", b"9999-12-31", b"[]", b"{}", b"[[]]",
    b'["na"]', b'["na", 1]', b'{ reward = "shared" }', b"{ reward = [] }", b'{ reward = ["shared", "shared"] }',
    b'{ nobody = "x" }', b'{ all = ["stop", "spawn"] }', b'{ decision = { all = [] } }', b"[" * 600 + b"]" * 600,
    b"[" * 3_000 + b"]" * 3_000, b'"' + LONG + b'"', b'"\\u202e"', b'"\\ud800"', b'"stop: "', b'" "', b'"na"', b'"R1"',
    b'"stop: learned"', b'{ a = 1, a = 2 }', b"",
)  # fmt: skip

BIB_VALUES = (
    b"{}", b'""', b"{x}", b"7", b"jan", b"nothing", b'{a} # "b"', b"jan # feb", b"{{{{x}}}}", b"{" * 500 + b"}" * 500,
    b"{" * 30, b"}", b"{x", b'"x', b"{" + LONG + b"}", b"{\\undefined{x}}", b"{\\emph{\\emph{\\emph{x}}}}", b"{a and and b}",
    b"{and}", b"{, , ,}", b"{others}", b"{A and others}", b"{$x_{1}$}", b"{$\\frac{1}$}", b"{%}", b"{\\}", b"{~}", b"{;}",
    b"{stop}", b"{stop: }", b"{: learned}", b"{shared; shared}", b"{agents: " + b"9" * 5_000 + b"}", b"{agents: -1}",
    b"{9999-99-99}", b"{2026-02-30}", b"{javascript:alert(1)}", b"{https://[}", b"{http://x:99999/}", b"{10.1/}",
    b"{1e400}", b"{\\'{}}", b"{\\'\\'\\'e}", b"{=1+1}", b"{2603.99999}", b"{" + "ü".encode() * 300 + b"}",
    "{٣}".encode(), "{²}".encode(),
)  # fmt: skip


def _parses(value: bytes) -> bool:
    try:
        json.loads(value)
    except (ValueError, RecursionError):
        return False
    return True


JSON = Form(
    value=re.compile(rb'(?<=":)\s?(?:"(?:[^"\\\n]|\\.)*"|-?\d[\d.eE+-]*|true|false|null|\[\]|\{\})'),
    strange=JSON_VALUES,
    name=re.compile(rb'"[^"\\\n]*"(?=\s*:)'),
    names=(b'""', b'"id"', b'"type"', b'"parent"', b'"events"', b'"edges"', b'"uuid"', b'"a"', b'"\\u0069d"', b'"t"'),
    member=re.compile(rb'"[^"\\\n]*"\s*:\s*(?:"(?:[^"\\\n]|\\.)*"|[\w.+-]+|\[[^\[\]]*\]|\{[^{}]*\}),?'),
    pieces=(b"{}\n", b"[]\n", b"null\n", b"\n\n", b'{"a": 1}\n', b'{"type": "x", "uuid": 5}\n', b"{\n", b"}", b"[1, 2",
            b'{"trace_id": "t", "task_id": "t", "events": [], "edges": []}\n', b"not json\n", b'{"events": [\n',
            b'"text"\n', b"7\n"),
    sound=[value for value in JSON_VALUES if _parses(value)],
)  # fmt: skip

TOML = Form(
    value=re.compile(rb'(?<== )[^\n]+|"[^"\n]*"'),
    strange=TOML_VALUES,
    name=re.compile(rb"(?m)^[ \t]*[\w-]+(?= =)|(?<=\[)[\w.-]+(?=\])"),
    names=(b"x", b"label", b"axis.reward", b"reward", b"where", b"note", b'""', b'"a b"', b"a." * 200 + b"a", b"na", b"key",
           b"axis.reward.value.x", b"search", b"kind", b"claim.x", b"20260504", b"2026-W01-1", b"0001-01-01", b"first"),
    member=re.compile(rb"(?m)^[^\n=]+=[^\n]*\n"),
    pieces=(b"[x]\n", b"[[note]]\n", b"[[kind]]\n", b"[ [kind] ]\n", b"[[search]]\n", b"[[rule]]\n", b"x = 1\n", b"x = \n",
            b"[claim.x]\n", b"[2026-01-01]\n", b"kind = []\n", b"note = 5\n", b"[" * 200 + b"\n", b"a = {b = {c = 1}}\n",
            b"[axis.x]\n", b"[axis.reward.value]\n", b'"""\n', b"# remark\n", b"a.b.c.d = 1\n", b"[variant.x]\n"),
)  # fmt: skip

BIBTEX = Form(
    value=re.compile(rb'(?<== )(?:\{(?:[^{}]|\{[^{}]*\})*\}|"[^"]*"|\w+)'),
    strange=BIB_VALUES,
    name=re.compile(rb"(?m)^[ \t]+[\w-]+(?=\s*=)|(?<=\{)[\w-]+(?=,)|@\w+"),
    names=(b"x", b"title", b"tag-reward", b"why-reward", b"tag-nothing", b"@misc", b"@string", b"@comment", b"@preamble",
           b"@@", b"@", b"key2026", b"KEY2026", b"crossref", b"a b", b"ids", "é".encode(), b"added"),
    member=re.compile(rb"(?m)^[ \t]+[\w-]+\s*=[^\n]*\n"),
    pieces=(b"@string{a = {b}}\n", b"@string{a = a}\n", b"@comment{@misc{k, a = {b}}}\n", b"@preamble{x}\n", b"@misc{k}\n",
            b"@misc{k, title = {x}}\n", b"@misc(k, title = {x})\n", b"@misc{, title = {x}}\n", b"@misc{k k, a = 1}\n",
            b"@misc{k, crossref = {k}}\n", b"text\n", b"% remark\n", b"}\n", b"{\n", b"@\n", b"@misc\n", b"@misc{\n",
            b"@misc{key2026, title = {x}}\n", b"\n" * 50, b'"', b"@misc{a, b = {c\n@misc{d, e = {f}}\n"),
)  # fmt: skip

CSV = Form(
    value=re.compile(rb"[^,\n]+"),
    strange=(b"", b'"', b'""', b'"a\nb"', b"x", b"=1+1", b"9" * 5_000, b"x" * 200_000, b"key2026", b"reward", b"decision",
             b"na", b"stop: learned", b"stop: ", b"agents: 3", b"nobody", b'"a""b"', b"a,b", b"unknown; na"),
    name=re.compile(rb"(?<![^\n])[\w-]+(?=,)"),
    names=(b"key", b"key2026", b"", b"other2025", b"E001", b'"', b"#"),
    member=re.compile(rb"[^\n]*\n"),
    pieces=(b"\n", b",,,\n", b"key2026,reward,shared,why\n", b"a\n", b'"\n', b"key,axis,value\n", b"# remark\n"),
)  # fmt: skip

HTML = Form(
    value=re.compile(rb'>[^<>]+<|"[^"]*"'),
    strange=(b"><", b">&<", b">&#0;<", b'""', b'"jp-CodeCell"', b'"jp-RenderedMarkdown"', b'"x.md"', b'"../y.ipynb#z"',
             b"><script>x</script><", b">" + b"<div>" * 300 + b"<", b'"jp-OutputArea-output"', b"><!--<", b"><![CDATA[<"),
    name=re.compile(rb"(?<=<)/?\w+"),
    names=(b"div", b"/div", b"p", b"script", b"style", b"pre", b"a", b"b" * 300, b"!--"),
    member=re.compile(rb"<(\w+)[^>]*>[^<]*</\1>"),
    pieces=(b"<div class='jp-MarkdownCell'>", b"</div>", b"<style>", b"<pre>", b"<!--", b"<a href='x.md'>x</a>"),
)  # fmt: skip

ARGUMENT = Form(
    value=re.compile(rb"[^=:,-]+"),
    strange=(
        b"",
        b"0",
        b"-1",
        b"9" * 400,
        b"x" * 5_000,
        b"nan",
        b"inf",
        b"\xff",
        b"\xe2\x80\xae",
        b"*",
        b"a b",
        b"..",
        b"~",
    ),
    name=re.compile(rb"^-*\w+"),
    names=(b"--x", b"-", b"--", b"---", b"-o", b"--format", b"--where", b"--bib", b"@file", b"help"),
    member=re.compile(rb"[=:,-][^=:,-]*"),
    pieces=(b"=", b":", b",", b"-", b" ", b"\n", b"'"),
)

CHAPTER = Form(
    value=re.compile(rb"(?<=\{\{ )[^{}\n]+(?= \}\})|(?<=\$)[^$\n]+(?=\$)|(?<=\[@)[^\]\n]+|(?<=\")[^\"\n]+(?=\")"),
    strange=(
        b"", b"count(", b"count(7)", b"count()/0", b"count.__class__.__mro__", b"1 + 'a'", b"[][0]", b"{}['a']", b"x.y.z",
        b"count()|nothing", b"count()|first", b"()|max", b"'%d' % 'a'", b"'a' ~ count", b"range(10**9)", b"9**400",
        b"-1.5|round(400)", b"(" * 300 + b"1" + b")" * 300, b"not " * 3_000 + b"1", b"1" + b" + 1" * 3_000, b"1." + DIGITS,
        DIGITS, b"'" + LONG + b"'", b"'\\ud800'", b"words(9e99)", b"words('x')", b"share('reward=shared', as_of='x')",
        b"share(as_of='0001-01-01')", b"count(as_of=7)", b"largest('agents')", b"largest('x')", b"term('reward')",
        b"term('reward', 'shared', text=9)", b"chart('reward', 'reward')", b"chart('kind', as_of='2026-02-30')", b"chart('x')",
        b"picture('reward')", b"picture()", b"emptiest('reward', 'decision', -1)", b"emptiest('reward', 'x')", b"claim('x')",
        b"coverage()", b"asof()", b"measured()", b"authors('x')", b"cites('reward=nobody')", b"cites('=')", b"records('x=y')",
        b"\\frac", b"\\frac{1}", b"x^y^z", b"\\left(", b"\\right)", b"\\begin{matrix}", b"\\end{x}", b"\\sqrt[", b"\\text{$}",
        b"{" * 500 + b"}" * 500, b"_" * 50, b"\\color{red}x", b"\\unknown", b"&", b"\\", b"\\operatorname", b"%", b"@x", b"key2026;",
        b"x;y", b"key2026; @key2026", b"\xff", "\u202e".encode(), b"\0",
    ),
    name=re.compile(rb"[a-z_]+(?=\()|(?<=\{% )[a-z]+|\\[a-z]+"),
    names=(b"count", b"share", b"x", b"set", b"for", b"endfor", b"if", b"include", b"extends", b"import", b"macro", b"raw", b"endraw",
           b"block", b"do", b"\\frac", b"\\begin", b"\\mathbb"),
    member=re.compile(rb"\{\{[^{}\n]*\}\}|\{%[^{}\n]*%\}|\$[^$\n]*\$|\[@[^\]\n]*\]|[^\n]*\n"),
    pieces=(
        b"{{ count() }}", b"{{ ", b" }}", b"{% ", b" %}", b"{# ", b" #}", b"{% raw %}", b"{% endraw %}", b"{% include 'x' %}",
        b"{% extends 'x' %}", b"{% import 'x' as y %}", b"{% for a in count() %}{% endfor %}", b"{% set a = a %}{{ a }}",
        b"{% for a in 'ab' %}" * 25 + b"{% endfor %}" * 25, b"{% if 1 %}" * 120 + b"{% endif %}" * 120, b"{% for a in range(9) recursive %}{{ loop([1]) }}{% endfor %}",
        b"{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}", b"{% block a %}{% endblock %}{% block a %}{% endblock %}", b"$", b"$$", b"$$\n", b"```\n",
        b"~~~\n", b"`", b"`{{`", b"[@key2026]", b"[@@key2026]", b"[@", b"]", b"\\$", b"---\ntitle: x\n---\n", b"<!-- ", b"\r\n", b"\r",
    ),
)  # fmt: skip

YAML = Form(
    value=re.compile(rb"(?<=: )[^\n]+|(?<=- )[^\n]+"),
    strange=(
        b"", b"x", b"7", b"null", b"true", b"[]", b"{}", b"[survey]", b"{survey: {}}", b"{theme: }", b"material", b"!ENV X", b"!ENV [X, y]",
        b"!ENV []", b"!ENV [SITE_URL]", b"!!python/name:os.system", b"!!python/object/apply:os.getcwd []", b"!x y", b"&a [*a]", b"*a", b"'", b'"',
        b"|", b"[[[", b"{a: {a: {a: 1}}}", b"2026-02-30", b"2026-11-22", b"0x" + b"f" * 6_000, DIGITS, b"1e400", b".nan", b"../..", b"/", b"docs",
        b"missing", b"bib", b"docs/index.md", b"https://[", b"javascript:alert(1)", b"\xff", b"%", b"@", b"`", b"[" * 3_000, LONG,
    ),
    name=re.compile(rb"(?m)^[ -]*\w+(?=:)"),
    names=(b"site_url", b"docs_dir", b"plugins", b"theme", b"nav", b"custom_dir", b"  custom_dir", b"- survey", b"x", b"7", b"null", b"?", b"<<", b"[]"),
    member=re.compile(rb"(?m)^[^\n:]+:[^\n]*\n"),
    pieces=(b"\n", b"---\n", b"...\n", b"- x\n", b"  - x: y\n", b"x: 1\n", b"\t", b"a: &a\n", b"b: *a\n", b"<<: *a\n", b"# remark\n", b"INHERIT: x.yml\n",
            b"!ENV [X]\n", b": \n", b"? \n", b"theme: material\n", b"plugins:\n  survey: {}\n  search: {}\n"),
)  # fmt: skip

FORMS: Mapping[str, Form] = {
    "json": JSON, "toml": TOML, "bibtex": BIBTEX, "csv": CSV, "html": HTML, "argument": ARGUMENT,
    "chapter": CHAPTER, "yaml": YAML,
}  # fmt: skip
