"""A bibliography as INSPIRE exports it, and as ten years of many hands leave it: written by a seeded generator.

No work in it exists. The shares of what departs from this format are those of a real review of 2,400 works.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

TOPICS = ("jet tagging", "event generation", "anomaly detection", "unfolding", "track finding", "calibration")
MATH = (
    r"$\alpha_s$", r"$\sqrt{s}=13$ TeV", r"$H\to b\bar{b}$", r"$\nu_\mu$", r"$Z^\prime$", r"${\rm SU}(N)$",
    r"$t\bar{t}$", r"$\Lambda_b^0$", r"$10^{-3}$", r"$p_{\mathrm T}$",
    r"\(x^2\)", r"\[E_T^2\]", r"\ensuremath{\alpha_s}", r"\ensuremath{\Lambda_{b}^{0}}",
)  # fmt: skip
PEOPLE = (
    "Sa{\\'u}l, Mar{\\'\\i}a", 'M{\\"u}ller, J\\"org', "Dvo\\v{r}\\'ak, Jan", "de Vries, Anna B.", "Li, Wei", "O'Brien, Sean",
    "{\\L}ukasik, Ewa", "van der Berg, Kees", "Garc{\\'\\i}a-L{\\'o}pez, In\\'es", "{ATLAS Collaboration}", "S{\\o}rensen, Bo",
)  # fmt: skip
CLASSES = ("hep-ph", "hep-ex", "hep-th", "hep-lat", "physics.ins-det", "physics.data-an", "cs.LG", "stat.ML")
MONTHS = ("January", "feb", "3", "04", "May", "jun.", "7", "aug", "September", "10", "nov", "12")
JOURNALS = ("JHEP", "Phys. Rev. D", "Eur. Phys. J. C", "SciPost Phys.", "Mach. Learn. Sci. Tech.")


def foreign_bib(number: int, seed: int = 0) -> str:
    """Return a file of some entries, most of them sound, each kind of damage a few times in a thousand."""
    rng = random.Random(seed)
    return "".join(_parts(number, rng))


def _parts(number: int, rng: random.Random) -> Iterator[str]:
    yield '# Papers\n\n@string{jinst = "JINST"}\n\n@comment{written by hand since 2017}\n\n'
    for place in range(number):
        year, month = 2026 - place * 9 // number, rng.randint(1, 12)
        yield f"% {('January', 'March', 'June 16,')[rng.randrange(3)]} {year + (month > 11)}\n"
        yield _entry(place, year, month, rng)


def _entry(place: int, year: int, month: int, rng: random.Random) -> str:
    people = rng.sample(PEOPLE, rng.randint(1, 4))
    title = f"{rng.choice(('Fast', 'Robust', 'Learned', 'Unbinned'))} {rng.choice(TOPICS)} number {place}"
    if rng.random() < 0.1:
        title += f" for {rng.choice(MATH)}"
    eprint = f"{year % 100:02}{month:02}.{place % 99999:05}"
    fields = {
        "author": " and ".join(people) + (" and others" if rng.random() < 0.07 else ""),
        "title": f"{{{title}}}",
        "eprint": eprint,
        "archivePrefix": "arXiv",
        "primaryClass": rng.choice(CLASSES),
        "month": MONTHS[month - 1],
        "year": str(year),
    }
    if rng.random() < 0.65:
        fields |= {"journal": rng.choice(JOURNALS), "volume": str(rng.randint(1, 99)), "pages": f"{place}",
                   "doi": f"10.1234/{year}.{place}"}  # fmt: skip
    if rng.random() < 0.25:
        fields["reportNumber"] = f"FERMILAB-PUB-{year % 100}-{place:04}"
    kind = "article"
    match rng.randrange(60):
        case 0:
            kind, fields["note"] = "Online", "100% of it & more_or_less #1"
        case 1:
            kind = "conference"
        case 2:
            fields["doi"] = f"https://doi.org/10.1234/a\\_{place}"
        case 3:
            fields["eprint"] = f"arXiv:{eprint}v2"
        case 4:
            fields.pop("archivePrefix")
        case 5:
            fields["date"] = f"{fields.pop('year')}-{month:02}-07"
        case 6:
            fields["year"] = str(year + 1)
        case 7:
            fields["year"] = str(year - 1)
        case 8:
            fields["author"] = "J. Doe, M. Roe, K. Poe"
        case 9:
            fields["url"] = f"\\url{{https://example.org/a_{place}}}"
        case 10:
            fields["version"] = "v2026.06.01"
        case 11:
            fields["title"] = f"{{Something $\\slashed{{E}}$ and \\nosuchcommand{{x}} {place}}}"
        case 12:
            fields.pop("author")
            fields["collaboration"] = "CMS"
        case 13:
            fields["journal"] = "MACRO"
        case 14:
            fields["abstract"] = "Lines\n\n  of text with {braces} and a $formula_1$."
        case 15:
            fields["SLACcitation"] = "%%CITATION = ARXIV:1234.5678;%%"
        case _:
            pass
    key = f"{rng.choice(('Araz', 'CMS', 'DLPS', 'Mueller'))}:{year}{_letters(place)}"
    if rng.random() < 0.02:
        key = f"DBLP:journals/corr/abs-{year}-{place}"
    body = ",\n".join(f"    {name} = {_quoted(text)}" for name, text in fields.items())
    body = body.replace('"MACRO"', 'jinst # " B"')
    text = f"@{kind}{{{key},\n{body}\n}}\n\n"
    if rng.random() < 0.003:
        return text.rstrip("}\n") + "\n\n"  # the closing brace is missing
    return text * 2 if rng.random() < 0.003 else text


def _quoted(text: str) -> str:
    return f"{{{text}}}" if '"' in text else f'"{text}"'


def _letters(number: int) -> str:
    return "".join(chr(97 + number // 26**power % 26) for power in (2, 1, 0))
