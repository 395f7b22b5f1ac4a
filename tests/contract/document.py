"""Reads the contract's document into the names of its rows, points and rules."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

DOCUMENT = Path(__file__).parents[3] / "shared" / "interface.md"

_SECTION = re.compile(r"^#{2,3} (\d+(?:\.\d+)?)\.? .*$", re.MULTILINE)
_PARAMETER = re.compile(r"^- (?:Path|Query): (\w+)", re.MULTILINE)
_NUMBERED = re.compile(r"^ *(\d)\. (.*)$", re.MULTILINE)
_MODE = re.compile(r"^- (\w+ mode): ", re.MULTILINE)
_FILTER_MODE = re.compile(r"^- Filter mode: accepts (.+?), with ", re.MULTILINE)


def rows() -> set[str]:
    """The names of all: fields (§2), states (§3), parameters, rules, statuses (§4), rights (§5), realms and
    codes (§7), limits (§8), and the numbered points of §5, §6 and §9.
    """
    sections = _sections()
    found = {f"§3 {cells[0]} · {cells[1]}" for _, cells in _tables(sections["3"])}
    found |= {f"§8 {cells[0]} · {cells[1]}" for _, cells in _tables(sections["8"])}
    for number, text in sections.items():
        if number.startswith("4."):
            found |= set(_rows_of_endpoint(number, text))
        elif number.startswith(("2.", "7.")):
            found |= {f"§{number} {cells[0]}" for _, cells in _tables(text)}
    found |= {f"§5.2 {cells[0]}" for _, cells in _tables(sections["5"])}
    return found | {f"§{number} point {point}" for number in "569" for point, _ in points(number)}


def points(number: str) -> list[tuple[str, str]]:
    """The numbered points of a section, each with its text."""
    return _NUMBERED.findall(_sections()[number])


def _sections() -> dict[str, str]:
    """The text of each section by its number."""
    _, *parts = _SECTION.split(DOCUMENT.read_text(encoding="utf-8"))
    return dict(zip(parts[::2], parts[1::2], strict=True))


def _tables(text: str) -> Iterator[tuple[str, list[str]]]:
    """Every row of every table: the heading of its first column, its cells."""
    heading = ""
    for before, line in zip(["", *text.splitlines()], text.splitlines(), strict=False):
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if not line.startswith("|"):
            continue
        if not before.startswith("|"):
            heading = cells[0]
        elif not set(line) <= set("|- "):
            yield heading, cells


def _rows_of_endpoint(number: str, text: str) -> Iterator[str]:
    for heading, cells in _tables(text):
        yield f"§{number} status {cells[0]} {cells[1]}" if heading == "Status" else f"§{number} {cells[0]}"
    yield from (f"§{number} {name}" for name in _PARAMETER.findall(text))
    yield from (f"§{number} rule {rule}" for rule, _ in _NUMBERED.findall(text))
    yield from (f"§{number} {mode}" for mode in _MODE.findall(text))
    for accepted in _FILTER_MODE.findall(text):
        yield from (f"§{number} {name}" for name in accepted.split(", "))
